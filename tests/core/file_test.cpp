#include "spindrift/core/file.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "spindrift/core/error.hpp"

#include "support/temporary_folder.hpp"

namespace spindrift {
namespace {

namespace fs = std::filesystem;

std::string contents(const fs::path& path) { return std::string(read_file(path).view()); }

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  return names;
}

// The text of the error that `action` throws, "" if none.
template <class ErrorType, class Action>
std::string error_of(const Action& action) {
  try {
    action();
  } catch (const ErrorType& error) {
    return error.what();
  }
  return {};
}

TEST(ReadFile, ReadsBackWhatWasWritten) {
  const test::TemporaryFolder folder;
  std::string all_bytes;
  for (int i = 0; i < 256; ++i) all_bytes += static_cast<char>(i);
  for (const std::string& text : {std::string(), std::string("x"), all_bytes}) {
    write_file(folder / "file", text);
    EXPECT_EQ(contents(folder / "file"), text);
  }
}

TEST(ReadFile, MissingFileFolderAndDeviceAreBadInput) {
  const test::TemporaryFolder folder;
  const std::string missing = (folder / "missing.obj").string();
  EXPECT_EQ(error_of<InputError>([&] { (void)read_file(missing); }),
            missing + ": cannot be opened: No such file or directory; check the path");
  EXPECT_EQ(error_of<InputError>([&] { (void)read_file(folder.path()); }),
            folder.path().string() + ": is a folder; name a file");
  EXPECT_EQ(error_of<InputError>([] { (void)read_file("/dev/zero"); }),
            "/dev/zero: is not a regular file; name a file");
  EXPECT_NE(error_of<InputError>([] { (void)read_file(""); }), "");
}

TEST(ReadFile, PipeWithoutWriterDoesNotBlock) {
  const test::TemporaryFolder folder;
  const fs::path pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(error_of<InputError>([&] { (void)read_file(pipe); }),
            pipe.string() + ": is not a regular file; name a file");
}

TEST(ReadFile, FileLargerThanMemoryIsASystemError) {
  const test::TemporaryFolder folder;
  const fs::path path = folder / "huge";
  write_file(path, "");
  // Sparse: takes no room on the disk, but 4 EB in memory.
  if (::truncate(path.c_str(), off_t{1} << 62) != 0 &&
      ::truncate(path.c_str(), off_t{1} << 43) != 0) {
    GTEST_SKIP() << "no large sparse files here";
  }
#ifdef SPINDRIFT_SANITIZED
  GTEST_SKIP() << "sanitizers abort on allocations of this size";
#endif
  // Without a limit Linux may promise the memory and only fail when it is used.
  const rlimit limited{.rlim_cur = rlim_t{4} << 30, .rlim_max = RLIM_INFINITY};
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_AS, &before), 0);
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &limited), 0);
  const std::string text = error_of<SystemError>([&] { (void)read_file(path); });
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &before), 0);
  EXPECT_NE(text.find("TB of memory; "), std::string::npos) << text;
}

TEST(AtomicFile, NothingIsThereBeforeCommitOrWithoutIt) {
  const test::TemporaryFolder folder;
  write_file(folder / "kept", "old");
  {
    AtomicFile fresh(folder / "fresh");
    AtomicFile kept(folder / "kept");
    fresh.write("new");
    kept.write(std::string(3 << 20, 'x'));  // more than is buffered: reaches the disk
    EXPECT_FALSE(fs::exists(folder / "fresh"));
    EXPECT_EQ(contents(folder / "kept"), "old");
  }
  EXPECT_EQ(names_in(folder.path()), std::vector<std::string>{"kept"});
  EXPECT_EQ(contents(folder / "kept"), "old");
}

TEST(AtomicFile, CommitReplacesAndLeavesNothingElse) {
  const test::TemporaryFolder folder;
  write_file(folder / "file", "old and longer");
  write_file(folder / "file", "new");
  EXPECT_EQ(contents(folder / "file"), "new");
  EXPECT_EQ(names_in(folder.path()), std::vector<std::string>{"file"});
}

