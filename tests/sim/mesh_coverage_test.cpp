#include "spindrift/sim/mesh_coverage.hpp"

#include <gtest/gtest.h>

#include "spindrift/mesh/tet_neighbors.hpp"

namespace spindrift {
namespace {

TEST(MeshCoverage, CountsPointsFarFromAllTetrahedra) {
  TetMesh mesh;
  mesh.vertices = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)};
  mesh.tets = {{0, 1, 2, 3}};
  const auto neighbors = find_neighbors(mesh);
  const TetLocator locator(mesh, neighbors);
  // Inside; below a face by less than the reach and by more; beyond a corner, out of reach and
  // within it, though no place that is half as far around it or as far is in the mesh.
  TriangleMesh surface;
  surface.vertices = {Vec3(0.2, 0.2, 0.2), Vec3(0.3, 0.3, -0.4), Vec3(0.3, 0.3, -0.6),
                      Vec3(3, 0, 0), Vec3(1.4, -0.2, -0.2)};
  EXPECT_DOUBLE_EQ(share_out_of_reach(mesh, neighbors, locator, surface, 0.5), 0.4);
  // Whichever way its triangles say that inside is, and where they do not say.
  surface.triangles = {{0, 1, 2}, {1, 4, 3}, {2, 2, 4}};
  EXPECT_DOUBLE_EQ(share_out_of_reach(mesh, neighbors, locator, surface, 0.5), 0.4);
  surface.triangles = {{0, 2, 1}, {1, 3, 4}};
  EXPECT_DOUBLE_EQ(share_out_of_reach(mesh, neighbors, locator, surface, 0.5), 0.4);
  EXPECT_DOUBLE_EQ(share_out_of_reach(mesh, neighbors, locator, {}, 0.5), 0);
}

}  // namespace
}  // namespace spindrift
