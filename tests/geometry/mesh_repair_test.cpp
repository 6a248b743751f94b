#include "spindrift/geometry/mesh_repair.hpp"

#include <gtest/gtest.h>

#include "spindrift/geometry/mesh_check.hpp"

#include "support/meshes.hpp"
#include "support/random.hpp"

namespace spindrift {
namespace {

TriangleMesh soup_of(const TriangleMesh& mesh, double noise) {
  test::Random random(3);
  TriangleMesh soup;
  for (std::int64_t t = 0; t < mesh.triangle_count(); ++t) {
    const auto first = static_cast<std::int32_t>(3 * t);
    for (int k = 0; k < 3; ++k)
      soup.vertices.emplace_back(mesh.corner(t, k) + noise * random.direction());
    soup.triangles.push_back({first, first + 1, first + 2});
  }
  return soup;
}

void append(TriangleMesh& mesh, const TriangleMesh& other) {
  const auto shift = static_cast<std::int32_t>(mesh.vertex_count());
  mesh.vertices.insert(mesh.vertices.end(), other.vertices.begin(), other.vertices.end());
  for (const Triangle& t : other.triangles) {
    mesh.triangles.push_back({t[0] + shift, t[1] + shift, t[2] + shift});
  }
}

void turn_inside_out(TriangleMesh& mesh) {
  for (Triangle& t : mesh.triangles) std::swap(t[0], t[1]);
}

TEST(MeshRepair, LeavesACleanMeshAlone) {
  TriangleMesh mesh = test::sphere(3);
  const TriangleMesh before = mesh;
  const RepairReport report = repair_mesh(mesh);
  EXPECT_FALSE(report.changed_anything());
  EXPECT_TRUE(report.sentences().empty());
  EXPECT_EQ(mesh.triangles, before.triangles);
  EXPECT_EQ(mesh.vertices, before.vertices);
}

TEST(MeshRepair, WeldsExactAndNearbyCorners) {
  for (const double noise : {0.0, 1e-8}) {
    const TriangleMesh whole = test::sphere(3);
    TriangleMesh mesh = soup_of(whole, noise);
    const RepairReport report = repair_mesh(mesh);
    EXPECT_EQ(mesh.vertex_count(), whole.vertex_count()) << noise;
    EXPECT_EQ(report.welded_vertices, 3 * whole.triangle_count() - whole.vertex_count());
    EXPECT_TRUE(check_mesh(mesh).is_closed());
    EXPECT_NEAR(enclosed_volume(mesh), enclosed_volume(whole), 1e-6);
  }
}

TEST(MeshRepair, DoesNotWeldClosedPartsThatTouch) {
  TriangleMesh mesh = test::cube();
  append(mesh, test::cube({1, 0, 0}, {2, 1, 1}));
  EXPECT_FALSE(repair_mesh(mesh).changed_anything());
  EXPECT_TRUE(check_mesh(mesh).is_manifold());
}

TEST(MeshRepair, MakesRandomlyFlippedTrianglesFaceOutwards) {
  TriangleMesh mesh = test::sphere(4);
  const double volume = enclosed_volume(mesh);
  test::Random random(9);
  std::int64_t flipped = 0;
  for (Triangle& t : mesh.triangles) {
    if (random.unit() < 0.3) {
      std::swap(t[0], t[1]);
      ++flipped;
    }
  }
  const RepairReport report = repair_mesh(mesh);
  EXPECT_EQ(report.orientation.flipped_triangles, flipped);
  EXPECT_NEAR(enclosed_volume(mesh), volume, 1e-12);
}

TEST(MeshRepair, TurnsBodiesButKeepsCavities) {
  // Outer shell inside out; inside it a cavity (inward) and in the cavity a body inside out.
  TriangleMesh mesh = test::sphere(2, 3), cavity = test::sphere(2, 2), body = test::sphere(2, 1);
  turn_inside_out(mesh);
  turn_inside_out(cavity);
  turn_inside_out(body);
  const double outer = -enclosed_volume(mesh), hollow = enclosed_volume(cavity);
  const double inner = -enclosed_volume(body);
  append(mesh, cavity);
  append(mesh, body);
  const RepairReport report = repair_mesh(mesh);
  EXPECT_EQ(report.orientation.turned_components, 2);
  EXPECT_NEAR(enclosed_volume(mesh), outer + hollow + inner, 1e-10);
}

TEST(MeshRepair, FillsSmallHolesOnly) {
  const TriangleMesh whole = test::sphere(5);
  TriangleMesh mesh = whole;
  // All triangles around one vertex: a hole with as many edges.
  std::erase_if(mesh.triangles,
                [](const Triangle& t) { return t[0] == 40 || t[1] == 40 || t[2] == 40; });
  const RepairReport report = repair_mesh(mesh);
  EXPECT_EQ(report.holes.filled, 1);
  EXPECT_TRUE(check_mesh(mesh).is_closed());
  EXPECT_TRUE(check_mesh(mesh).is_manifold());
  EXPECT_NEAR(enclosed_volume(mesh), enclosed_volume(whole), 1e-4);

  TriangleMesh cup = test::cube();
  std::erase_if(cup.triangles, [](const Triangle& t) { return (t[0] & t[1] & t[2] & 4) != 0; });
  const RepairReport cup_report = repair_mesh(cup);
  EXPECT_EQ(cup_report.holes.filled, 0);
  EXPECT_EQ(cup_report.holes.left, 1);
  EXPECT_FALSE(check_mesh(cup).is_closed());
}

TEST(MeshRepair, RemovesRepeatedAndCollapsedTriangles) {
  TriangleMesh mesh = test::cube();
  mesh.triangles.push_back({mesh.triangles[0][1], mesh.triangles[0][2], mesh.triangles[0][0]});
  mesh.triangles.push_back({2, 2, 5});
  mesh.vertices.emplace_back(7, 7, 7);
  const RepairReport report = repair_mesh(mesh);
  EXPECT_EQ(report.removed_duplicates, 1);
  EXPECT_EQ(report.removed_collapsed, 1);
  EXPECT_EQ(report.removed_unused, 1);
  EXPECT_EQ(report.sentences().size(), 3u);
  EXPECT_TRUE(check_mesh(mesh).is_closed());
}

TEST(MeshRepair, AMoebiusBandIsReportedAndSurvives) {
  TriangleMesh mesh;
  constexpr int kSegments = 12;
  for (int i = 0; i < kSegments; ++i) {
    const double angle = 2 * std::numbers::pi * i / kSegments;
    const Vec3 out(std::cos(angle), std::sin(angle), 0);
    const Vec3 across = std::cos(angle / 2) * out + std::sin(angle / 2) * Vec3::UnitZ();
    mesh.vertices.emplace_back(3 * out - across);
    mesh.vertices.emplace_back(3 * out + across);
  }
  for (int i = 0; i < kSegments; ++i) {
    const bool last = i + 1 == kSegments;
    const int a = 2 * i, b = a + 1, c = last ? 1 : a + 2, d = last ? 0 : a + 3;
    mesh.triangles.push_back({a, c, b});
    mesh.triangles.push_back({b, c, d});
  }
  const RepairReport report = repair_mesh(mesh);
  EXPECT_GE(report.orientation.conflicting_edges, 1);
  EXPECT_FALSE(check_mesh(mesh).is_closed());
}

TEST(MeshRepair, IsIdempotent) {
  TriangleMesh mesh = soup_of(test::sphere(3), 1e-8);
  for (std::size_t t = 0; t < mesh.triangles.size(); t += 3)
    std::swap(mesh.triangles[t][0], mesh.triangles[t][1]);
  static_cast<void>(repair_mesh(mesh));
  EXPECT_FALSE(repair_mesh(mesh).changed_anything());
}

}  // namespace
}  // namespace spindrift
