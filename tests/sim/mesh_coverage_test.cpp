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
  const std::vector<Vec3> points = {Vec3(0.2, 0.2, 0.2), Vec3(0.3, 0.3, -0.4), Vec3(0.3, 0.3, -0.6),
                                    Vec3(3, 0, 0), Vec3(1.4, -0.2, -0.2)};
  EXPECT_DOUBLE_EQ(share_out_of_reach(mesh, neighbors, locator, points, 0.5), 0.4);
  EXPECT_DOUBLE_EQ(share_out_of_reach(mesh, neighbors, locator, {}, 0.5), 0);
}

}  // namespace
}  // namespace spindrift
