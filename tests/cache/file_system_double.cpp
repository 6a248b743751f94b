#include "cache/file_system_double.hpp"

#include <cerrno>
#include <cstdio>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace spindrift::test {

FileSystemDouble g_file_system;

namespace {

bool g_is_looking = false;

template <class Call>
auto quietly(const Call& call) {
  g_is_looking = true;
  struct Reset {
    ~Reset() { g_is_looking = false; }
  } const reset;
  return call();
}

void look() {
  if (g_file_system.look && !g_is_looking) quietly(g_file_system.look);
}

// -1 with an errno if the test says so.
template <class Change>
auto change(const Change& system) -> decltype(system()) {
  look();
  const int failure = g_file_system.failure && !g_is_looking ? quietly(g_file_system.failure) : 0;
  if (failure != 0) {
    errno = failure;
    return -1;
  }
  const auto result = system();
  look();
  return result;
}

}  // namespace
}  // namespace spindrift::test

using spindrift::test::change;

extern "C" int rename(const char* from, const char* to) noexcept {
  return change([&] { return ::renameat(AT_FDCWD, from, AT_FDCWD, to); });
}
extern "C" int mkdir(const char* path, mode_t mode) noexcept {
  return change([&] { return ::mkdirat(AT_FDCWD, path, mode); });
}
extern "C" int ftruncate(int file, off_t length) noexcept {
  return change([&] { return static_cast<int>(::syscall(SYS_ftruncate, file, length)); });
}
// A write that fails has written half of the bytes, as on a disk that becomes full.
extern "C" ssize_t write(int file, const void* bytes, size_t count) {
  const auto system = [&](size_t part) { return ::syscall(SYS_write, file, bytes, part); };
  if (file == STDOUT_FILENO || file == STDERR_FILENO) return system(count);
  const ssize_t written = change([&] { return static_cast<ssize_t>(system(count)); });
  if (written >= 0) return written;
  const int failure = errno;
  (void)system(count / 2);
  errno = failure;
  return -1;
}
// Bytes are in the file before; what a power cut would leave is the test's business.
extern "C" int fsync(int file) {
  return change([&] {
    using namespace spindrift::test;
    if (g_file_system.synced && !g_is_looking) {
      quietly([&] {
        g_file_system.synced(file);
        return 0;
      });
    }
    return 0;
  });
}
