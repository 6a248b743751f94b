#include "spindrift/mesh/boundary.hpp"

#include <gtest/gtest.h>

#include "spindrift/geometry/mesh_check.hpp"

#include "support/tet_meshes.hpp"

namespace spindrift {
namespace {

TEST(TetBoundary, OfABoxIsClosedAndOutward) {
  const TetMesh mesh = test::five_grid({4, 3, 2}, 0.5);
  const TetBoundary boundary = boundary_of(mesh);
  const MeshReport report = check_mesh(boundary.surface);
  EXPECT_TRUE(report.is_closed());
  EXPECT_TRUE(report.is_manifold());
  EXPECT_EQ(report.unused_vertices.count, 0);
  EXPECT_NEAR(report.volume, 2 * 1.5 * 1, 1e-12);
  EXPECT_NEAR(report.area, 2 * (2 * 1.5 + 1.5 * 1 + 1 * 2), 1e-12);
  EXPECT_EQ(report.vertices, 5 * 4 * 3 - 3 * 2 * 1);
  ASSERT_EQ(boundary.mesh_vertex.size(), boundary.surface.vertices.size());
  for (std::size_t v = 0; v < boundary.mesh_vertex.size(); ++v) {
    EXPECT_EQ(boundary.surface.vertices[v], mesh.vertices[boundary.mesh_vertex[v]]);
  }
}

TEST(TetBoundary, OfOneTetrahedronIsItsFaces) {
  TetMesh mesh;
  mesh.vertices = {{9, 9, 9}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  mesh.tets = {{1, 2, 3, 4}};
  const TetBoundary boundary = boundary_of(mesh);
  const std::vector<Triangle> expected = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
  EXPECT_EQ(boundary.surface.triangles, expected);
  EXPECT_EQ(boundary.mesh_vertex, (std::vector<std::int32_t>{1, 2, 3, 4}));
  EXPECT_TRUE(boundary_of({}).surface.triangles.empty());
}

TEST(TetBoundary, SidesWithoutNeighboursAreTheBoundary) {
  const TetMesh mesh = test::five_grid({6, 5, 4});
  const std::vector<std::int32_t> sides = boundary_sides(find_neighbors(mesh));
  const TetBoundary boundary = boundary_of(mesh);
  const TetBoundary same = surface_of(mesh, std::vector<FaceId>(sides.begin(), sides.end()));
  EXPECT_EQ(same.surface.triangles, boundary.surface.triangles);
  EXPECT_EQ(vertices_of(mesh, sides), boundary.mesh_vertex);
  EXPECT_TRUE(boundary_sides({}).empty());
}

TEST(TetBoundary, CutAwayAlongACellBoundaryIsAPlane) {
  const TetMesh mesh = test::kuhn_grid({4, 4, 4});
  const CutAway rest = cut_away(mesh, {2, 2, 2}, {0, -1, 0});
  EXPECT_NEAR(surface_area(rest.cut), 16, 1e-12);
  EXPECT_NEAR(surface_area(rest.outer), 4 * 8 + 16, 1e-12);
  EXPECT_EQ(surface_of(mesh, rest.outer_faces).surface.triangles, rest.outer.triangles);
  for (std::int64_t t = 0; t < rest.cut.triangle_count(); ++t) {
    for (int k = 0; k < 3; ++k) EXPECT_EQ(rest.cut.corner(t, k).y(), 2);
    // Outward, towards what was taken away.
    const Vec3 normal = (rest.cut.corner(t, 1) - rest.cut.corner(t, 0))
                            .cross(rest.cut.corner(t, 2) - rest.cut.corner(t, 0));
    EXPECT_EQ(normal, Vec3(0, -1, 0));
  }
}

TEST(TetBoundary, CutAwayClosesWhatIsLeft) {
  const TetMesh mesh = test::five_grid({5, 5, 5});
  const Vec3 point(2.6, 2.4, 2.5), normal(1, -2, 0.3);
  TetMesh kept = mesh;
  kept.tets.clear();
  for (std::int64_t t = 0; t < mesh.tet_count(); ++t) {
    const Vec3 sum = mesh.corner(t, 0) + mesh.corner(t, 1) + mesh.corner(t, 2) + mesh.corner(t, 3);
    if ((sum / 4 - point).dot(normal) <= 0) kept.tets.push_back(mesh.tets[t]);
  }
  const CutAway rest = cut_away(mesh, point, normal);
  const TriangleMesh whole = boundary_of(kept).surface;
  EXPECT_GT(rest.cut.triangle_count(), 25);
  EXPECT_EQ(rest.outer.triangle_count() + rest.cut.triangle_count(), whole.triangle_count());
  EXPECT_NEAR(surface_area(rest.outer) + surface_area(rest.cut), surface_area(whole), 1e-10);
  TriangleMesh both = rest.outer;
  both.vertices.insert(both.vertices.end(), rest.cut.vertices.begin(), rest.cut.vertices.end());
  for (Triangle t : rest.cut.triangles) {
    for (std::int32_t& v : t) v += static_cast<std::int32_t>(rest.outer.vertex_count());
    both.triangles.push_back(t);
  }
  EXPECT_NEAR(enclosed_volume(both), enclosed_volume(whole), 1e-10);
}

TEST(TetBoundary, APlaneBesideTheMeshCutsNothing) {
  const TetMesh mesh = test::kuhn_grid({2, 2, 2});
  EXPECT_EQ(cut_away(mesh, {0, 0, 9}, {0, 0, 1}).outer.triangles,
            boundary_of(mesh).surface.triangles);
  EXPECT_TRUE(cut_away(mesh, {0, 0, 9}, {0, 0, 1}).cut.triangles.empty());
  EXPECT_TRUE(cut_away(mesh, {0, 0, 9}, {0, 0, -1}).outer.triangles.empty());
}

}  // namespace
}  // namespace spindrift
