#include "spindrift/cache/folder_lock.hpp"

#include <cerrno>

#include <fcntl.h>
#include <sys/file.h>

#include "spindrift/core/error.hpp"
#include "spindrift/core/file.hpp"

namespace spindrift {

FolderLock::FolderLock(const std::filesystem::path& folder)
    : folder_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (folder_.get() < 0) fail_on_file(folder, "cannot be opened", errno);
  if (::flock(folder_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    throw InputError({.file = folder.string()}, "another run is writing to it",
                     "wait for that one, or name another folder with --out");
  }
}

}  // namespace spindrift
