#include "spindrift/surface/inflation.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "spindrift/geometry/shape.hpp"
#include "spindrift/surface/contouring_tracker.hpp"

#include "support/flows.hpp"

namespace spindrift {
namespace {

constexpr double kVoxel = 0.1;

ContouringTracker tracker_of(const Shape& shape) {
  return {shape, Box3(Vec3::Constant(-5), Vec3::Constant(5)), {.lattice = {Vec3::Zero(), kVoxel}}};
}

TEST(Inflation, MovesABallsSurfaceOutwards) {
  ContouringTracker tracker = tracker_of(*make_sphere(Vec3(0.3, 0.2, 0.1), 1));
  tracker.inflate({0.2 * kVoxel});
  // Seen a step later, when the surface is contoured anew.
  (void)tracker.advance(test::uniform_flow(Vec3::Zero()), 0);
  // Flat triangles enclose less than the ball: as much less as in a ball that was larger at once.
  const ContouringTracker larger = tracker_of(*make_sphere(Vec3(0.3, 0.2, 0.1), 1 + 0.2 * kVoxel));
  EXPECT_NEAR(enclosed_volume(tracker.surface()) / enclosed_volume(larger.surface()), 1, 1e-4);
}

TEST(Inflation, MovesThickLiquidInwards) {
  ContouringTracker tracker = tracker_of(*make_sphere(Vec3(0.3, 0.2, 0.1), 1));
  tracker.inflate({-0.2 * kVoxel});
  (void)tracker.advance(test::uniform_flow(Vec3::Zero()), 0);
  const ContouringTracker smaller = tracker_of(*make_sphere(Vec3(0.3, 0.2, 0.1), 1 - 0.2 * kVoxel));
  EXPECT_NEAR(enclosed_volume(tracker.surface()) / enclosed_volume(smaller.surface()), 1, 1e-4);
}

// A sheet of 2.6 voxels that hangs from a block of 12: the block alone loses, by its own area.
TEST(Inflation, LeavesSheetsAsThickAsTheyAre) {
  const ShapePtr block = make_box(Vec3(-0.6, -2, 0), Vec3(0.6, 2, 1.2));
  const ShapePtr sheet = make_box(Vec3(-0.13, -2, -2), Vec3(0.13, 2, 0.5));
  ContouringTracker tracker = tracker_of(*make_union({block, sheet}));
  ASSERT_EQ(tracker.components().components.size(), 1U);
  std::vector<Vec3> probes;
  for (const double z : {-1.7, -1.2, -0.7}) probes.emplace_back(0.11, 0.21, z);
  for (const double x : {-0.3, 0.0, 0.3}) probes.emplace_back(x, 0.21, 1.15);
  std::vector<double> before(probes.size());
  tracker.distance().evaluate(probes, std::span<double>(before));
  tracker.inflate({-0.25 * kVoxel});
  std::vector<double> after(probes.size());
  tracker.distance().evaluate(probes, std::span<double>(after));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(after[i], before[i]);
  for (std::size_t i = 3; i < 6; ++i) EXPECT_NEAR(after[i], before[i] + 0.25 * kVoxel, 1e-6);
}

TEST(Inflation, LeavesOtherBodiesAlone) {
  // Four voxels apart: each is within the other's band.
  const ShapePtr left = make_sphere(Vec3(-1, 0, 0), 0.8), right = make_sphere(Vec3(1, 0, 0), 0.8);
  ContouringTracker tracker = tracker_of(*make_union({left, right}));
  ASSERT_EQ(tracker.components().components.size(), 2U);
  const Vec3 probes[] = {Vec3(-1.8, 0.01, 0), Vec3(1.8, 0.01, 0), Vec3(-0.2, 0.01, 0),
                         Vec3(0.2, 0.01, 0)};
  const auto distances = [&] {
    std::vector<double> values(4);
    tracker.distance().evaluate(probes, std::span<double>(values));
    return values;
  };
  const std::vector<double> before = distances();
  const std::int32_t of_left =
      tracker.components()
          .of_vertex[static_cast<std::size_t>(tracker.vertices().closest(Vec3(-1.8, 0, 0), 2))];
  std::vector<double> offsets(2, 0.0);
  offsets[static_cast<std::size_t>(of_left)] = 0.25 * kVoxel;
  tracker.inflate(offsets);
  const std::vector<double> after = distances();
  EXPECT_NEAR(after[0], before[0] - 0.25 * kVoxel, 1e-6);
  EXPECT_NEAR(after[2], before[2] - 0.25 * kVoxel, 1e-6);
  EXPECT_EQ(after[1], before[1]);
  EXPECT_EQ(after[3], before[3]);
}

TEST(Inflation, IsRememberedToTheBit) {
  const ShapePtr ball = make_sphere(Vec3(0.3, 0.2, 0.1), 1);
  for (const double offset : {0.1 * kVoxel, -0.1 * kVoxel}) {
    ContouringTracker moved = tracker_of(*ball);
    moved.inflate({offset});
    ContouringTracker other = tracker_of(*make_sphere(Vec3::Zero(), 0.5));
    other.restore(moved.memory());
    const Buffer<float>& one = moved.samples().field.values;
    const Buffer<float>& two = other.samples().field.values;
    ASSERT_EQ(one.size(), two.size());
    EXPECT_TRUE(std::equal(one.begin(), one.end(), two.begin()));
  }
}

}  // namespace
}  // namespace spindrift
