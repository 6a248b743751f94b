#include "spindrift/core/append_file.hpp"

#include <cerrno>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include "spindrift/core/error.hpp"
#include "spindrift/core/file.hpp"

namespace spindrift {

AppendFile::AppendFile(std::filesystem::path path, std::int64_t length)
    : path_(std::move(path)),
      // O_NONBLOCK: a pipe of that name must not hold us here; regular files ignore it.
      file_(::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0666)),
      length_(length) {
  if (file_.get() < 0) fail_on_file(path_, "cannot be opened", errno);
  struct stat status {};
  if (::fstat(file_.get(), &status) != 0) fail_on_file(path_, "cannot be examined", errno);
  if (!S_ISREG(status.st_mode)) {
    throw InputError({.file = path_.string()}, "is not a regular file", "move it away");
  }
  if (status.st_size < length) {
    throw InputError({.file = path_.string(), .byte = status.st_size},
                     fmt::format("ends here, but {} bytes were written", length),
                     "restore it from a copy, or start again elsewhere");
  }
  if (status.st_size > length && ::ftruncate(file_.get(), length) != 0) {
    fail_on_file(path_, "cannot be cut off", errno);
  }
}

void AppendFile::append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file_.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_on_file(path_, "cannot be written", errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
    length_ += written;
  }
}

void AppendFile::make_durable() {
  if (::fsync(file_.get()) != 0) fail_on_file(path_, "cannot be made durable", errno);
  if (!has_durable_name_) make_names_durable(path_.has_parent_path() ? path_.parent_path() : ".");
  has_durable_name_ = true;
}

}  // namespace spindrift
