// spindrift view as a process: what it says, and how it ends.
#include <gtest/gtest.h>

#include "app/run_command.hpp"

namespace spindrift {
namespace {

TEST(ViewCommand, WhatIsNoCacheIsAnError) {
  const test::TemporaryFolder folder;
  const test::CommandResult result = test::run_command(folder.path(), {"view", "missing.cache"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  const bool has_page = result.err.find("without its page") == std::string::npos;
  EXPECT_NE(result.err.find(has_page ? "there is no such folder" : "scripts/build-viewer"),
            std::string::npos)
      << result.err;
}

TEST(ViewCommand, APortOutOfRangeIsAnError) {
  const test::TemporaryFolder folder;
  for (const char* port : {"-1", "65536", "http", ""}) {
    EXPECT_EQ(test::run_command(folder.path(), {"view", "a.cache", "--port", port}).exit_code, 2)
        << port;
  }
}

// The signal comes when the address is there: it is written at once, also into a file. A shell that
// is not interactive lets what it starts in the background ignore SIGINT, unless it has job
// control.
constexpr const char* kInterruptWhenShown = R"(set -m
exec 3>&2 2>/dev/null  # what the shell says of its jobs
"$0" view box.cache --port 0 --json > shown 2>&3 & view=$!
while [ ! -s shown ] && kill -0 $view; do sleep 0.1; done
kill -INT $view; wait $view; code=$?
cat shown; exit $code)";

TEST(ViewCommand, CtrlCEndsItCleanly) {
  const test::TemporaryFolder folder;
  folder.write("box.toml",
               "format = 1\nname = \"box\"\n[time]\nframes = 1\n[domain]\nmin = [0, 0, 0]\n"
               "max = [2, 1, 1]\n[resolution]\ncells = 8\n");
  ASSERT_EQ(test::run_program(SPINDRIFT_FAKE_COMMAND, folder.path(), {"run", "box.toml"}).exit_code,
            0);
  const test::CommandResult result =
      test::run_program("bash", folder.path(), {"-c", kInterruptWhenShown, SPINDRIFT_COMMAND});
  if (result.err.find("without its page") != std::string::npos) GTEST_SKIP() << result.err;
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find(R"({"kind":"view","url":"http://127.0.0.1:)"), std::string::npos);
  EXPECT_EQ(result.err, "");
}

}  // namespace
}  // namespace spindrift
