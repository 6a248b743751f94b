#include "spindrift/core/file.hpp"

#include <atomic>
#include <cerrno>
#include <new>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "spindrift/core/descriptor.hpp"
#include "spindrift/core/error.hpp"
#include "spindrift/core/text.hpp"

namespace spindrift {

namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
// Not worth a copy.
constexpr std::size_t kDirectBytes = std::size_t{1} << 16;
// The disk begins while more is written, so that there is less to wait for at the end.
constexpr std::int64_t kSentBytes = std::int64_t{8} << 20;

std::string reason(int error_number) { return std::generic_category().message(error_number); }

std::string advice_for(int error_number) {
  switch (error_number) {
    case ENOSPC:
    case EDQUOT:
      return "free some space on that disk, then try again";
    case EACCES:
    case EPERM:
    case EROFS:
      return "choose a place that you may write to";
    case ENOENT:
    case ENOTDIR:
      return "create the folder first";
    default:
      return {};
  }
}

FileBytes allocate(std::size_t size, const Location& where) {
  try {
    return FileBytes(size);
  } catch (const std::bad_alloc&) {
    throw SystemError(where,
                      fmt::format("needs {} of memory", bytes_text(static_cast<double>(size))),
                      "use a machine with more memory, or a smaller file");
  }
}

// Of a path that leads to no file yet: the place where a dangling link wants one.
std::filesystem::path end_of_links(std::filesystem::path path) {
  std::error_code failure;
  while (std::filesystem::is_symlink(std::filesystem::symlink_status(path, failure))) {
    const std::filesystem::path next = std::filesystem::read_symlink(path, failure);
    if (failure) break;
    path = path.parent_path() / next;  // an absolute one replaces the folder
  }
  return path;
}

// Where a write to `path` must go: links are followed, so that they stay links. A device or a
// folder of that name must not be replaced by a file (as root even /dev/null could be).
std::filesystem::path writable_target(const std::filesystem::path& path) {
  const Location where{.file = path.string()};
  if (!path.has_filename()) throw InputError(where, "is not a file name", "name a file");
  std::error_code failure;
  const std::filesystem::file_status status = std::filesystem::status(path, failure);
  if (failure == std::errc::too_many_symbolic_link_levels) {
    throw InputError(where, "is a link that leads back to itself", "delete it, or name a file");
  }
  if (!std::filesystem::exists(status)) return end_of_links(path);
  if (std::filesystem::is_directory(status)) {
    throw InputError(where, "is a folder", "name a file in it");
  }
  if (!std::filesystem::is_regular_file(status)) {
    throw InputError(where, "is not a regular file", "name a file");
  }
  std::filesystem::path target = std::filesystem::canonical(path, failure);
  return failure ? path : target;
}

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : ".";
}

// A name that no other AtomicFile of this process, and hardly one of another, is using.
std::string temporary_name(const std::filesystem::path& path) {
  static std::atomic<unsigned> count{0};
  const std::string name =
      fmt::format(".{}.{}-{}", path.filename().string(), ::getpid(), count.fetch_add(1));
  return (folder_of(path) / name).string();
}

}  // namespace

void make_names_durable(const std::filesystem::path& folder) {
  const Descriptor handle(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (handle.get() >= 0) ::fsync(handle.get());
}

FileBytes read_file(const std::filesystem::path& path) {
  const Location where{.file = path.string()};
  // O_NONBLOCK: a pipe without a writer must not hold us here; regular files ignore it.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) {
    const int error_number = errno;
    if (error_number == EACCES) {
      throw SystemError(where, "cannot be read: " + reason(error_number),
                        "give yourself read permission");
    }
    throw InputError(where, "cannot be opened: " + reason(error_number), "check the path");
  }
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) {
    throw SystemError(where, "cannot be examined: " + reason(errno));
  }
  if (!S_ISREG(status.st_mode)) {
    throw InputError(where, S_ISDIR(status.st_mode) ? "is a folder" : "is not a regular file",
                     "name a file");
  }
  FileBytes bytes = allocate(static_cast<std::size_t>(status.st_size), where);
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got = ::read(file.get(), bytes.data() + done, bytes.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw SystemError(where, "cannot be read: " + reason(errno));
    if (got == 0) throw SystemError(where, "became shorter while it was read", "try again");
    done += static_cast<std::size_t>(got);
  }
  return bytes;
}

