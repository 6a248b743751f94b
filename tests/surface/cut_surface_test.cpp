#include "spindrift/surface/cut_surface.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include <gtest/gtest.h>

#include "spindrift/bodies/solids.hpp"
#include "spindrift/core/parallel.hpp"
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

// Hardly any liquid at the nodes that a wall goes through: where its surface meets the wall is hard
// to tell, but nowhere far from them.
TEST(CutSurface, ThreadsThatEndAtAWallHaveNoSpikes) {
  constexpr int kVoxels = 20;
  constexpr double kRadius = 0.06;  // m
  const Vec3 end(0.3, 0.5, 0.5);
  const ContouringTracker tracker =
      tracked(*make_cylinder({-0.3, 0.5, 0.5}, end, kRadius), kVoxels);
  const Outside wall(make_box({0, -1, -1}, {2, 2, 2}));
  std::mt19937 random(3);
  std::uniform_real_distribution<float> noise(0, 0.6F);
  for (int trial = 0; trial < 200; ++trial) {
    BandDistance samples = tracker.samples();
    for (float& value : samples.field.values) {
      if (value >= samples.band) continue;
      const bool is_on_axis = value < -kRadius * kVoxels + 0.01F;
      value += static_cast<float>(kRadius * kVoxels - 0.02) + (is_on_axis ? 0 : noise(random));
      value = std::min(value, samples.band);
    }
    const CutSurface cut = cut_surface(tracker.surface(), samples, wall, kBox);
    expect_closed(cut.mesh);
    EXPECT_GT(cut.contact_vertices.size(), 0);
    for (const Vec3& v : cut.mesh.vertices) {
      EXPECT_LT(std::hypot(v.y() - 0.5, v.z() - 0.5) * kVoxels, 0.5) << trial;
    }
  }
}

TEST(CutSurface, PoolInATankIsFlatToItsWalls) {
  // Walls off the lattice planes.
  const Vec3 low(0.0513, 0.1022, 0.0731);
  const Vec3 high(0.9487, 0.8911, 0.9);
  const CutSurface cut = pool(Outside(make_box(low, high)), 40);
  expect_closed(cut.mesh);
  const double expected = (high.x() - low.x()) * (high.y() - low.y()) * (kLevel - low.z());
  EXPECT_NEAR(enclosed_volume(cut.mesh), expected, 1e-6 * expected);
  double air = 0;
  for (std::size_t t = 0; t < cut.kinds.size(); ++t) {
    const auto corner = [&](int k) { return cut.mesh.corner(static_cast<std::int64_t>(t), k); };
    const Vec3 normal = (corner(1) - corner(0)).cross(corner(2) - corner(0)) / 2;
    if (cut.kinds[t] != SurfaceKind::air) continue;
    air += normal.norm();
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(corner(k).z(), kLevel, 1e-6);
  }
  EXPECT_NEAR(air, (high.x() - low.x()) * (high.y() - low.y()), 1e-6);
  EXPECT_FALSE(cut.contact_vertices.empty());
  for (const std::int32_t v : cut.contact_vertices) {
    const Vec3& p = cut.mesh.vertices[static_cast<std::size_t>(v)];
    const double x_wall = std::min(p.x() - low.x(), high.x() - p.x());
    const double y_wall = std::min(p.y() - low.y(), high.y() - p.y());
    EXPECT_NEAR(std::min(x_wall, y_wall), 0, 1e-6);
    EXPECT_NEAR(p.z(), kLevel, 1e-6);
  }
}

// A ball that floats half in the water: the contact line is a circle, and the volume known.
// Between nodes a sheet along a wall comes and goes: there lines between samples end long before
// the cubics do.
TEST(CutSurface, ThinLiquidStaysOutOfWalls) {
  const ShapePtr sheet = make_box({0.3, 0.3, 0.3}, {0.7, 0.7, 0.42});
  const ContouringTracker tracker = tracked(*sheet, 20);
  const double wall = 0.5 + 0.155 / 20;
  BandDistance samples = tracker.samples();
  // On one line across the wall, that the liquid is next to.
  const auto set = [&](int x, float value) {
    const Vec3i node(x, 10, 8);
    const std::int32_t block = samples.field.blocks.find(block_of_node(node));
    ASSERT_GE(block, 0);
    samples.field.block_values(block)[node_in_block(node)] = value;
  };
  set(9, 0.8F);
  set(10, -0.016F);
  set(11, 0.105F);
  set(12, 0.93F);
  const Outside solid(make_box(Vec3::Constant(0.1), Vec3(wall, 0.9, 0.9)));
  const CutSurface cut = cut_surface(tracker.surface(), samples, solid, kBox);
  expect_closed(cut.mesh);
  double farthest = 0;
  for (const Vec3& p : cut.mesh.vertices) farthest = std::max(farthest, p.x());
  EXPECT_NEAR(farthest, wall, 1e-6);
}

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

