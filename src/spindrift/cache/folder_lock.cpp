#include "spindrift/cache/folder_lock.hpp"

#include <cerrno>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "spindrift/core/error.hpp"
#include "spindrift/core/file.hpp"

namespace spindrift {

FolderLock::FolderLock(const std::filesystem::path& folder)
    : path_(folder), folder_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (folder_.get() < 0) fail_on_file(folder, "cannot be opened", errno);
  if (::flock(folder_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    throw InputError({.file = folder.string()}, "another run is writing to it",
                     "wait for that one, or name another folder with --out");
  }
}

void FolderLock::expect_in_place() const {
  struct stat held {
  }, named{};
  if (::fstat(folder_.get(), &held) != 0) fail_on_file(path_, "cannot be examined", errno);
  if (::stat(path_.c_str(), &named) != 0) fail_gone();
  if (held.st_dev == named.st_dev && held.st_ino == named.st_ino) return;
  throw SystemError({.file = path_.string()},
                    "was replaced by another folder while a run was writing to it");
}

void FolderLock::fail_gone() const {
  throw SystemError({.file = path_.string()}, "was deleted or moved while a run was writing to it");
}

}  // namespace spindrift
