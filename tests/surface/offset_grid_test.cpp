#include "spindrift/surface/offset_grid.hpp"

#include <gtest/gtest.h>

namespace spindrift {
namespace {

// The space below z = 0.
class Below final : public ScalarField {
 public:
  void evaluate(std::span<const Vec3> points, std::span<double> values) const override {
    for (std::size_t i = 0; i < points.size(); ++i) values[i] = points[i].z();
  }
};

TEST(OffsetGrid, IsWholeNearPointsAndFadesOut) {
  const std::vector<Vec3> places = {Vec3(0.1, 0.2, 0)};
  const std::vector<double> offsets = {0.7};
  const OffsetGrid grid({places, offsets, 1, 2}, Below(), {Vec3::Zero(), 0.125});
  OffsetGrid::Reader offset_at(grid);
  EXPECT_NEAR(offset_at(Vec3(0.1, 0.2, 0)), 0.7, 1e-6);
  EXPECT_NEAR(offset_at(Vec3(0.9, 0.2, 0.1)), 0.7, 1e-6);
  EXPECT_NEAR(offset_at(Vec3(0.1, 1.7, 0)), 0.35, 0.02);
  EXPECT_EQ(offset_at(Vec3(0.1, 2.5, 0)), 0);
  EXPECT_EQ(offset_at(Vec3(1e5, 0, 0)), 0);
  // The same whatever place was asked for before.
  OffsetGrid::Reader fresh(grid);
  EXPECT_EQ(offset_at(Vec3(-0.3, 0.9, 0.33)), fresh(Vec3(-0.3, 0.9, 0.33)));
}

TEST(OffsetGrid, TakesTheClosestPoint) {
  const std::vector<Vec3> places = {Vec3(0, 0, 0), Vec3(2, 0, 0)};
  const std::vector<double> offsets = {0.2, 0.6};
  const OffsetGrid grid({places, offsets, 2, 3}, Below(), {Vec3::Zero(), 0.25});
  OffsetGrid::Reader offset_at(grid);
  EXPECT_NEAR(offset_at(Vec3(0.6, 0, 0)), 0.2, 1e-6);
  EXPECT_NEAR(offset_at(Vec3(1.4, 0, 0)), 0.6, 1e-6);
}

TEST(OffsetGrid, IsNothingWithoutPoints) {
  const OffsetGrid grid({{}, {}, 1, 2}, Below(), {Vec3::Zero(), 0.25});
  OffsetGrid::Reader offset_at(grid);
  EXPECT_EQ(offset_at(Vec3::Zero()), 0);
}

}  // namespace
}  // namespace spindrift
