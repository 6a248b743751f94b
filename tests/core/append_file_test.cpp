#include "spindrift/core/append_file.hpp"

#include <gtest/gtest.h>

#include "spindrift/core/error.hpp"
#include "spindrift/core/file.hpp"

#include "support/temporary_folder.hpp"

namespace spindrift {
namespace {

std::string contents(const std::filesystem::path& path) {
  return std::string(read_file(path).view());
}

TEST(AppendFile, GrowsAndIsCutBack) {
  const test::TemporaryFolder folder;
  std::int64_t length = 0;
  {
    AppendFile file(folder / "f", 0);
    file.append("one\n");
    length = file.length();
    file.append("two\n");
    file.append("half a li");
    EXPECT_EQ(file.length(), 17);
  }
  EXPECT_EQ(length, 4);
  AppendFile file(folder / "f", length);
  EXPECT_EQ(contents(folder / "f"), "one\n");
  file.append("2\n");
  file.make_durable();
  EXPECT_EQ(contents(folder / "f"), "one\n2\n");
}

TEST(AppendFile, AShorterFileIsNotWhatWasWritten) {
  const test::TemporaryFolder folder;
  folder.write("f", "abc");
  try {
    const AppendFile file(folder / "f", 4);
    FAIL() << "took a file that lost a byte";
  } catch (const InputError& error) {
    EXPECT_EQ(error.location().byte, 3);
    EXPECT_EQ(error.problem(), "ends here, but 4 bytes were written");
  }
  EXPECT_EQ(contents(folder / "f"), "abc");
  EXPECT_THROW(AppendFile(folder / "no/such", 0), SystemError);
}

TEST(AppendFile, ADeviceIsRefused) { EXPECT_THROW(AppendFile("/dev/full", 0), InputError); }

}  // namespace
}  // namespace spindrift
