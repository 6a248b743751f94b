#include "spindrift/geometry/thickness.hpp"

#include <gtest/gtest.h>

namespace spindrift {
namespace {

const Box3 kRoom(Vec3(-5, -5, -5), Vec3(5, 5, 5));

ShapePtr cup(double wall) {
  return make_difference(
      {make_cylinder({0, 0, 0}, {0, 0, 2}, 1), make_cylinder({0, 0, wall}, {0, 0, 3}, 1 - wall)});
}

TEST(Thickness, FindsTheWallOfACup) {
  for (const double wall : {0.02, 0.05, 0.15}) {
    const ThicknessReport report = measure_thickness(*cup(wall), kRoom, {.limit = 0.1});
    EXPECT_GT(report.samples, 2000);
    EXPECT_EQ(report.has_thin_walls(), wall < 0.1) << wall;
    if (wall < 0.1) {
      EXPECT_NEAR(report.thinnest, wall, 0.002);
    }
  }
}

TEST(Thickness, TipsAndEdgesAreNotWalls) {
  EXPECT_FALSE(measure_thickness(*make_cone({0, 0, 0}, {0, 0, 2}, 1), kRoom, {.limit = 0.05})
                   .has_thin_walls());
  EXPECT_FALSE(
      measure_thickness(*make_sphere({0, 0, 0}, 1), kRoom, {.limit = 0.5}).has_thin_walls());
  EXPECT_FALSE(measure_thickness(*make_halfspace({0, 0, 0}, {0, 0, 1}), kRoom, {.limit = 0.5})
                   .has_thin_walls());
}

TEST(Thickness, OfAFlattenedBallIsNotUnderestimated) {
  Placement flat;
  flat.scale = {1, 1, 0.3};
  const auto ellipsoid = make_placed(make_sphere({0, 0, 0}, 0.4), flat);  // 240 mm at its thinnest
  EXPECT_FALSE(measure_thickness(*ellipsoid, kRoom, {.limit = 0.06}).has_thin_walls());
}

TEST(Thickness, OnlyThePartInsideTheRegionCounts) {
  const auto plate =
      make_union({make_box({-4, -4, 4}, {4, 4, 4.01}), make_box({-1, -1, -1}, {1, 1, 1})});
  EXPECT_TRUE(measure_thickness(*plate, kRoom, {.limit = 0.1}).has_thin_walls());
  const Box3 below(Vec3(-5, -5, -5), Vec3(5, 5, 3));
  EXPECT_FALSE(measure_thickness(*plate, below, {.limit = 0.1}).has_thin_walls());
  EXPECT_EQ(measure_thickness(*plate, Box3(Vec3(8, 8, 8), Vec3(9, 9, 9)), {}).samples, 0);
}

}  // namespace
}  // namespace spindrift
