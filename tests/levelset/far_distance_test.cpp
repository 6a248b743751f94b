#include "spindrift/levelset/far_distance.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "support/meshes.hpp"
#include "support/random.hpp"

namespace spindrift {
namespace {

// Around a sphere of radius 1.
TEST(FarDistance, IsNoMoreThanTheDistanceAndGrowsWithIt) {
  constexpr double kSpacing = 0.02;
  constexpr double kReach = 0.7;
  constexpr double kBlock = 8 * kSpacing;
  const BandDistance distance =
      mesh_distance(test::sphere(5), {}, {.origin = {0.01, 0.02, 0}, .spacing = kSpacing}, {});
  const FarDistance far(distance, kReach);
  const CubicSampler near(distance);
  test::Random random(3);
  std::vector<Vec3> points;
  for (int i = 0; i < 20000; ++i) {
    points.emplace_back(random.between(-3, 3), random.between(-3, 3), random.between(-3, 3));
  }
  std::vector<double> values(points.size());
  std::vector<double> sampled(points.size());
  far.evaluate(points, values);
  near.evaluate(points, sampled);
  for (std::size_t i = 0; i < points.size(); ++i) {
    SCOPED_TRACE(points[i].transpose());
    const double exact = points[i].norm() - 1;
    ASSERT_EQ(values[i] < 0, sampled[i] < 0);
    ASSERT_GE(std::abs(values[i]), std::abs(sampled[i]));
    // The triangles lie that far inside the sphere.
    ASSERT_LE(std::abs(values[i]), std::max(std::abs(exact) + 1e-3, std::abs(sampled[i])));
    // In blocks, along the axis where it is farthest, less the blocks of either end.
    const double expected = std::min(kReach, std::abs(exact) / std::sqrt(3)) - 3 * kBlock;
    ASSERT_GE(std::abs(values[i]), expected);
  }
}

TEST(FarDistance, WithoutASurfaceAllIsOutside) {
  const BandDistance nothing =
      mesh_distance(TriangleMesh{}, {}, {.origin = Vec3::Zero(), .spacing = 0.1}, {});
  const FarDistance far(nothing, 1);
  const Vec3 point(1, 2, 3);
  double value = 0;
  far.evaluate(std::span(&point, 1), std::span(&value, 1));
  EXPECT_GT(value, 0);
}

}  // namespace
}  // namespace spindrift