TEST(AtomicFile, PiecesOfAllSizesArriveInOrder) {
  const test::TemporaryFolder folder;
  std::string expected;
  AtomicFile file(folder / "file");
  const std::size_t mebibyte = std::size_t{1} << 20;
  for (std::size_t size :
       {std::size_t{1}, mebibyte - 1, std::size_t{1}, mebibyte, mebibyte + 1, std::size_t{0},
        std::size_t{7}, mebibyte / 16 - 1, mebibyte / 16, 20 * mebibyte, std::size_t{3}}) {
    const std::string piece(size, static_cast<char>('a' + expected.size() % 26));
    expected += piece;
    file.write(piece);
  }
  const FileStamp stamp = file.commit();
  EXPECT_TRUE(contents(folder / "file") == expected);
  EXPECT_EQ(stamp.bytes, std::ssize(expected));
  EXPECT_EQ(stamp.checksum, checksum_of(expected));
}

TEST(AtomicFile, IsTheSameWithoutAStamp) {
  const test::TemporaryFolder folder;
  AtomicFile file(folder / "file", AtomicFile::Stamp::none);
  file.write("bytes");
  EXPECT_EQ(file.commit().bytes, 5);
  EXPECT_EQ(contents(folder / "file"), "bytes");
}

TEST(AtomicFile, WorksInTheCurrentFolder) {
  const test::TemporaryFolder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  write_file("bare_name", "text");
  fs::current_path(before);
  EXPECT_EQ(contents(folder / "bare_name"), "text");
}

TEST(AtomicFile, TwoWritersOfOneNameDoNotMix) {
  const test::TemporaryFolder folder;
  AtomicFile first(folder / "file");
  AtomicFile second(folder / "file");
  first.write("first");
  second.write("second");
  second.commit();
  first.commit();
  EXPECT_EQ(contents(folder / "file"), "first");
  EXPECT_EQ(names_in(folder.path()), std::vector<std::string>{"file"});
}

