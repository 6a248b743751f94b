#include "spindrift/core/wait.hpp"

#include <gtest/gtest.h>

namespace spindrift {
namespace {

TEST(WaitUntil, LooksUntilItIsSo) {
  int looks = 0;
  EXPECT_TRUE(wait_until([&] { return ++looks == 3; }, 60));
  EXPECT_EQ(looks, 3);
}

TEST(WaitUntil, GivesUp) {
  int looks = 0;
  const auto never = [&] {
    ++looks;
    return false;
  };
  EXPECT_FALSE(wait_until(never, 0));
  EXPECT_EQ(looks, 1);
}

}  // namespace
}  // namespace spindrift
