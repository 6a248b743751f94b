#include "spindrift/core/log.hpp"

#include <regex>

#include <gtest/gtest.h>

#include "spindrift/core/error.hpp"
#include "spindrift/core/file.hpp"

#include "support/temporary_folder.hpp"

namespace spindrift {
namespace {

// Leaves the log silent for the next test.
class LogTest : public testing::Test {
 protected:
  ~LogTest() override { close_log(); }

  static void log_one_of_each() {
    log_debug("d {}", 1);
    log_info("i {}", 2);
    log_warning("w {}", 3);
    log_error("e {}", 4);
  }
};

TEST_F(LogTest, SilentUntilOpened) {
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  log_one_of_each();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_FALSE(log_wants(LogLevel::error));
  EXPECT_FALSE(log_wants(LogLevel::off));
}

TEST_F(LogTest, TerminalShowsItsLevelAndUpOnStandardError) {
  const auto shown_at = [](LogLevel level) {
    testing::internal::CaptureStderr();
    open_log({.terminal = level, .file = {}});
    log_one_of_each();
    close_log();
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(shown_at(LogLevel::debug), "debug: d 1\ninfo: i 2\nwarning: w 3\nerror: e 4\n");
  EXPECT_EQ(shown_at(LogLevel::info), "info: i 2\nwarning: w 3\nerror: e 4\n");
  EXPECT_EQ(shown_at(LogLevel::warning), "warning: w 3\nerror: e 4\n");
  EXPECT_EQ(shown_at(LogLevel::error), "error: e 4\n");
  EXPECT_EQ(shown_at(LogLevel::off), "");
}

TEST_F(LogTest, TheTerminalsLevelIsKnownWhateverTheFileGets) {
  const test::TemporaryFolder folder;
  EXPECT_FALSE(terminal_shows(LogLevel::error));
  open_log({.terminal = LogLevel::warning, .file = folder / "log.txt"});
  EXPECT_TRUE(log_wants(LogLevel::info));
  EXPECT_FALSE(terminal_shows(LogLevel::info));
  EXPECT_TRUE(terminal_shows(LogLevel::warning));
  EXPECT_FALSE(terminal_shows(LogLevel::off));
  close_log();
  EXPECT_FALSE(terminal_shows(LogLevel::error));
}

TEST_F(LogTest, FileGetsEverythingWithTimesAndIsAppendedTo) {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder / "log.txt";
  for (int run = 0; run < 2; ++run) {
    testing::internal::CaptureStderr();
    open_log({.terminal = LogLevel::error, .file = path});
    log_one_of_each();
    close_log();
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "error: e 4\n");
  }
  const FileBytes bytes = read_file(path);
  const std::string text(bytes.view());
  const std::string time = "[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}[.][0-9]{3} ";
  const std::string once = time + "debug: d 1\n" + time + "info: i 2\n" + time + "warning: w 3\n" +
                           time + "error: e 4\n";
  EXPECT_TRUE(std::regex_match(text, std::regex(once + once))) << text;
}

TEST_F(LogTest, WarningsReachTheFileAtOnce) {
  const test::TemporaryFolder folder;
  open_log({.terminal = LogLevel::off, .file = folder / "log.txt"});
  log_warning("careful");
  const FileBytes bytes = read_file(folder / "log.txt");
  EXPECT_NE(bytes.view().find("warning: careful\n"), std::string_view::npos);
}

TEST_F(LogTest, BracesInALineAreText) {
  testing::internal::CaptureStderr();
  open_log({.terminal = LogLevel::info, .file = {}});
  log_line(LogLevel::info, "shape = { box = {} }");
  log_info("{}", "{0} %v");
  close_log();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "info: shape = { box = {} }\ninfo: {0} %v\n");
}

TEST_F(LogTest, OffIsNoLevelToLogAt) {
  testing::internal::CaptureStderr();
  open_log({.terminal = LogLevel::debug, .file = {}});
  log_line(LogLevel::off, "nobody should see this");
  close_log();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(LogTest, AFileThatCannotBeOpenedIsAnErrorAndKeepsTheOldLog) {
  const test::TemporaryFolder folder;
  open_log({.terminal = LogLevel::error, .file = {}});
  try {
    open_log({.terminal = LogLevel::debug, .file = folder.path()});
    FAIL() << "opened a folder as a log";
  } catch (const SystemError& error) {
    EXPECT_EQ(error.location().file, folder.path().string());
    EXPECT_EQ(error.problem().find("the log cannot be opened: "), 0u);
  }
  EXPECT_TRUE(log_wants(LogLevel::error));
  EXPECT_FALSE(log_wants(LogLevel::warning));
}

TEST_F(LogTest, AFileThatCannotBeWrittenIsAnErrorAtTheEnd) {
  testing::internal::CaptureStderr();
  open_log({.terminal = LogLevel::off, .file = "/dev/full"});
  log_info("buffered");
  log_error("written at once");
  std::string said;
  try {
    close_log();
  } catch (const SystemError& error) {
    said = error.what();
  }
  EXPECT_EQ(said.find("/dev/full: the log cannot be written: "), 0u) << said;
  EXPECT_NE(said.find("No space left on device"), std::string::npos) << said;
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_NO_THROW(close_log()) << "told once";
}

TEST_F(LogTest, AnotherFileGetsEveryLineAtOnce) {
  const test::TemporaryFolder folder;
  testing::internal::CaptureStderr();
  open_log({.terminal = LogLevel::warning, .file = folder / "first"});
  log_info("before");
  add_log_file(folder / "second");
  log_debug("after");
  const std::string second(read_file(folder / "second").view());
  EXPECT_NE(second.find(" debug: after\n"), std::string::npos) << second;
  EXPECT_EQ(second.find("before"), std::string::npos) << second;
  EXPECT_FALSE(terminal_shows(LogLevel::info));
  close_log();
  const std::string first(read_file(folder / "first").view());
  EXPECT_NE(first.find("before"), std::string::npos) << first;
  EXPECT_NE(first.find("after"), std::string::npos) << first;
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_THROW(add_log_file(folder.path()), SystemError);
}

}  // namespace
}  // namespace spindrift
