#include "spindrift/sim/obstacle_cut.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "support/flows.hpp"

namespace spindrift {
namespace {

// A block of 0.5 m that goes down at 1 m/s, in a box of 2 m.
Solids falling_block() {
  Domain domain;
  domain.box = Box3(Vec3::Constant(-1), Vec3::Constant(1));
  domain.is_wall.fill(true);
  Obstacle block;
  block.shape = make_box(Vec3(-0.25, -0.25, 0), Vec3(0.25, 0.25, 0.5));
  block.motion = Motion::keyframes({{.t = 0}, {.t = 1, .translation = Vec3(0, 0, -1)}});
  return {domain, {block}};
}

double cut(const Vec3& velocity, double dt) {
  const Solids solids = falling_block();
  const ShapePtr pool = make_halfspace(Vec3(0, 0, 0.013), Vec3(0, 0, 1));
  return cut_by_obstacles({*pool, test::uniform_flow(velocity), dt}, solids.at(0), solids.at(dt),
                          solids.moving_box(0, dt), solids.max_speed(0, dt), {Vec3::Zero(), 0.025});
}

TEST(ObstacleCut, IsWhatTheyCoverOfLiquidThatStays) {
  // 0.013 m of the pool are in the block at the start, and 0.1 m more in the end.
  EXPECT_NEAR(cut(Vec3::Zero(), 0.1), 0.5 * 0.5 * 0.1, 0.02 * 0.025);
}

TEST(ObstacleCut, IsNothingOfLiquidThatMovesWithThem) {
  EXPECT_NEAR(cut(Vec3(0, 0, -1), 0.1), 0, 1e-9);
}

TEST(ObstacleCut, IsNothingWhereThereIsNone) {
  Domain domain;
  domain.box = Box3(Vec3::Constant(-1), Vec3::Constant(1));
  const Solids none(domain, {});
  EXPECT_TRUE(none.moving_box(0, 1).isEmpty());
}

}  // namespace
}  // namespace spindrift
