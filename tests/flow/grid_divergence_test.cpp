#include "spindrift/flow/grid_divergence.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "spindrift/core/parallel.hpp"
#include "spindrift/geometry/shape.hpp"

#include "support/meshed_flow.hpp"

namespace spindrift {
namespace {

// Spreads along x and y as it falls: a front. Free of divergence.
Vec3 spreading(const Vec3& x) { return {x.x(), x.y(), -2 * x.z()}; }

struct Ball {
  static constexpr double kSize = 0.08;
  test::MeshedFlowPtr flow =
      test::blob_flow(*make_sphere(Vec3(0.01, 0.02, 0.6), 0.5), {.size = kSize});
  Ball() { flow->set(spreading); }

  // Of the volume of the ball, what its surface gains in a step, carried by paths().
  [[nodiscard]] double gain(double dt, const SolidMotion& solids = {}) const {
    const MeshVelocity velocity(flow->flow(), dt, {}, solids);
    // Where a point came from, on a fine lattice: the share of the ball's points among them.
    const ShapePtr ball = make_sphere(Vec3(0.01, 0.02, 0.6), 0.5);
    std::vector<Vec3> points;
    const double step = kSize / 3;
    const Box3 box(Vec3(-1.2, -1.2, -0.2), Vec3(1.2, 1.2, 1.3));
    for (double z = box.min().z(); z < box.max().z(); z += step) {
      for (double y = box.min().y(); y < box.max().y(); y += step) {
        for (double x = box.min().x(); x < box.max().x(); x += step) points.emplace_back(x, y, z);
      }
    }
    trace_paths(velocity.paths(), -dt, PathScheme::rk4, points);
    double volume = 0;
    for (const Vec3& x : points) {
      volume += std::clamp(0.5 - ball->distance(x) / step, 0.0, 1.0) * std::pow(step, 3);
    }
    const double exact = 4.0 / 3 * std::numbers::pi * 0.125;
    return volume / exact - 1;
  }
};

// Steps of a quarter and more of the time in which it would be twice as wide.
TEST(GridDivergence, LiquidThatFliesThroughAirKeepsItsVolume) {
  const Ball ball;
  EXPECT_LT(std::abs(ball.gain(0.2)), 1e-3);
  EXPECT_LT(std::abs(ball.gain(0.3)), 1e-3);
}

TEST(GridDivergence, SlidesAlongSolids) {
  const Ball ball;
  // Through nodes of the grid, just below the ball.
  const ShapePtr floor = make_halfspace(Vec3(0, 0, Ball::kSize), Vec3(0, 0, 1));
  const SolidMotion solids{floor.get(), nullptr, nullptr};
  const MeshVelocity velocity(ball.flow->flow(), 0.2, {}, solids);
  std::vector<Vec3> points;
  for (int i = 0; i < 200; ++i) {
    points.emplace_back(0.5 * std::cos(i), 0.5 * std::sin(2.0 * i), Ball::kSize);
  }
  std::vector<Vec3> u(points.size());
  velocity.paths().evaluate(points, u);
  for (const Vec3& v : u) EXPECT_GT(v.z(), -1e-9);
}

// Half a cell below a block that falls: the grid has no node in between.
TEST(GridDivergence, AFilmOfAirOnASolidDoesNotHoldLiquidUp) {
  constexpr double kSize = 0.08;
  const ShapePtr block = make_box(Vec3(-0.6, -0.6, 0.5 * kSize), Vec3(0.6, 0.6, 0.6));
  const ShapePtr floor = make_halfspace(Vec3::Zero(), Vec3(0, 0, 1));
  const test::MeshedFlowPtr flow = test::blob_flow(*block, {.size = kSize});
  flow->set([](const Vec3&) { return Vec3(0, 0, -1); });
  const MeshVelocity velocity(flow->flow(), 0.05, {}, {floor.get(), nullptr, nullptr});
  std::vector<Vec3> points;
  for (int i = 0; i < 200; ++i) {
    points.emplace_back(0.35 * std::cos(i), 0.35 * std::sin(2.0 * i), 0.5 * kSize);
  }
  std::vector<Vec3> u(points.size());
  velocity.paths().evaluate(points, u);
  // Between the liquid above and the solid below, straight.
  for (const Vec3& v : u) EXPECT_NEAR(v.z(), -0.5, 0.05);
}

TEST(GridDivergence, SameBitsForAnyNumberOfThreads) {
  const Ball ball;
  std::vector<Vec3> points;
  for (int i = 0; i < 1000; ++i) {
    points.emplace_back(0.6 * std::cos(i), 0.6 * std::sin(1.3 * i), 0.6 + 0.55 * std::sin(0.7 * i));
  }
  const auto paths = [&] {
    const MeshVelocity velocity(ball.flow->flow(), 0.2);
    std::vector<Vec3> u(points.size());
    velocity.paths().evaluate(points, u);
    return u;
  };
  const std::vector<Vec3> many = paths();
  const ThreadLimit one_thread(1);
  EXPECT_EQ(many, paths());
}

}  // namespace
}  // namespace spindrift
