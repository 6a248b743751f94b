#include "spindrift/surface/liquid_components.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "spindrift/geometry/shape.hpp"
#include "spindrift/surface/contouring_tracker.hpp"

#include "support/flows.hpp"
#include "support/meshes.hpp"

namespace spindrift {
namespace {

const Box3 kUnitBox(Vec3::Zero(), Vec3::Ones());
constexpr double kSpacing = 1.0 / 64;

ContouringParams params() { return {.lattice = {.origin = Vec3::Zero(), .spacing = kSpacing}}; }

// What the contour of a ball lacks: the volume between its triangles and the sphere, about 0.45
// (voxel/radius)^2 of all of it, with some room.
double lack(double radius) {
  return 0.6 * std::pow(kSpacing / radius, 2) * 4 * std::numbers::pi / 3 * std::pow(radius, 3);
}
double ball(double radius) { return 4 * std::numbers::pi / 3 * std::pow(radius, 3); }

std::vector<double> volumes(const Tracker& tracker) {
  std::vector<double> result;
  for (const LiquidComponent& c : tracker.components().components) result.push_back(c.volume);
  std::sort(result.begin(), result.end());
  return result;
}

TEST(LiquidComponents, BodiesAndTheirPockets) {
  // A ball with two pockets, one of which holds a droplet, and another ball beside it.
  const ShapePtr liquid = make_union(
      {make_difference({make_sphere({0.4, 0.5, 0.5}, 0.3), make_sphere({0.3, 0.5, 0.5}, 0.1),
                        make_sphere({0.52, 0.5, 0.52}, 0.08)}),
       make_sphere({0.3, 0.5, 0.5}, 0.04), make_sphere({0.85, 0.5, 0.5}, 0.1)});
  const ContouringTracker tracker(*liquid, kUnitBox, params());
  const std::vector<double> found = volumes(tracker);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_NEAR(found[0], ball(0.04), lack(0.04));
  EXPECT_NEAR(found[1], ball(0.1), lack(0.1));
  EXPECT_NEAR(found[2], ball(0.3) - ball(0.1) - ball(0.08), lack(0.3) + lack(0.1) + lack(0.08));
  for (const LiquidComponent& c : tracker.components().components) {
    EXPECT_EQ(c.pockets, c.volume > ball(0.2) ? 2 : 0);
    EXPECT_TRUE(c.parents.empty());
  }
}

TEST(LiquidComponents, KeepTheirNumbersAsTheyMove) {
  std::vector<ShapePtr> balls;
  for (int i = 0; i < 5; ++i)
    balls.push_back(make_sphere({0.15 + 0.16 * i, 0.2, 0.5}, 0.03 + 0.008 * i));
  ContouringTracker tracker(*make_union(balls), kUnitBox, params());
  const auto numbers = [&] {
    std::vector<std::pair<double, std::int64_t>> by_x;
    for (std::size_t c = 0; c < tracker.components().components.size(); ++c) {
      double x = 0;
      for (std::size_t v = 0; v < tracker.surface().vertices.size(); ++v) {
        if (tracker.components().of_vertex[v] == static_cast<std::int32_t>(c)) {
          x = std::max(x, tracker.surface().vertices[v].x());
        }
      }
      by_x.emplace_back(x, tracker.components().components[c].id);
    }
    std::sort(by_x.begin(), by_x.end());
    return by_x;
  };
  const auto before = numbers();
  for (int step = 0; step < 20; ++step) tracker.advance(test::uniform_flow({0.3, 1, -0.4}), 0.02);
  const auto after = numbers();
  ASSERT_EQ(before.size(), 5U);
  ASSERT_EQ(after.size(), 5U);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(after[i].second, before[i].second);
  for (const LiquidComponent& c : tracker.components().components) {
    EXPECT_EQ(c.parents, std::vector<std::int64_t>{c.id});
  }
}

// Two balls run into each other, and the neck between them is pinched off again.
TEST(LiquidComponents, MergeAndSplit) {
  const ShapePtr balls =
      make_union({make_sphere({0.3, 0.5, 0.5}, 0.1), make_sphere({0.7, 0.5, 0.5}, 0.15)});
  ContouringTracker tracker(*balls, kUnitBox, params());
  const auto bodies = [&]() -> const std::vector<LiquidComponent>& {
    return tracker.components().components;
  };
  ASSERT_EQ(bodies().size(), 2U);
  const std::int64_t large =
      bodies()[0].volume > bodies()[1].volume ? bodies()[0].id : bodies()[1].id;
  const std::int64_t small = bodies()[0].id + bodies()[1].id - large;
  const auto squeeze = [](double rate) {
    return test::Flow([rate](const Vec3& p) { return Vec3(rate * (p.x() < 0.5 ? 1 : -1), 0, 0); });
  };
  bool has_merged = false;
  for (int step = 0; step < 30 && bodies().size() > 1; ++step) {
    tracker.advance(squeeze(0.5), 0.02);
    if (bodies().size() > 1) continue;
    has_merged = true;
    EXPECT_EQ(bodies()[0].id, large);
    EXPECT_EQ(bodies()[0].parents,
              (std::vector<std::int64_t>{std::min(small, large), std::max(small, large)}));
  }
  ASSERT_TRUE(has_merged);
  const auto pinch = test::Flow([](const Vec3& p) {
    const double strength = std::exp(-std::pow((p.x() - 0.5) / 0.06, 2));
    return Vec3(-3 * strength * Vec3(0, p.y() - 0.5, p.z() - 0.5));
  });
  bool has_split = false;
  for (int step = 0; step < 100 && bodies().size() == 1; ++step) {
    tracker.advance(pinch, 0.02);
    if (bodies().size() == 1) continue;
    has_split = true;
    ASSERT_EQ(bodies().size(), 2U);
    for (const LiquidComponent& c : bodies()) {
      EXPECT_EQ(c.parents, std::vector<std::int64_t>{large});
      EXPECT_EQ(c.id, c.volume > bodies()[0].volume || c.volume > bodies()[1].volume ? large : 2);
    }
  }
  EXPECT_TRUE(has_split);
}

TEST(LiquidComponents, SpecksAreRemovedAndBooked) {
  ContouringParams with_specks = params();
  with_specks.least_volume = 0;
  ContouringParams without = params();
  without.least_volume = 30;
  const ShapePtr liquid = make_union(
      {make_sphere({0.5, 0.5, 0.5}, 0.2), make_sphere({0.15, 0.5, 0.5}, 1.8 * kSpacing)});
  const ShapePtr with_pocket =
      make_difference({liquid, make_sphere({0.5, 0.5, 0.55}, 1.7 * kSpacing)});
  ContouringTracker all(*with_pocket, kUnitBox, with_specks);
  EXPECT_EQ(all.components().components.size(), 2U);
  const auto still = test::uniform_flow({0, 0, 0});
  EXPECT_EQ(all.advance(still, 0.01).specks.drops, 0);
  EXPECT_EQ(all.components().components.size(), 2U);

  ContouringTracker cleaned(*with_pocket, kUnitBox, without);
  ASSERT_EQ(cleaned.components().components.size(), 1U);
  EXPECT_EQ(cleaned.components().components[0].pockets, 0);
  EXPECT_NEAR(cleaned.components().components[0].volume, ball(0.2), lack(0.2));
  // The distance knows nothing of them either.
  const std::vector<Vec3> points = {{0.15, 0.5, 0.5}, {0.5, 0.5, 0.55}};
  std::vector<double> values(2);
  cleaned.distance().evaluate(points, values);
  EXPECT_GT(values[0], 0);
  EXPECT_LT(values[1], 0);
}

TEST(Specks, OfLiquidAndOfAirAreBookedApart) {
  TriangleMesh mesh = test::sphere(3);
  const auto add = [&](const TriangleMesh& piece, bool is_pocket) {
    const auto shift = static_cast<std::int32_t>(mesh.vertices.size());
    mesh.vertices.insert(mesh.vertices.end(), piece.vertices.begin(), piece.vertices.end());
    for (Triangle t : piece.triangles) {
      if (is_pocket) std::swap(t[1], t[2]);
      mesh.triangles.push_back({t[0] + shift, t[1] + shift, t[2] + shift});
    }
  };
  const TriangleMesh drop = test::sphere(2, 0.1, {3, 0, 0});
  const TriangleMesh pocket = test::sphere(2, 0.05);
  add(drop, false);
  add(pocket, true);
  add(test::sphere(2, 0.5, {0, 3, 0}), false);
  std::vector<Vec3f> normals(mesh.vertices.size(), Vec3f::UnitX());
  MeshComponents pieces = mesh_components(mesh);
  const double before = enclosed_volume(mesh);
  const SpeckReport report = remove_specks(0.01, mesh, normals, pieces);
  EXPECT_EQ(report.drops, 1);
  EXPECT_EQ(report.pockets, 1);
  EXPECT_NEAR(report.drop_volume, enclosed_volume(drop), 1e-12);
  EXPECT_NEAR(report.pocket_volume, enclosed_volume(pocket), 1e-12);
  // What is left is what there was, less the drop, and with the pocket filled.
  EXPECT_NEAR(enclosed_volume(mesh), before - report.drop_volume + report.pocket_volume, 1e-12);
  EXPECT_EQ(pieces.components.size(), 2U);
  EXPECT_EQ(normals.size(), mesh.vertices.size());
  EXPECT_EQ(mesh_components(mesh).of_vertex, pieces.of_vertex);
}

}  // namespace
}  // namespace spindrift
