// Stands in for the functions of the system that change what is in a folder, so that a test can
// look at it around every change, let a change fail, and know what would survive a power cut.
#pragma once

#include <functional>

namespace spindrift::test {

struct FileSystemDouble {
  std::function<void()> look;    // called before and after every change
  std::function<int()> failure;  // asked before every change; not 0: the errno it fails with
  std::function<void(int file)> synced;  // called when a file or folder is made durable

  void reset() { *this = {}; }
};

// Of this process. What a test itself changes while it looks does not count.
extern FileSystemDouble g_file_system;

}  // namespace spindrift::test
