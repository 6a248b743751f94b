#include "spindrift/bodies/solids.hpp"

#include <gtest/gtest.h>

#include "support/random.hpp"

namespace spindrift {
namespace {

Domain tank() { return {Box3(Vec3::Zero(), Vec3(2, 1, 1)), {true, true, true, true, true, false}}; }

TEST(Solids, WallsAreSolidAndOpenSidesAreNot) {
  const Domain domain = tank();
  EXPECT_DOUBLE_EQ(domain.wall_distance({0.3, 0.5, 0.9}), 0.3);
  EXPECT_DOUBLE_EQ(domain.wall_distance({0.3, 1.25, 0.5}), -0.25);
  EXPECT_DOUBLE_EQ(domain.wall_distance({1, 0.5, 5}), 0.5);
  EXPECT_DOUBLE_EQ(domain.open_distance({1, 0.5, 5}), 4);
  EXPECT_DOUBLE_EQ(domain.open_distance({1, 0.5, 0.75}), -0.25);
}

TEST(Solids, ObstaclesMoveAndHaveTheirVelocity) {
  const Motion motion = Motion::keyframes({{.t = 0}, {.t = 2, .translation = Vec3(1, 0, 0)}});
  const Solids solids(tank(), {{make_sphere({0.5, 0.5, 0.5}, 0.2), motion}});
  EXPECT_TRUE(solids.move());
  const SolidsAt then = solids.at(1);
  EXPECT_NEAR(then.distance({1, 0.5, 0.5}), -0.2, 1e-12);
  EXPECT_NEAR((then.velocity_at({1.1, 0.5, 0.5}) - Vec3(0.5, 0, 0)).norm(), 0, 1e-12);
  EXPECT_EQ(then.velocity_at({0.05, 0.5, 0.5}), Vec3::Zero());
  EXPECT_NEAR(solids.max_speed(0, 1), 0.5, 1e-12);
  EXPECT_EQ(solids.max_speed(3, 4), 0);
}

// A box on the floor that stands flush with two walls, and another one on top of it.
TEST(Solids, NothingIsBetweenThoseThatStandFlush) {
  const Solids solids(tank(), {{make_box({0.5, 0, 0}, {0.8, 1, 0.5}), Motion()},
                               {make_box({0.5, 0.25, 0.5}, {0.8, 0.75, 1}), Motion()}});
  const SolidsAt now = solids.at(0);
  for (const Vec3& seam : {Vec3(0.6, 0, 0.3), Vec3(0.6, 1, 0.3), Vec3(0.7, 0.4, 0),
                           Vec3(0.7, 0.4, 0.5), Vec3(0.7, 0, 0)}) {
    EXPECT_LT(now.distance(seam), 0) << seam.transpose();
  }
  // Edges where they meet stay where they are, as do corners and faces.
  for (const Vec3& edge : {Vec3(0.5, 0, 0.3), Vec3(0.8, 0.4, 0), Vec3(0.5, 0.4, 0.5),
                           Vec3(0.6, 0.25, 0.5), Vec3(0.5, 0, 0), Vec3(0.5, 0.3, 0.3)}) {
    EXPECT_EQ(now.distance(edge), 0) << edge.transpose();
  }
  EXPECT_DOUBLE_EQ(now.distance({0.4, 0.5, 0.3}), 0.1);
}

TEST(Solids, PointsAreMovedOutOfSolids) {
  const Solids solids(tank(), {{make_sphere({1, 0.5, 0.1}, 0.3), Motion()}});
  const SolidsAt now = solids.at(0);
  test::Random random(7);
  int inside = 0;
  for (int i = 0; i < 2000; ++i) {
    const Vec3 x = random.in_box(Box3(Vec3(-0.05, -0.05, -0.05), Vec3(2.05, 1.05, 0.5)));
    const Vec3 y = now.moved_away(x, 0.01, 1e-4);
    if (now.distance(x) >= 0.01) {
      EXPECT_EQ(x, y);
      continue;
    }
    if ((x - Vec3(1, 0.5, 0.1)).norm() < 0.05) continue;  // its middle has no shortest way
    ++inside;
    EXPECT_GE(now.distance(y), 0.008) << x.transpose();
  }
  EXPECT_GT(inside, 200);
}

}  // namespace
}  // namespace spindrift