AtomicFile::AtomicFile(std::filesystem::path path, Stamp stamp)
    : path_(std::move(path)), target_(writable_target(path_)), stamp_(stamp) {
  buffer_.reserve(kBufferBytes);
  std::string name;
  do {
    name = temporary_name(target_);
    // Plain 0666: the process's umask makes of it what any new file gets.
    descriptor_ = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (descriptor_ < 0 && errno == EEXIST);
  if (descriptor_ < 0) fail_on_file(path_, "cannot be created", errno);
  temporary_ = std::move(name);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::write(std::string_view bytes) {
  const bool is_direct = bytes.size() >= kDirectBytes;
  if (is_direct || buffer_.size() + bytes.size() > kBufferBytes) flush();
  if (is_direct) {
    write_through(bytes);
  } else {
    buffer_ += bytes;
  }
}

void AtomicFile::flush() {
  write_through(buffer_);
  buffer_.clear();
}

void AtomicFile::write_through(std::string_view bytes) {
  if (stamp_ == Stamp::whole) checksum_.add(bytes);
  bytes_ += std::ssize(bytes);
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_on_file(path_, "cannot be written", errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  if (bytes_ - sent_ >= kSentBytes) send();
}

void AtomicFile::send() {
#ifdef __linux__
  (void)::sync_file_range(descriptor_, sent_, bytes_ - sent_, SYNC_FILE_RANGE_WRITE);
#endif
  sent_ = bytes_;
}

FileStamp AtomicFile::commit() {
  flush();
  if (::fsync(descriptor_) != 0) fail_on_file(path_, "cannot be made durable", errno);
  const int closed = ::close(descriptor_);
  descriptor_ = -1;
  if (closed != 0) fail_on_file(path_, "cannot be closed", errno);
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) {
    fail_on_file(path_, "cannot be put in place", errno);
  }
  temporary_.clear();
  make_names_durable(folder_of(target_));
  return {bytes_, checksum_.value()};
}

bool is_left_over(const std::filesystem::path& path) {
  // ".name.pid-count", as temporary_name() makes them.
  const std::string name = path.filename().string();
  const std::size_t dot = name.rfind('.');
  if (!name.starts_with('.') || dot == std::string::npos || dot < 2) return false;
  const std::string tail = name.substr(dot + 1);
  const std::size_t dash = tail.find('-');
  return dash != std::string::npos && dash > 0 && dash + 1 < tail.size() &&
         tail.find_first_not_of("0123456789-") == std::string::npos && tail.rfind('-') == dash;
}

void make_folders(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return;
  if (path.has_parent_path() && path.parent_path() != path) make_folders(path.parent_path());
  if (::mkdir(path.c_str(), 0777) != 0 && errno != EEXIST) {
    fail_on_file(path, "cannot be made", errno);
  }
  if (!std::filesystem::is_directory(path, ignored)) {
    throw InputError({.file = path.string()}, "is not a folder", "choose another name");
  }
  make_names_durable(folder_of(path));
}

void fail_on_file(const std::filesystem::path& path, const std::string& action, int error_number) {
  throw SystemError({.file = path.string()}, fmt::format("{}: {}", action, reason(error_number)),
                    advice_for(error_number));
}

FileStamp write_file(const std::filesystem::path& path, std::string_view bytes) {
  AtomicFile file(path);
  file.write(bytes);
  return file.commit();
}

}  // namespace spindrift
