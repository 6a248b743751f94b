#include "spindrift/surface/cut_surface.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <gtest/gtest.h>

#include "spindrift/geometry/mesh_check.hpp"
#include "spindrift/geometry/shape.hpp"
#include "spindrift/surface/contouring_tracker.hpp"

namespace spindrift {
namespace {

constexpr double kLevel = 0.487;
const Box3 kBox(Vec3::Constant(-0.5), Vec3::Constant(1.5));

ContouringTracker tracked(const Shape& liquid, int voxels) {
  return {liquid, kBox, {.lattice = {.origin = Vec3::Zero(), .spacing = 1.0 / voxels}}};
}

// What is not in the tank: its walls and all beyond.
class Outside final : public ScalarField {
 public:
  explicit Outside(ShapePtr tank) : tank_(std::move(tank)) {}
  void evaluate(std::span<const Vec3> points, std::span<double> values) const override {
    tank_->evaluate(points, values);
    for (double& value : values) value = -value;
  }

 private:
  ShapePtr tank_;
};

// A tank, perhaps with something in it, filled up to kLevel by a liquid that runs on into the
// walls.
CutSurface pool(const ScalarField& solid, int voxels) {
  const ShapePtr liquid = make_box({-0.3, -0.3, -0.3}, {1.3, 1.3, kLevel});
  const ContouringTracker tracker = tracked(*liquid, voxels);
  return cut_surface(tracker.surface(), tracker.samples(), solid, kBox);
}

void expect_closed(const TriangleMesh& mesh) {
  const MeshReport report = check_mesh(mesh, {.find_self_intersections = false});
  EXPECT_TRUE(report.is_closed());
  EXPECT_TRUE(report.is_manifold());
  EXPECT_EQ(report.flipped_edges.count, 0);
}

TEST(CutSurface, PoolInATankIsFlatToItsWalls) {
  // Walls off the lattice planes.
  const Vec3 low(0.0513, 0.1022, 0.0731);
  const Vec3 high(0.9487, 0.8911, 0.9);
  const CutSurface cut = pool(Outside(make_box(low, high)), 40);
  expect_closed(cut.mesh);
  const double expected = (high.x() - low.x()) * (high.y() - low.y()) * (kLevel - low.z());
  // The edges of the tank are chamfered by less than a cell; the contact line is not.
  EXPECT_NEAR(enclosed_volume(cut.mesh), expected, 2e-3 * expected);
  double air = 0;
  for (std::size_t t = 0; t < cut.kinds.size(); ++t) {
    const auto corner = [&](int k) { return cut.mesh.corner(static_cast<std::int64_t>(t), k); };
    const Vec3 normal = (corner(1) - corner(0)).cross(corner(2) - corner(0)) / 2;
    if (cut.kinds[t] != SurfaceKind::air) continue;
    air += normal.norm();
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(corner(k).z(), kLevel, 1e-6);
  }
  EXPECT_NEAR(air, (high.x() - low.x()) * (high.y() - low.y()), 1e-3);
  EXPECT_FALSE(cut.contact_vertices.empty());
  for (const std::int32_t v : cut.contact_vertices) {
    const Vec3& p = cut.mesh.vertices[static_cast<std::size_t>(v)];
    const double x_wall = std::min(p.x() - low.x(), high.x() - p.x());
    const double y_wall = std::min(p.y() - low.y(), high.y() - p.y());
    // In the tank's own edges, where two walls meet, within a hundredth of a voxel.
    const bool is_in_edge = std::max(x_wall, y_wall) < 0.025;
    EXPECT_NEAR(std::min(x_wall, y_wall), 0, is_in_edge ? 2.5e-4 : 1e-6);
    EXPECT_NEAR(p.z(), kLevel, 1e-6);
  }
}

// A ball that floats half in the water: the contact line is a circle, and the volume known.
TEST(CutSurface, BallInTheWaterSurface) {
  const Vec3 center(0.5, 0.5, 0.52);
  const double radius = 0.2;
  const ShapePtr tank = make_cylinder({0.5, 0.5, 0.1}, {0.5, 0.5, 0.95}, 0.4);
  const double depth = kLevel - (center.z() - radius);
  const double cap = std::numbers::pi * depth * depth * (3 * radius - depth) / 3;
  const double expected = std::numbers::pi * 0.16 * (kLevel - 0.1) - cap;
  double previous = 0;
  for (const int voxels : {32, 64}) {
    const ShapePtr room = make_difference({tank, make_sphere(center, radius)});
    const CutSurface cut = pool(Outside(room), voxels);
    expect_closed(cut.mesh);
    const double error = std::abs(enclosed_volume(cut.mesh) - expected);
    EXPECT_LT(error, 6e-3 * expected);
    if (previous > 0) {
      EXPECT_LT(error, previous / 3);  // second order
    }
    previous = error;
    const double circle = std::sqrt(radius * radius - std::pow(kLevel - center.z(), 2));
    for (const std::int32_t v : cut.contact_vertices) {
      const Vec3& p = cut.mesh.vertices[static_cast<std::size_t>(v)];
      const double r = std::hypot(p.x() - 0.5, p.y() - 0.5);
      EXPECT_LT(std::min(std::abs(r - circle), std::abs(r - 0.4)), 1e-5);
      EXPECT_NEAR(p.z(), kLevel, 1e-5);
    }
  }
}

TEST(CutSurface, SubmergedBodiesAreCutOut) {
  const ShapePtr tank = make_box({0.05, 0.05, 0.05}, {0.95, 0.95, 0.9});
  const ShapePtr room = make_difference({tank, make_sphere({0.5, 0.5, 0.25}, 0.1)});
  const CutSurface with = pool(Outside(room), 48);
  const CutSurface without = pool(Outside(tank), 48);
  expect_closed(with.mesh);
  const double ball = 4 * std::numbers::pi / 3 * 1e-3;
  EXPECT_NEAR(enclosed_volume(without.mesh) - enclosed_volume(with.mesh), ball, 0.03 * ball);
}

// Without solids nearby nothing changes but for the placement of vertices.
TEST(CutSurface, WithoutSolidsTheSurfaceStays) {
  const ContouringTracker tracker = tracked(*make_sphere({0.5, 0.5, 0.5}, 0.3), 32);
  const Outside far_walls(make_box(Vec3::Constant(-5), Vec3::Constant(5)));
  const CutSurface cut = cut_surface(tracker.surface(), tracker.samples(), far_walls, kBox);
  EXPECT_EQ(cut.mesh.triangles, tracker.surface().triangles);
  EXPECT_TRUE(cut.contact_vertices.empty());
  EXPECT_NEAR(enclosed_volume(cut.mesh) / enclosed_volume(tracker.surface()), 1, 1e-4);
}

// Tilted and rough contacts: random spheres cut by random spheres stay closed and manifold.
TEST(CutSurface, ManySpheresStayClosed) {
  for (int seed = 0; seed < 12; ++seed) {
    SCOPED_TRACE(seed);
    std::vector<ShapePtr> drops;
    std::vector<ShapePtr> stones;
    for (int i = 0; i < 8; ++i) {
      const auto number = [&](int k) {
        return std::fmod(0.137 * (k + 1) * (seed + 3) + 0.618034 * i * (k + 2), 1.0);
      };
      drops.push_back(make_sphere({number(0), number(1), number(2)}, 0.08 + 0.15 * number(3)));
      stones.push_back(make_sphere({number(4), number(5), number(6)}, 0.05 + 0.15 * number(7)));
    }
    const ContouringTracker tracker = tracked(*make_union(drops), 24);
    const CutSurface cut =
        cut_surface(tracker.surface(), tracker.samples(), *make_union(stones), kBox);
    expect_closed(cut.mesh);
    EXPECT_EQ(cut.kinds.size(), cut.mesh.triangles.size());
  }
}

}  // namespace
}  // namespace spindrift