// A tank of any size anywhere on the lattice holds what a box holds, to its edges and corners.
TEST(CutSurface, TanksHoldTheirVolume) {
  constexpr int kVoxels = 24;
  std::mt19937 random(1);
  std::uniform_real_distribution<double> number(0, 1);
  for (int run = 0; run < 20; ++run) {
    SCOPED_TRACE(run);
    Vec3 low = Vec3::Constant(0.125);
    Vec3 high(0.875, 0.75, 0.75);
    double level = 0.487;
    if (run > 0) {  // else in the planes of the lattice
      for (int axis = 0; axis < 3; ++axis) {
        low[axis] = 0.05 + 0.1 * number(random);
        high[axis] = 0.8 + 0.1 * number(random);
      }
      level = low.z() + 0.6 * (high.z() - low.z());
    }
    const ShapePtr liquid = make_box({-0.3, -0.3, -0.3}, {1.3, 1.3, level});
    const ContouringTracker tracker = tracked(*liquid, kVoxels);
    const CutSurface cut =
        cut_surface(tracker.surface(), tracker.samples(), Outside(make_box(low, high)), kBox);
    expect_closed(cut.mesh);
    const double expected = (high.x() - low.x()) * (high.y() - low.y()) * (level - low.z());
    EXPECT_NEAR(enclosed_volume(cut.mesh), expected, 1e-6 * expected);
  }
}

// A ball on the floor, and a ramp that leads out of the water.
TEST(CutSurface, VolumeBesideABallAndARamp) {
  const Vec3 low(0.0513, 0.1022, 0.0731);
  const Vec3 high(0.9487, 0.8911, 0.9);
  const double foot = 0.55;
  const double slope = 1.3;
  const double depth = kLevel - low.z();
  const double wetted = depth / slope;  // in plan: the ramp leaves the water before the wall
  ASSERT_LT(foot + wetted, high.x());
  const double radius = 0.11;
  const Vec3 center(0.3, 0.5, low.z() + 0.03);
  const ShapePtr ramp = make_halfspace({foot, 0, low.z()}, Vec3(-slope, 0, 1));
  const ShapePtr room = make_difference({make_box(low, high), ramp, make_sphere(center, radius)});
  const double cap = radius - (center.z() - low.z());  // of the ball, below the floor
  const double ball =
      std::numbers::pi * (4 * std::pow(radius, 3) / 3 - cap * cap * (3 * radius - cap) / 3);
  const double expected = (high.y() - low.y()) * depth * (foot - low.x() + wetted / 2) - ball;
  const CutSurface cut = pool(Outside(room), 48);
  expect_closed(cut.mesh);
  EXPECT_NEAR(enclosed_volume(cut.mesh), expected, 1e-3 * expected);
}

// Edges of the cut surface run along the edges of a solid without gaps.
TEST(CutSurface, EdgesOfSolidsAreSharp) {
  const Vec3 low(0.31, 0.37, 0.0731);
  const Vec3 high(0.69, 0.66, 0.33);
  const ShapePtr tank = make_box({0.0513, 0.1022, 0.0731}, {0.9487, 0.8911, 0.9});
  const ShapePtr room = make_difference({tank, make_box(low, high)});
  const CutSurface cut = pool(Outside(room), 32);
  expect_closed(cut.mesh);
  const auto is_on_top_edge = [&](const Vec3& p) {
    return std::abs(p.x() - low.x()) < 1e-6 && std::abs(p.z() - high.z()) < 1e-6;
  };
  double length = 0;
  for (std::int64_t t = 0; t < cut.mesh.triangle_count(); ++t) {
    for (int k = 0; k < 3; ++k) {
      const Vec3 a = cut.mesh.corner(t, k);
      const Vec3 b = cut.mesh.corner(t, (k + 1) % 3);
      if (is_on_top_edge(a) && is_on_top_edge(b)) length += (b - a).norm() / 2;
    }
  }
  EXPECT_NEAR(length, high.y() - low.y(), 1e-5);
}

// Solids that the liquid's surface meets are followed out of the box in which they are looked for.
TEST(CutSurface, SolidsAreFollowedBeyondTheBox) {
  const Outside tank(make_box({0.05, 0.06, 0.07}, {0.95, 0.94, 0.9}));
  const ContouringTracker tracker = tracked(*make_box({-0.3, -0.3, -0.3}, {1.3, 1.3, kLevel}), 40);
  const Box3 corner(Vec3::Zero(), Vec3::Constant(0.2));
  const CutSurface whole = cut_surface(tracker.surface(), tracker.samples(), tank, kBox);
  const CutSurface part = cut_surface(tracker.surface(), tracker.samples(), tank, corner);
  expect_closed(part.mesh);
  EXPECT_NEAR(enclosed_volume(part.mesh), enclosed_volume(whole.mesh), 1e-9);
}

