#include "spindrift/geometry/mesh_shape.hpp"

#include <gtest/gtest.h>

#include "spindrift/geometry/triangle.hpp"

#include "support/meshes.hpp"
#include "support/random.hpp"

namespace spindrift {
namespace {

double brute_force_signed_distance(const TriangleMesh& mesh, const Vec3& p) {
  double best = 1e300, winding = 0;
  for (std::int64_t t = 0; t < mesh.triangle_count(); ++t) {
    const Vec3 &a = mesh.corner(t, 0), &b = mesh.corner(t, 1), &c = mesh.corner(t, 2);
    best = std::min(best, (closest_point_on_triangle(p, a, b, c) - p).norm());
    winding += solid_angle_share(p, a, b, c);
  }
  return winding > 0.5 ? -best : best;
}

TEST(MeshShape, ACubeMeshHasTheDistanceOfABox) {
  const auto mesh_shape = make_mesh_shape(test::cube());
  const auto box = make_box({0, 0, 0}, {1, 1, 1});
  test::Random random(1);
  for (int i = 0; i < 3000; ++i) {
    const Vec3 p = random.in_box(Box3(Vec3(-1, -1, -1), Vec3(2, 2, 2)));
    ASSERT_NEAR(mesh_shape->distance(p), box->distance(p), 1e-14) << p.transpose();
  }
  EXPECT_TRUE(mesh_shape->is_exact());
}

TEST(MeshShape, BatchesOfNearAndFarPointsAgreeWithBruteForce) {
  // Overlapping spheres and one with a cavity: the sign is that of the union.
  TriangleMesh mesh = test::sphere(3);
  for (const auto& [center, radius] : {std::pair{Vec3(1.2, 0, 0), 0.7}, {Vec3(0, 0, 0), -0.4}}) {
    const auto shift = static_cast<std::int32_t>(mesh.vertex_count());
    const TriangleMesh other = test::sphere(3, std::abs(radius), center);
    mesh.vertices.insert(mesh.vertices.end(), other.vertices.begin(), other.vertices.end());
    for (Triangle t : other.triangles) {
      if (radius < 0) std::swap(t[0], t[1]);
      mesh.triangles.push_back({t[0] + shift, t[1] + shift, t[2] + shift});
    }
  }
  const auto shape = make_mesh_shape(mesh);
  test::Random random(2);
  std::vector<Vec3> points;
  Vec3 walker = Vec3::Zero();
  for (int i = 0; i < 4000; ++i) {
    walker += 0.05 * random.direction();
    if (i % 100 == 0) walker = random.in_box(Box3(Vec3(-2, -2, -2), Vec3(2, 2, 2)));
    points.push_back(walker);
  }
  std::vector<double> values(points.size());
  shape->evaluate(points, values);
  for (std::size_t i = 0; i < points.size(); ++i) {
    ASSERT_NEAR(values[i], brute_force_signed_distance(mesh, points[i]), 1e-13) << "point " << i;
  }
}

TEST(MeshShape, AnOpenMeshIsContinuousAcrossItsHole) {
  TriangleMesh bowl = test::sphere(4);
  std::erase_if(bowl.triangles, [&](const Triangle& t) { return bowl.vertices[t[0]].z() > 0.5; });
  const auto shape = make_mesh_shape(bowl);
  EXPECT_FALSE(shape->is_exact());
  EXPECT_LT(shape->distance({0, 0, -0.5}), -0.4);
  EXPECT_GT(shape->distance({0, 0, 2}), 1);
  // Up the axis through the opening there is one change of side and no jump.
  double last = shape->distance({0, 0, -0.9});
  int changes = 0;
  for (double z = -0.9; z < 1.5; z += 0.001) {
    const double value = shape->distance({0, 0, z});
    EXPECT_LT(std::abs(value - last), 0.005) << "at z = " << z;
    changes += (value < 0) != (last < 0);
    last = value;
  }
  EXPECT_EQ(changes, 1);
}

}  // namespace
}  // namespace spindrift
