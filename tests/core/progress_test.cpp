#include "spindrift/core/progress.hpp"

#include <cmath>
#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace spindrift {
namespace {

// A clock that the test turns, and what was written so far.
class ProgressTest : public testing::Test {
 protected:
  Progress make(double total, ProgressStyle style) {
    return Progress(
        total, {.style = style, .width = 10}, [this](std::string_view text) { written_ += text; },
        [this] { return now_; });
  }
  std::string take() { return std::exchange(written_, {}); }

  double now_ = 1000;
  std::string written_;
};

TEST(ProgressStyle, JsonIsSilentTerminalsGetABar) {
  EXPECT_EQ(progress_style(true, true), ProgressStyle::silent);
  EXPECT_EQ(progress_style(true, false), ProgressStyle::silent);
  EXPECT_EQ(progress_style(false, true), ProgressStyle::bar);
  EXPECT_EQ(progress_style(false, false), ProgressStyle::lines);
}

TEST_F(ProgressTest, BarIsRedrawnInPlace) {
  Progress progress = make(20, ProgressStyle::bar);
  now_ += 1;
  progress.update(5, "frame 5");
  EXPECT_EQ(take(), "\r[##........]  25 %, 3.0 s left, frame 5");
  now_ += 1;
  progress.update(10);
  EXPECT_EQ(take(), "\r[#####.....]  50 %, 2.0 s left         ");  // blanks wipe the old note
  now_ += 2;
  progress.update(20);
  EXPECT_EQ(take(), "\r[##########] 100 %, took 4.0 s");
  progress.finish();
  EXPECT_EQ(take(), "\r[##########] 100 %, took 4.0 s\n");
}

TEST_F(ProgressTest, BarIsNotRedrawnFasterThanItsInterval) {
  Progress progress = make(100, ProgressStyle::bar);
  now_ += 1;
  progress.update(1);
  EXPECT_NE(take(), "");
  now_ += 0.05;
  progress.update(2);
  EXPECT_EQ(take(), "");
  now_ += 0.06;
  progress.update(3);
  EXPECT_NE(take(), "");
}

TEST_F(ProgressTest, LinesComeNowAndThenAndTheEndOnce) {
  Progress progress = make(100, ProgressStyle::lines);
  now_ += 29;
  progress.update(10);
  EXPECT_EQ(take(), "");
  now_ += 1;
  progress.update(10, "frame 10");
  EXPECT_EQ(take(), " 10 %, 4 min 21 s left, frame 10\n");
  now_ += 30;
  progress.update(100);
  EXPECT_EQ(take(), "100 %, took 1 min 00 s\n");
  progress.finish();
  EXPECT_EQ(take(), "");
}

TEST_F(ProgressTest, ShortJobInLinesStyleSaysOnlyItsEnd) {
  Progress progress = make(3, ProgressStyle::lines);
  now_ += 2;
  progress.update(3);
  EXPECT_EQ(take(), "");
  progress.finish();
  EXPECT_EQ(take(), "100 %, took 2.0 s\n");
}

TEST_F(ProgressTest, SilentWritesNothing) {
  Progress progress = make(10, ProgressStyle::silent);
  for (int i = 1; i <= 10; ++i) {
    now_ += 60;
    progress.update(i);
  }
  progress.finish();
  EXPECT_EQ(written_, "");
}

TEST_F(ProgressTest, NothingComesAfterFinish) {
  for (ProgressStyle style : {ProgressStyle::bar, ProgressStyle::lines}) {
    {
      Progress progress = make(10, style);
      now_ += 60;
      progress.update(5);
      progress.finish();
      EXPECT_EQ(written_.back(), '\n');
      take();
      now_ += 60;
      progress.update(10);
      progress.finish();
      EXPECT_EQ(written_, "");
    }
    EXPECT_EQ(written_, "");  // nor from the destructor
  }
}

TEST_F(ProgressTest, DestructorEndsTheLine) {
  {
    Progress progress = make(10, ProgressStyle::bar);
    now_ += 1;
    progress.update(5);
  }
  EXPECT_EQ(written_.back(), '\n');
}

TEST_F(ProgressTest, WorkDoneWithinOneTickOfTheClockCounts) {
  Progress progress = make(10, ProgressStyle::lines);
  progress.update(10);
  progress.finish();
  EXPECT_EQ(written_, "100 %, took 0.0 s\n");
}

TEST_F(ProgressTest, TimeLeftIsUnknownAtFirst) {
  Progress progress = make(10, ProgressStyle::bar);
  EXPECT_LT(progress.seconds_left(), 0);
  progress.update(0, "reading");
  EXPECT_EQ(take(), "\r[..........]   0 %, reading");
}

TEST_F(ProgressTest, TimeLeftIsExactForSteadyWork) {
  Progress progress = make(1000, ProgressStyle::silent);
  for (int i = 1; i <= 1000; ++i) {
    now_ += 0.5;
    progress.update(i);
    ASSERT_NEAR(progress.seconds_left(), 0.5 * (1000 - i), 1e-6 * (1000 - i) + 1e-9) << i;
  }
}

// Work that becomes ten times slower half-way: after three memory lengths (60 s) the estimate is
// within 6 % (e^-3) of the new rate, where the plain mean would still be off by half.
TEST_F(ProgressTest, TimeLeftFollowsAChangeOfSpeed) {
  Progress progress = make(1000, ProgressStyle::silent);
  for (int i = 1; i <= 500; ++i) {
    now_ += 0.1;
    progress.update(i);
  }
  int done = 500;
  for (int i = 1; i <= 60; ++i) {
    now_ += 1;
    progress.update(++done);
  }
  const double true_left = 1.0 * (1000 - done);
  // The rate, not its inverse, is smoothed: 1/s + e^-3 (10/s - 1/s).
  const double expected = true_left / (1 + 9 * std::exp(-3.0));
  EXPECT_NEAR(progress.seconds_left(), expected, 1e-6 * expected);
}

TEST_F(ProgressTest, NothingToDoIsDone) {
  Progress progress = make(0, ProgressStyle::lines);
  progress.finish();
  EXPECT_EQ(written_, "100 %, took 0.0 s\n");
}

}  // namespace
}  // namespace spindrift
