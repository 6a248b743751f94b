#include "spindrift/geometry/mesh_components.hpp"

#include <numbers>

#include <gtest/gtest.h>

#include "support/meshes.hpp"

namespace spindrift {
namespace {

TEST(MeshComponents, CountsAndMeasuresEachPiece) {
  const Vec3 far(1e4, -2e4, 3e4);
  TriangleMesh mesh = test::cube(far, far + Vec3(2, 3, 4));
  const TriangleMesh pocket = test::sphere(5, 0.5, far + Vec3(1, 1, 1));
  const auto shift = static_cast<std::int32_t>(mesh.vertices.size()) + 1;
  mesh.vertices.emplace_back(0, 0, 0);  // unused
  mesh.vertices.insert(mesh.vertices.end(), pocket.vertices.begin(), pocket.vertices.end());
  for (const Triangle& t : pocket.triangles) {
    mesh.triangles.push_back({t[0] + shift, t[2] + shift, t[1] + shift});
  }
  const MeshComponents found = mesh_components(mesh);
  ASSERT_EQ(found.components.size(), 2U);
  EXPECT_NEAR(found.components[0].volume, 24, 1e-9);
  EXPECT_NEAR(found.components[0].area, 52, 1e-9);
  EXPECT_EQ(found.components[0].triangles, 12);
  EXPECT_NEAR(found.components[1].volume, -std::numbers::pi / 6, 1e-3);
  EXPECT_NEAR(found.components[1].area, std::numbers::pi, 4e-3);
  EXPECT_EQ(found.of_vertex[7], 0);
  EXPECT_EQ(found.of_vertex[8], -1);
  EXPECT_EQ(found.of_vertex[9], 1);
}

TEST(MeshComponents, CanBeNone) { EXPECT_TRUE(mesh_components({}).components.empty()); }

}  // namespace
}  // namespace spindrift
