// Keeps two runs from writing to the same folder.
#pragma once

#include <filesystem>

#include "spindrift/core/descriptor.hpp"

namespace spindrift {

// Held while it lives, and no longer than the process. Where the file system knows no locks, it
// holds nothing.
class FolderLock {
 public:
  // Throws InputError if another one holds the folder.
  explicit FolderLock(const std::filesystem::path& folder);

  // Throws SystemError if the folder is no longer where it was: what is written to its name would
  // go astray.
  void expect_in_place() const;
  [[noreturn]] void fail_gone() const;

 private:
  std::filesystem::path path_;
  Descriptor folder_;
};

}  // namespace spindrift
