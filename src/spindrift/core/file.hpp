// Whole files: read at once, written whole or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "spindrift/core/checksum.hpp"

namespace spindrift {

// The bytes of a file, not zero-initialised before they are read.
class FileBytes {
 public:
  FileBytes() = default;
  explicit FileBytes(std::size_t size) : data_(new char[size]), size_(size) {}

  [[nodiscard]] char* data() { return data_.get(); }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::string_view view() const { return {data_.get(), size_}; }

 private:
  std::unique_ptr<char[]> data_;
  std::size_t size_ = 0;
};

// Reads a regular file. Throws InputError if it is missing or a folder, SystemError if the machine
// fails to deliver it.
[[nodiscard]] FileBytes read_file(const std::filesystem::path& path);

// What a file held when it was written.
struct FileStamp {
  std::int64_t bytes = 0;
  std::uint64_t checksum = 0;
};

// Writes to a temporary file beside `path`; commit() makes it durable (fsync) and renames it into
// place. Without commit() nothing is left behind. A link at `path` stays; its target is replaced,
// or made. Throws InputError if `path` names a folder, a device or a link to itself, SystemError on
// any other failure.
class AtomicFile {
 public:
  // Whether commit() is to know the checksum: files that have their own do not need another.
  enum class Stamp { whole, none };
  explicit AtomicFile(std::filesystem::path path, Stamp stamp = Stamp::whole);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);
  // For other programs to write to instead; commit() then knows nothing of what they wrote.
  [[nodiscard]] const std::string& temporary() const { return temporary_; }
  FileStamp commit();

 private:
  void flush();
  void write_through(std::string_view bytes);
  void send();

  std::filesystem::path path_;    // as the user wrote it
  std::filesystem::path target_;  // with links followed
  std::string temporary_;
  Stamp stamp_;
  std::string buffer_;
  Checksum checksum_;
  std::int64_t bytes_ = 0;
  std::int64_t sent_ = 0;  // bytes that are on their way to the disk
  int descriptor_ = -1;
};

// The common case: all bytes at hand.
FileStamp write_file(const std::filesystem::path& path, std::string_view bytes);

// Is this by its name a temporary file of an AtomicFile? A process that was killed leaves such.
[[nodiscard]] bool is_left_over(const std::filesystem::path& path);

// Folders hold the names of what is in them: without this a power cut may undo a new or changed
// name.
void make_names_durable(const std::filesystem::path& folder);

// Makes a folder and those on the way to it, if they are missing; survives a power cut. Throws
// InputError if a file is in the way, SystemError on any other failure.
void make_folders(const std::filesystem::path& path);

// Throws SystemError for an errno: what was tried, why it failed, what to do about it.
[[noreturn]] void fail_on_file(const std::filesystem::path& path, const std::string& action,
                               int error_number);

}  // namespace spindrift
