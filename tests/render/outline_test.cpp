#include "spindrift/render/outline.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "support/meshes.hpp"

namespace spindrift {
namespace {

Vec3 twice_area_vector(const TriangleMesh& mesh, std::int64_t t) {
  return (mesh.corner(t, 1) - mesh.corner(t, 0)).cross(mesh.corner(t, 2) - mesh.corner(t, 0));
}

TEST(Outline, InnerPartAndRimCoverTheTriangle) {
  const TriangleMesh mesh = test::sphere(2);
  const OutlinedTriangles parts = outline_triangles(mesh, 0.25);
  ASSERT_EQ(parts.inner.triangle_count(), mesh.triangle_count());
  ASSERT_EQ(parts.rim.triangle_count(), 6 * mesh.triangle_count());
  EXPECT_NEAR(surface_area(parts.inner), 0.75 * 0.75 * surface_area(mesh), 1e-12);
  EXPECT_NEAR(surface_area(parts.inner) + surface_area(parts.rim), surface_area(mesh), 1e-12);
  for (std::int64_t t = 0; t < mesh.triangle_count(); ++t) {
    Vec3 sum = twice_area_vector(parts.inner, t);
    for (int k = 0; k < 6; ++k) {
      const Vec3 part = twice_area_vector(parts.rim, 6 * t + k);
      EXPECT_GT(part.dot(twice_area_vector(mesh, t)), 0);
      sum += part;
    }
    EXPECT_LT((sum - twice_area_vector(mesh, t)).norm(), 1e-15);
  }
}

TEST(Outline, TheRimIsEquallyWideOnAllSides) {
  TriangleMesh mesh;
  mesh.vertices = {{0, 0, 0}, {4, 0, 0}, {0, 3, 0}};  // inscribed circle of radius 1 around (1, 1)
  mesh.triangles = {{0, 1, 2}};
  const TriangleMesh inner = outline_triangles(mesh, 0.2).inner;
  EXPECT_LT((inner.corner(0, 0) - Vec3(0.2, 0.2, 0)).norm(), 1e-15);
  EXPECT_LT((inner.corner(0, 1) - Vec3(3.4, 0.2, 0)).norm(), 1e-15);
  EXPECT_LT((inner.corner(0, 2) - Vec3(0.2, 2.6, 0)).norm(), 1e-15);
}

TEST(Outline, TrianglesWithoutSizeStayFinite) {
  TriangleMesh mesh;
  mesh.vertices = {{1, 2, 3}};
  mesh.triangles = {{0, 0, 0}};
  for (const Vec3& v : outline_triangles(mesh).rim.vertices) EXPECT_EQ(v, Vec3(1, 2, 3));
  EXPECT_TRUE(outline_triangles({}).rim.triangles.empty());
}

}  // namespace
}  // namespace spindrift
