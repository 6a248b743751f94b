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
  // Inside; below a face by less than the reach and by more; beyond a corner.
  const std::vector<Vec3> points = {Vec3(0.2, 0.2, 0.2), Vec3(0.3, 0.3, -0.4), Vec3(0.3, 0.3, -0.6),
                                    Vec3(3, 0, 0)};
  EXPECT_DOUBLE_EQ(share_out_of_reach(locator, points, 0.5), 0.5);
  EXPECT_DOUBLE_EQ(share_out_of_reach(locator, {}, 0.5), 0);
}

}  // namespace
}  // namespace spindrift