TEST(CutSurface, ThreadsDoNotMatter) {
  const ShapePtr tank = make_box({0.05, 0.06, 0.07}, {0.95, 0.94, 0.9});
  const ShapePtr room = make_difference({tank, make_sphere({0.5, 0.5, 0.4}, 0.2)});
  CutSurface one;
  {
    const ThreadLimit limit(1);
    one = pool(Outside(room), 48);
  }
  const ThreadLimit limit(3);
  const CutSurface three = pool(Outside(room), 48);
  EXPECT_EQ(one.mesh.vertices, three.mesh.vertices);
  EXPECT_EQ(one.mesh.triangles, three.mesh.triangles);
  EXPECT_EQ(one.kinds, three.kinds);
  EXPECT_EQ(one.contact_vertices, three.contact_vertices);
}

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double number(double from, double to) {
    return std::uniform_real_distribution<double>(from, to)(engine_);
  }
  Vec3 point(double from, double to) {
    return {number(from, to), number(from, to), number(from, to)};
  }
  Quat rotation() {
    return Quat(Eigen::AngleAxisd(number(0, 6), (point(-1, 1) + Vec3(0, 0, 1e-3)).normalized()));
  }

 private:
  std::mt19937 engine_;
};

// Drops and sheets, some thinner than a voxel.
ShapePtr random_liquid(Random& random) {
  std::vector<ShapePtr> parts;
  for (int i = 0; i < 6; ++i) {
    parts.push_back(make_sphere(random.point(0, 1), random.number(0.05, 0.3)));
  }
  for (int i = 0; i < 2; ++i) {
    const Vec3 half(0.4, 0.4, random.number(0.01, 0.05));
    parts.push_back(make_placed(make_box(-half, half), {.rotation = random.rotation(),
                                                        .translation = random.point(0.2, 0.8)}));
  }
  return make_union(parts);
}

std::vector<Obstacle> random_obstacles(Random& random) {
  std::vector<Obstacle> obstacles;
  for (int i = 0; i < 3; ++i) {
    const Vec3 half = random.point(0.05, 0.25);
    const ShapePtr box =
        make_placed(make_box(-half, half),
                    {.rotation = random.rotation(), .translation = random.point(0.1, 0.9)});
    const MotionKey start{.t = 0, .axis = random.point(0.1, 1), .degrees = random.number(0, 90)};
    const MotionKey end{.t = 1,
                        .axis = start.axis,
                        .degrees = start.degrees + 50,
                        .translation = random.point(-0.3, 0.3)};
    obstacles.push_back({box, Motion::keyframes({start, end})});
    obstacles.push_back({make_sphere(random.point(0, 1), random.number(0.03, 0.2)), Motion()});
  }
  return obstacles;
}

// Whatever liquids and solids do to each other, the result bounds a volume inside the tank.
TEST(CutSurface, RandomScenesStayClosed) {
  constexpr int kVoxels = 24;
  constexpr double kVoxel = 1.0 / kVoxels;
  int wet = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Domain domain;
    domain.box = Box3(random.point(0, 0.2), random.point(0.8, 1));
    domain.is_wall.fill(true);
    if (seed % 4 == 0) domain.box = Box3(Vec3::Zero(), Vec3::Ones());  // in the lattice's planes
    const Solids solids(domain, random_obstacles(random));
    const SolidsAt now = solids.at(random.number(0, 1));
    const SolidContinuation continued{&now, 3 * kVoxel, 0.5 * kVoxel, nullptr};
    const ContouringTracker tracker(*random_liquid(random), domain.box,
                                    {.lattice = {.origin = Vec3::Zero(), .spacing = kVoxel}},
                                    seed % 2 == 0 ? continued : SolidContinuation{});
    const CutSurface cut = cut_surface(tracker.surface(), tracker.samples(), now, kBox);
    if (cut.mesh.triangles.empty()) continue;
    ++wet;
    expect_closed(cut.mesh);
    EXPECT_GT(enclosed_volume(cut.mesh), 0);
    EXPECT_EQ(cut.kinds.size(), cut.mesh.triangles.size());
    for (const Vec3& vertex : cut.mesh.vertices) {
      ASSERT_TRUE(vertex.allFinite());
      ASSERT_GT(now.distance(vertex), -0.5 * kVoxel);
    }
  }
  EXPECT_GT(wet, 95);
}

}  // namespace
}  // namespace spindrift
