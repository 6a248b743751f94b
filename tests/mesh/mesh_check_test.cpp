#include "spindrift/mesh/mesh_check.hpp"

#include <gtest/gtest.h>

#include "support/tet_meshes.hpp"

namespace spindrift {
namespace {

TEST(TetMeshCheck, GridsConform) {
  for (const bool has_five : {false, true}) {
    const Vec3i cells(4, 3, 2);
    const TetMesh mesh = has_five ? test::five_grid(cells) : test::kuhn_grid(cells);
    const TetMeshReport report = check_tets(mesh);
    EXPECT_TRUE(report.is_conforming());
    EXPECT_EQ(report.tets, (has_five ? 5 : 6) * 24);
    EXPECT_EQ(report.boundary_faces, 2 * 2 * (4 * 3 + 3 * 2 + 2 * 4));
    EXPECT_EQ(2 * report.faces, 4 * report.tets + report.boundary_faces);
    EXPECT_EQ(report.unused_vertices, 0);
    EXPECT_EQ(report.components, 1);
  }
}

TEST(TetMeshCheck, CellsThatShareOnlyAnEdgeAreTwoComponents) {
  TetMesh mesh = test::kuhn_grid({2, 2, 1});
  TetMesh diagonal = mesh;
  diagonal.tets.clear();
  for (const int cell : {0, 3}) {
    for (int k = 0; k < 6; ++k) diagonal.tets.push_back(mesh.tets[6 * cell + k]);
  }
  const TetMeshReport report = check_tets(diagonal);
  EXPECT_TRUE(report.is_conforming());
  EXPECT_EQ(report.components, 2);
  EXPECT_EQ(report.boundary_faces, 24);
  EXPECT_EQ(report.unused_vertices, 4);
}

TEST(TetMeshCheck, ATetrahedronInsideOutIsOnTheWrongSideOfItsFaces) {
  TetMesh mesh = test::kuhn_grid({3, 3, 3});
  // One in the middle: all of its four faces have a neighbour.
  std::swap(mesh.tets[6 * 13][0], mesh.tets[6 * 13][1]);
  const TetMeshReport report = check_tets(mesh, 2);
  EXPECT_FALSE(report.is_conforming());
  EXPECT_EQ(report.one_sided_faces.count, 4);
  EXPECT_EQ(report.one_sided_faces.places.size(), 2u);
  EXPECT_EQ(report.open_edges.count, 0);
  for (const Vec3& place : report.one_sided_faces.places) {
    EXPECT_LT((place - Vec3(1.5, 1.5, 1.5)).cwiseAbs().maxCoeff(), 0.5 + 1e-12);
  }
}

TEST(TetMeshCheck, ATetrahedronTwiceCrowdsItsFaces) {
  TetMesh mesh = test::kuhn_grid({3, 3, 3});
  mesh.tets.push_back(mesh.tets[6 * 13]);
  const TetMeshReport report = check_tets(mesh);
  EXPECT_EQ(report.crowded_faces.count, 4);
  EXPECT_EQ(report.crowded_faces.places.size(), 4u);
  EXPECT_FALSE(report.is_conforming());
}

TEST(TetMeshCheck, AVertexOfItsOwnOpensNoEdgeButMakesBoundary) {
  // A crack: one tetrahedron has a copy of a vertex, so that three of its faces fit no longer.
  TetMesh mesh = test::kuhn_grid({3, 3, 3});
  const TetMeshReport before = check_tets(mesh);
  Tet& tet = mesh.tets[6 * 13];
  mesh.vertices.push_back(mesh.vertices[tet[0]]);
  tet[0] = static_cast<std::int32_t>(mesh.vertex_count() - 1);
  const TetMeshReport report = check_tets(mesh);
  EXPECT_EQ(report.boundary_faces, before.boundary_faces + 6);
  EXPECT_EQ(report.faces, before.faces + 3);
}

TEST(TetMeshCheck, BoundaryEdgesOfFlippedNeighboursAreOpen) {
  // Two tetrahedra that share a face, one inside out: their six outer faces do not close.
  TetMesh mesh;
  mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, -1}};
  mesh.tets = {{0, 1, 2, 3}, {0, 1, 2, 4}};
  const TetMeshReport report = check_tets(mesh);
  EXPECT_EQ(report.one_sided_faces.count, 1);
  EXPECT_EQ(report.open_edges.count, 3);
  std::swap(mesh.tets[1][0], mesh.tets[1][1]);
  EXPECT_TRUE(check_tets(mesh).is_conforming());
}

TEST(TetMeshCheck, TetrahedraThatAreNoneAreLeftOut) {
  TetMesh mesh = test::kuhn_grid({1, 1, 1});
  mesh.tets.push_back({1, 1, 2, 3});
  mesh.tets.push_back({0, 1, 2, 8});
  mesh.tets.push_back({-1, -2, -3, -4});
  const TetMeshReport report = check_tets(mesh);
  EXPECT_EQ(report.bad_tets.count, 3);
  ASSERT_EQ(report.bad_tets.places.size(), 3u);
  EXPECT_EQ(report.bad_tets.places[0], Vec3(1, 0, 0));
  EXPECT_EQ(report.tets, 9);
  EXPECT_EQ(report.boundary_faces, 12);
  EXPECT_FALSE(report.is_conforming());
  EXPECT_FALSE(check_tets({}).is_conforming());
}

}  // namespace
}  // namespace spindrift
