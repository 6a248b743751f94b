#include "spindrift/geometry/fields.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "support/random.hpp"

namespace spindrift {
namespace {

class RigidTurn final : public VelocityField {
 public:
  void evaluate(std::span<const Vec3> points, std::span<Vec3> velocities) const override {
    for (std::size_t i = 0; i < points.size(); ++i) {
      velocities[i] = Vec3::UnitZ().cross(points[i]);
    }
  }
};

// The exact path is a circle; the error of one step shows the order.
double path_error(PathScheme scheme, double dt) {
  std::vector<Vec3> x = {Vec3(1, 0, 0.5)};
  trace_paths(RigidTurn(), dt, scheme, x);
  return (x[0] - Vec3(std::cos(dt), std::sin(dt), 0.5)).norm();
}

TEST(Fields, PathsConvergeAtTheOrderOfTheirScheme) {
  const auto order = [](PathScheme scheme) {
    return std::log2(path_error(scheme, 0.1) / path_error(scheme, 0.05));
  };
  EXPECT_NEAR(order(PathScheme::euler), 2, 0.1);
  EXPECT_NEAR(order(PathScheme::midpoint), 3, 0.1);
  EXPECT_NEAR(order(PathScheme::rk4), 5, 0.1);
}

TEST(Fields, TracingBackUndoesTracingForth) {
  test::Random random(2);
  std::vector<Vec3> start;
  for (int i = 0; i < 3000; ++i)
    start.push_back(random.in_box(Box3(Vec3(-1, -1, -1), Vec3(1, 1, 1))));
  std::vector<Vec3> x = start;
  trace_paths(RigidTurn(), 0.05, PathScheme::rk4, x);
  trace_paths(RigidTurn(), -0.05, PathScheme::rk4, x);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR((x[i] - start[i]).norm(), 0, 1e-8);
}

}  // namespace
}  // namespace spindrift
