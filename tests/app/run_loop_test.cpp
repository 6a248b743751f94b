#include "spindrift/app/run_loop.hpp"

#include <atomic>
#include <cerrno>

#include <gtest/gtest.h>

#include "app/fake_simulation.hpp"
#include "cache/file_system_double.hpp"
#include "cache/small_cache.hpp"
#include "support/temporary_folder.hpp"

namespace spindrift {
namespace {

class RunLoopTest : public testing::Test {
 protected:
  ~RunLoopTest() override { test::g_file_system.reset(); }

  // With `disk_` asked before every change of the folder, once the cache is begun.
  app::RunEnd run(const std::string& name, int last_frame, const app::RunHooks& hooks) {
    CacheWriter cache = CacheWriter::create(folder_ / name, scene_, test::params_to(last_frame));
    test::g_file_system.failure = disk_;
    const app::RunEnd end =
        app::run_frames([&] { return std::make_unique<test::FakeSimulation>(scene_); }, cache,
                        scene_, last_frame, hooks);
    test::g_file_system.reset();
    return end;
  }

  test::TemporaryFolder folder_;
  Scene scene_ = test::small_scene();
  std::function<int()> disk_;
};

// Frame 0 is at work, frame 1 waits, and frame 2 is made: all while the disk does nothing.
TEST_F(RunLoopTest, StepsDoNotWaitForADiskThatHangs) {
  std::atomic<bool> does_hang = true;
  std::atomic<bool> was_given_up = false;
  disk_ = [&] {
    constexpr int kMostMilliseconds = 60'000;
    for (int i = 0; does_hang && i < kMostMilliseconds; ++i) ::usleep(1000);
    if (does_hang) was_given_up = true;
    return 0;
  };
  int safe = 0;
  app::RunHooks hooks;
  hooks.wants_stop = [] { return false; };
  hooks.frame_done = [&](const app::Json&) { ++safe; };
  hooks.progress = [&](double frames) {
    if (frames < 3) return;
    EXPECT_TRUE(!does_hang || safe == 0);
    does_hang = false;
  };
  EXPECT_EQ(run("slow", 4, hooks), app::RunEnd::done);
  EXPECT_FALSE(was_given_up) << "a step waited for the disk";
  EXPECT_EQ(safe, 5);
}

// What went wrong while a frame was written ends the run after the step that is at work.
TEST_F(RunLoopTest, ADiskThatFailsEndsTheRunAfterTheStep) {
  std::atomic<bool> has_failed = false;
  disk_ = [&] {
    has_failed = true;
    return ENOSPC;
  };
  int later_steps = 0;
  app::RunHooks hooks;
  hooks.frame_done = [](const app::Json&) { ADD_FAILURE() << "a frame is said to be safe"; };
  hooks.progress = [](double) {};
  hooks.wants_stop = [&] {
    // Give the writer the time to fail, and its queue the time to know.
    for (int i = 0; !has_failed && i < 60'000; ++i) ::usleep(1000);
    ::usleep(20'000);
    ++later_steps;
    return false;
  };
  EXPECT_THROW((void)run("full", 100, hooks), SystemError);
  EXPECT_TRUE(has_failed);
  EXPECT_LE(later_steps, 3);
}

}  // namespace
}  // namespace spindrift