TEST(AtomicFile, GetsThePermissionsOfAnyNewFile) {
  const test::TemporaryFolder folder;
  for (const mode_t mask : {0022, 0077, 0002}) {
    const mode_t before = ::umask(mask);
    write_file(folder / "file", "text");
    ::umask(before);
    struct stat status {};
    ASSERT_EQ(::stat((folder / "file").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777u, 0666u & ~mask);
  }
}

TEST(AtomicFile, LinksStayAndTheirTargetsChange) {
  const test::TemporaryFolder folder;
  fs::create_directory(folder / "elsewhere");
  write_file(folder / "elsewhere/target", "old");
  fs::create_symlink("elsewhere/target", folder / "link");
  write_file(folder / "link", "new");
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(contents(folder / "elsewhere/target"), "new");
}

TEST(AtomicFile, DanglingLinksGetTheirTarget) {
  const test::TemporaryFolder folder;
  fs::create_directory(folder / "elsewhere");
  fs::create_symlink("elsewhere/second", folder / "link");
  fs::create_symlink(folder / "elsewhere/target", folder / "elsewhere/second");
  write_file(folder / "link", "new");
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_TRUE(fs::is_symlink(folder / "elsewhere/second"));
  EXPECT_FALSE(fs::is_symlink(folder / "elsewhere/target"));
  EXPECT_EQ(contents(folder / "elsewhere/target"), "new");

  const std::string lost = (folder / "lost").string();
  fs::create_symlink("no/such/folder/target", lost);
  EXPECT_EQ(error_of<SystemError>([&] { AtomicFile file(lost); }),
            lost + ": cannot be created: No such file or directory; create the folder first");
}

TEST(AtomicFile, LinksInACircleAreRefusedAndStay) {
  const test::TemporaryFolder folder;
  fs::create_symlink("b", folder / "a");
  fs::create_symlink("a", folder / "b");
  const std::string path = (folder / "a").string();
  EXPECT_EQ(error_of<InputError>([&] { write_file(path, "text"); }),
            path + ": is a link that leads back to itself; delete it, or name a file");
  EXPECT_TRUE(fs::is_symlink(folder / "a"));
}

TEST(AtomicFile, FoldersAndDevicesAreNotReplaced) {
  const test::TemporaryFolder folder;
  EXPECT_EQ(error_of<InputError>([&] { AtomicFile file(folder.path()); }),
            folder.path().string() + ": is a folder; name a file in it");
  EXPECT_EQ(error_of<InputError>([&] { AtomicFile file(folder / ""); }),
            (folder / "").string() + ": is not a file name; name a file");
  EXPECT_EQ(error_of<InputError>([] { AtomicFile file("/dev/null"); }),
            "/dev/null: is not a regular file; name a file");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST(AtomicFile, MissingFolderSaysSo) {
  const test::TemporaryFolder folder;
  const std::string path = (folder / "no/such/file").string();
  EXPECT_EQ(error_of<SystemError>([&] { AtomicFile file(path); }),
            path + ": cannot be created: No such file or directory; create the folder first");
}

TEST(AtomicFile, FolderWithoutPermissionSaysSo) {
  const test::TemporaryFolder folder;
  fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec |
                                     fs::perms::others_read | fs::perms::others_exec);
  // Root may write anywhere, so it steps down for a moment.
  const bool is_root = ::geteuid() == 0;
  if (is_root && ::seteuid(65534) != 0) GTEST_SKIP() << "cannot become an ordinary user";
  const std::string path = (folder / "file").string();
  const std::string text = error_of<SystemError>([&] { AtomicFile file(path); });
  if (is_root) {
    ASSERT_EQ(::seteuid(0), 0);
  }
  fs::permissions(folder.path(), fs::perms::owner_all);
  EXPECT_EQ(text,
            path + ": cannot be created: Permission denied; choose a place that you may write to");
}

// A limit on the size of files fails a write half-way on any machine, as a full disk does.
TEST(AtomicFile, FailedWriteKeepsTheOldFileAndLeavesNothing) {
  const test::TemporaryFolder folder;
  write_file(folder / "file", "old");
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{.rlim_cur = 100'000, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string text =
      error_of<SystemError>([&] { write_file(folder / "file", std::string(200'000, 'x')); });
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, SIG_DFL);
  EXPECT_EQ(text, (folder / "file").string() + ": cannot be written: File too large");
  EXPECT_EQ(contents(folder / "file"), "old");
  EXPECT_EQ(names_in(folder.path()), std::vector<std::string>{"file"});
}

TEST(AtomicFile, FullDiskKeepsTheOldFileAndSaysWhatToDo) {
  const test::TemporaryFolder folder;
  if (::mount("tmpfs", folder.path().c_str(), "tmpfs", 0, "size=128k") != 0) {
    GTEST_SKIP() << "a small disk cannot be mounted: " << std::strerror(errno);
  }
  write_file(folder / "file", "old");
  const std::string text =
      error_of<SystemError>([&] { write_file(folder / "file", std::string(1'000'000, 'x')); });
  const std::string kept = contents(folder / "file");
  const std::vector<std::string> names = names_in(folder.path());
  ::umount(folder.path().c_str());
  EXPECT_EQ(text, (folder / "file").string() +
                      ": cannot be written: No space left on device; free some space on that disk, "
                      "then try again");
  EXPECT_EQ(kept, "old");
  EXPECT_EQ(names, std::vector<std::string>{"file"});
}

TEST(AtomicFile, WhatAKilledProcessLeavesIsKnownByItsName) {
  const test::TemporaryFolder folder;
  const AtomicFile file(folder / "surface.ply");
  const std::vector<std::string> names = names_in(folder.path());
  ASSERT_EQ(names.size(), 1u);
  EXPECT_TRUE(is_left_over(folder / names[0])) << names[0];
  for (const char* name : {"surface.ply", ".bashrc", ".a.12", ".a.1-x", ".a.-1", ".a.1-",
                           ".a.1-2-3", "a.1-2", ".1-2"}) {
    EXPECT_FALSE(is_left_over(folder / name)) << name;
  }
}

TEST(MakeFolders, MakesWhatIsMissing) {
  const test::TemporaryFolder folder;
  make_folders(folder / "a/b/c");
  make_folders(folder / "a/b/c");
  EXPECT_TRUE(fs::is_directory(folder / "a/b/c"));
  write_file(folder / "a/file", "x");
  EXPECT_EQ(error_of<InputError>([&] { make_folders(folder / "a/file"); }),
            (folder / "a/file").string() + ": is not a folder; choose another name");
}

}  // namespace
}  // namespace spindrift
