#include "spindrift/core/background_queue.hpp"

#include <atomic>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

namespace spindrift {
namespace {

TEST(BackgroundQueue, DoesTasksInOrder) {
  std::vector<int> done;
  BackgroundQueue queue(3);
  for (int i = 0; i < 100; ++i) queue.add([&done, i] { done.push_back(i); });
  queue.finish();
  ASSERT_EQ(done.size(), 100u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(done[static_cast<std::size_t>(i)], i);
}

TEST(BackgroundQueue, TheCallerGoesOnUntilTooManyWait) {
  std::atomic<bool> may_go = false;
  std::atomic<int> done = 0;
  BackgroundQueue queue(1);
  const auto task = [&] {
    while (!may_go) ::usleep(1000);
    ++done;
  };
  queue.add(task);  // at work
  queue.add(task);  // waits
  EXPECT_EQ(done, 0);
  may_go = true;
  queue.add(task);
  // Two were unfinished: one of them had to be done first.
  EXPECT_GE(done, 1);
  queue.finish();
  EXPECT_EQ(done, 3);
}

TEST(BackgroundQueue, AFailureIsThrownAndEndsTheWork) {
  std::atomic<int> done = 0;
  BackgroundQueue queue(5);
  queue.add([&] { ++done; });
  queue.add([] { throw std::runtime_error("disk full"); });
  EXPECT_THROW(queue.finish(), std::runtime_error);
  EXPECT_TRUE(queue.has_failed());
  EXPECT_THROW(queue.add([&] { ++done; }), std::runtime_error);
  EXPECT_THROW(queue.finish(), std::runtime_error);
  EXPECT_EQ(done, 1);
}

TEST(BackgroundQueue, TheEndWaitsForTheTasks) {
  std::atomic<int> done = 0;
  {
    BackgroundQueue queue(10);
    for (int i = 0; i < 5; ++i) {
      queue.add([&] {
        ::usleep(2000);
        ++done;
      });
    }
  }
  EXPECT_EQ(done, 5);
}

}  // namespace
}  // namespace spindrift
