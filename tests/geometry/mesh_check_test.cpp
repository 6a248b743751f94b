#include "spindrift/geometry/mesh_check.hpp"

#include <gtest/gtest.h>

#include "support/meshes.hpp"

namespace spindrift {
namespace {

TEST(MeshCheck, ACleanMeshHasNoDefects) {
  const MeshReport report = check_mesh(test::sphere(3));
  for (const MeshDefectKind& kind : mesh_defect_kinds()) {
    EXPECT_EQ((report.*kind.defect).count, 0) << kind.name;
  }
  EXPECT_TRUE(report.is_closed());
  EXPECT_TRUE(report.is_manifold());
  EXPECT_EQ(report.components, 1);
  EXPECT_GT(report.volume, 4);
}

TEST(MeshCheck, CountsAndPlacesOfEachDefect) {
  TriangleMesh open = test::cube();
  open.triangles.pop_back();  // (3, 7, 5), on the side x = 1
  MeshReport report = check_mesh(open);
  EXPECT_EQ(report.border_edges.count, 3);
  EXPECT_EQ(report.unbalanced_edges.count, 3);
  EXPECT_FALSE(report.is_closed());
  for (const Vec3& place : report.border_edges.places) EXPECT_EQ(place.x(), 1);

  TriangleMesh flipped = test::cube();
  std::swap(flipped.triangles[4][0], flipped.triangles[4][1]);
  report = check_mesh(flipped);
  EXPECT_EQ(report.flipped_edges.count, 3);
  EXPECT_EQ(report.border_edges.count, 0);
  EXPECT_FALSE(report.is_closed());

  TriangleMesh finned = test::cube();
  finned.vertices.emplace_back(0, 0, 5);
  finned.triangles.push_back({0, 1, 8});
  report = check_mesh(finned);
  EXPECT_EQ(report.nonmanifold_edges.count, 1);
  EXPECT_FALSE(report.is_manifold());

  TriangleMesh inside_out = test::cube();
  for (Triangle& t : inside_out.triangles) std::swap(t[0], t[1]);
  report = check_mesh(inside_out);
  EXPECT_EQ(report.inside_out_components.count, 1);
  EXPECT_EQ(report.volume, -1);
  EXPECT_TRUE(report.is_closed());

  TriangleMesh messy = test::cube();
  messy.triangles.push_back(messy.triangles[0]);
  messy.triangles.push_back({3, 3, 4});
  messy.vertices.push_back(messy.vertices[2]);
  report = check_mesh(messy);
  EXPECT_EQ(report.duplicate_triangles.count, 1);
  EXPECT_EQ(report.degenerate_triangles.count, 1);
  EXPECT_EQ(report.coincident_vertices.count, 1);
  EXPECT_EQ(report.unused_vertices.count, 1);
}

TEST(MeshCheck, TwoConesThatTouchInAVertexAreNotManifold) {
  TriangleMesh mesh = test::cube();
  TriangleMesh other = test::cube({1, 1, 1}, {2, 2, 2});  // shares the corner (1, 1, 1)
  for (Triangle t : other.triangles) {
    for (std::int32_t& v : t) v = v == 0 ? 7 : v + 7;
    mesh.triangles.push_back(t);
  }
  mesh.vertices.insert(mesh.vertices.end(), other.vertices.begin() + 1, other.vertices.end());
  const MeshReport report = check_mesh(mesh);
  EXPECT_EQ(report.nonmanifold_vertices.count, 1);
  EXPECT_EQ(report.nonmanifold_vertices.places.at(0), Vec3(1, 1, 1));
  EXPECT_EQ(report.components, 2);
  EXPECT_TRUE(report.is_closed());
}

TEST(MeshCheck, CopiesOverOtherVerticesAreFound) {
  TriangleMesh mesh = test::cube();
  const TriangleMesh copy = mesh;
  mesh.vertices.insert(mesh.vertices.end(), copy.vertices.begin(), copy.vertices.end());
  for (const Triangle& t : copy.triangles) mesh.triangles.push_back({t[0] + 8, t[1] + 8, t[2] + 8});
  EXPECT_EQ(check_mesh(mesh).duplicate_triangles.count, 12);
}

TEST(MeshCheck, ACavityIsNotInsideOut) {
  TriangleMesh mesh = test::sphere(2, 2);
  const auto shift = static_cast<std::int32_t>(mesh.vertex_count());
  const TriangleMesh hollow = test::sphere(2, 1);
  mesh.vertices.insert(mesh.vertices.end(), hollow.vertices.begin(), hollow.vertices.end());
  for (const Triangle& t : hollow.triangles) {
    mesh.triangles.push_back({t[1] + shift, t[0] + shift, t[2] + shift});
  }
  EXPECT_EQ(check_mesh(mesh).inside_out_components.count, 0);
}

TEST(MeshCheck, UnweldedNeighboursDoNotCountAsIntersecting) {
  const TriangleMesh joined = test::sphere(2);
  TriangleMesh soup;
  for (std::int64_t t = 0; t < joined.triangle_count(); ++t) {
    const auto first = static_cast<std::int32_t>(3 * t);
    for (int k = 0; k < 3; ++k) soup.vertices.push_back(joined.corner(t, k));
    soup.triangles.push_back({first, first + 1, first + 2});
  }
  const MeshReport report = check_mesh(soup);
  EXPECT_EQ(report.self_intersections.count, 0);
  EXPECT_EQ(report.coincident_vertices.count, soup.vertex_count() - joined.vertex_count());
  EXPECT_EQ(report.components, joined.triangle_count());
}

}  // namespace
}  // namespace spindrift
