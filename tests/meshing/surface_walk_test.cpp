#include "spindrift/meshing/surface_walk.hpp"

#include <array>

#include <gtest/gtest.h>

#include "spindrift/geometry/shape.hpp"

#include "support/random.hpp"

namespace spindrift {
namespace {

TEST(SurfaceWalk, ReachesTheNearestPoint) {
  const ShapePtr sphere = make_sphere({1, 2, 3}, 0.7);
  const std::array<const ScalarField*, 1> fields = {sphere.get()};
  test::Random random(1);
  std::vector<Vec3> points;
  for (int i = 0; i < 500; ++i) {
    points.emplace_back(Vec3(1, 2, 3) + random.between(0.65, 0.75) * random.direction());
  }
  const std::vector<Walk> walks = walk_onto(fields, points, 0.1, 0.06);
  for (std::size_t i = 0; i < points.size(); ++i) {
    ASSERT_TRUE(walks[i].has_arrived);
    const Vec3 nearest = Vec3(1, 2, 3) + 0.7 * (points[i] - Vec3(1, 2, 3)).normalized();
    EXPECT_LT((walks[i].at - nearest).norm(), 1e-9);
    EXPECT_EQ(walks[i].from, points[i]);
  }
}

TEST(SurfaceWalk, ReachesTheCurveWhereTwoSurfacesMeet) {
  const ShapePtr sphere = make_sphere({0, 0, 0}, 1);
  const ShapePtr level = make_halfspace({0, 0, 0.6}, Vec3::UnitZ());
  const std::array<const ScalarField*, 2> fields = {level.get(), sphere.get()};
  test::Random random(2);
  std::vector<Vec3> points;
  for (int i = 0; i < 500; ++i) {
    const double angle = random.between(0, 6);
    points.emplace_back(0.8 * std::cos(angle), 0.8 * std::sin(angle), 0.6);
    points.back() += 0.05 * random.direction();
  }
  for (const Walk& walk : walk_onto(fields, points, 0.1, 0.2)) {
    ASSERT_TRUE(walk.has_arrived);
    EXPECT_NEAR(walk.at.z(), 0.6, 1e-11);
    EXPECT_NEAR(walk.at.head<2>().norm(), 0.8, 1e-10);
  }
}

TEST(SurfaceWalk, DoesNotGoFarOrWhereSurfacesAreParallel) {
  const ShapePtr floor = make_halfspace({0, 0, 0}, Vec3::UnitZ());
  const ShapePtr ceiling = make_halfspace({0, 0, 0.01}, -Vec3::UnitZ());
  const std::array<const ScalarField*, 2> both = {floor.get(), ceiling.get()};
  const std::array<const ScalarField*, 1> one = {floor.get()};
  const std::vector<Vec3> points = {{0, 0, 0.005}, {0, 0, 0.02}, {0, 0, -0.019}};
  for (const Walk& walk : walk_onto(both, points, 0.1, 1)) EXPECT_FALSE(walk.has_arrived);
  const std::vector<Walk> walks = walk_onto(one, points, 0.1, 0.0195);
  EXPECT_TRUE(walks[0].has_arrived);
  EXPECT_FALSE(walks[1].has_arrived);
  EXPECT_TRUE(walks[2].has_arrived);
}

}  // namespace
}  // namespace spindrift
