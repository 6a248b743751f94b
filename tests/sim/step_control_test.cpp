#include "spindrift/sim/step_control.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace spindrift {
namespace {

constexpr StepLimits kLimits{.cell = 0.02, .cfl = 4, .max_step = 0.5, .gravity = 9.81};

TEST(StepControl, LiquidCrossesNoMoreCellsThanAllowed) {
  for (const double speed : {0.0, 1e-9, 0.3, 2.0, 50.0}) {
    const double dt = longest_step(kLimits, speed, 0);
    EXPECT_LE((speed + kLimits.gravity * dt) * dt, 4 * 0.02 * (1 + 1e-12)) << speed;
    EXPECT_LE(dt, 0.7 * std::sqrt(0.02 / 9.81));
  }
  // Fast: the gravity of the step hardly counts.
  EXPECT_NEAR(longest_step(kLimits, 50, 0), 4 * 0.02 / 50, 1e-6);
}

TEST(StepControl, ObstaclesCountToo) { EXPECT_NEAR(longest_step(kLimits, 0, 16), 0.005, 1e-12); }

TEST(StepControl, WithoutGravityOnlySpeedsLimit) {
  StepLimits limits = kLimits;
  limits.gravity = 0;
  EXPECT_EQ(longest_step(limits, 0, 0), 0.5);
  EXPECT_NEAR(longest_step(limits, 1, 0), 0.08, 1e-12);
}

TEST(StepControl, StepsToAFrameAreEqualAndEndThere) {
  EXPECT_DOUBLE_EQ(step_towards(1, 1.5, 0.2), 0.5 / 3);
  EXPECT_DOUBLE_EQ(step_towards(1, 1.5, 0.5), 0.5);
  EXPECT_DOUBLE_EQ(step_towards(1, 1.5, 9), 0.5);
  // Longer by rounding alone.
  EXPECT_DOUBLE_EQ(step_towards(0, 0.3, 0.1), 0.3 / 3);
}

}  // namespace
}  // namespace spindrift
