// A file that grows line by line, and is cut back to what is known to be whole when work goes on.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "spindrift/core/descriptor.hpp"

namespace spindrift {

class AppendFile {
 public:
  // Makes the file if it is missing, and cuts off what is beyond `length` bytes. Throws InputError
  // if it is shorter or no regular file, SystemError if the machine fails.
  AppendFile(std::filesystem::path path, std::int64_t length);

  // At the end. What a failure or a kill leaves half written is beyond length().
  void append(std::string_view bytes);

  // Survives a power cut from here on.
  void make_durable();

  [[nodiscard]] std::int64_t length() const { return length_; }

 private:
  std::filesystem::path path_;
  Descriptor file_;
  std::int64_t length_ = 0;
  bool has_durable_name_ = false;
};

}  // namespace spindrift
