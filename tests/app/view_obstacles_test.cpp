// Shapes as triangles: closed, outward, of the right volume, on the surface of the shape.
#include "spindrift/app/view_obstacles.hpp"

#include <numbers>

#include <gtest/gtest.h>

#include "spindrift/geometry/mesh_check.hpp"
#include "spindrift/geometry/mesh_weld.hpp"
#include "spindrift/scene/read.hpp"

namespace spindrift::app {
namespace {

const Box3 kRoom(Vec3(-3, -3, -3), Vec3(3, 3, 3));

TriangleMesh triangles(const std::string& shape) {
  MeshLibrary library;
  return triangles_of(parse_shape(shape), kRoom, library);
}

struct Case {
  const char* shape;
  double volume;     // exact
  double tolerance;  // relative: 64 sides of a circle enclose 0.16 % less
};

class ViewObstacles : public testing::TestWithParam<Case> {};

TEST_P(ViewObstacles, AreOutwardAndOfTheRightVolume) {
  const TriangleMesh mesh = triangles(GetParam().shape);
  EXPECT_NEAR(enclosed_volume(mesh), GetParam().volume, GetParam().tolerance * GetParam().volume);
}

TEST_P(ViewObstacles, HaveTheirVerticesOnTheShape) {
  MeshLibrary library;
  const ShapePtr shape = build_shape(parse_shape(GetParam().shape), library.loader());
  const TriangleMesh mesh = triangles(GetParam().shape);
  ASSERT_FALSE(mesh.triangles.empty());
  for (const Vec3& vertex : mesh.vertices) {
    if (vertex.cwiseAbs().maxCoeff() > 2.9) continue;  // where the room ends
    EXPECT_NEAR(shape->distance(vertex), 0, 0.03) << vertex.transpose();
  }
}

constexpr double kPi = std::numbers::pi;

INSTANTIATE_TEST_SUITE_P(
    Kinds, ViewObstacles,
    testing::Values(
        Case{"box = { min = [-1, 0, 0], max = [1, 1, 2] }", 4, 1e-12},
        Case{"sphere = { center = [0.2, 0, 1], radius = 0.5 }", kPi / 6, 0.01},
        Case{"cylinder = { from = [0, 0, 0], to = [0, 2, 0], radius = 0.5 }", kPi / 2, 0.002},
        Case{"capsule = { from = [0, 0, 0], to = [1, 1, 0], radius = 0.5 }",
             kPi / 6 + kPi / 4 * std::numbers::sqrt2, 0.01},
        Case{"cone = { from = [0, 0, 1], to = [0, 0, -1], radius = 1 }", 2 * kPi / 3, 0.002},
        Case{"torus = { center = [0, 0, 0], axis = [1, 1, 0], radius = 1, tube = 0.25 }",
             kPi* kPi / 8, 0.01},
        Case{"box = { min = [0, 0, 0], max = [1, 1, 1] }, scale = [1, 2, 1], translate = [0, 0, 1]",
             2, 1e-12},
        Case{"subtract = [ { box = { min = [-1, -1, -1], max = [1, 1, 1] } },"
             " { sphere = { radius = 0.5 } } ]",
             8 - kPi / 6, 0.01},
        Case{"halfspace = { point = [0, 0, 0], normal = [0, 0, 1] }", 108, 0.01}));

TEST(ViewObstaclesUnion, ShowsItsParts) {
  const TriangleMesh mesh = triangles(
      "union = [ { box = { min = [0, 0, 0], max = [1, 1, 1] } },"
      " { box = { min = [2, 0, 0], max = [3, 1, 1] } } ]");
  EXPECT_EQ(mesh.triangle_count(), 24);
  EXPECT_NEAR(enclosed_volume(mesh), 2, 1e-12);
}

TEST(ViewObstaclesOutside, OfTheRoomLeaveNothing) {
  EXPECT_TRUE(
      triangles("halfspace = { point = [0, 0, -9], normal = [0, 0, 1] }").triangles.empty());
}

}  // namespace
}  // namespace spindrift::app
