#include "spindrift/geometry/self_intersection.hpp"

#include <gtest/gtest.h>

#include "support/meshes.hpp"
#include "support/random.hpp"

namespace spindrift {
namespace {

bool pair_intersects(const std::vector<Vec3>& vertices, Triangle s, Triangle t) {
  const TriangleMesh mesh{vertices, {s, t}};
  const bool result = triangles_intersect(mesh, 0, 1);
  EXPECT_EQ(result, triangles_intersect(mesh, 1, 0)) << "not symmetric";
  return result;
}

TEST(SelfIntersection, SeparateTriangles) {
  const std::vector<Vec3> flat = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}};
  const auto with = [&](std::vector<Vec3> other) {
    other.insert(other.begin(), flat.begin(), flat.end());
    return pair_intersects(other, {0, 1, 2}, {3, 4, 5});
  };
  EXPECT_TRUE(with({{1, 1, -1}, {1, 1, 1}, {9, 9, 0}})) << "pierced by a side";
  EXPECT_TRUE(with({{1, 1, 0}, {1, 1, 1}, {2, 1, 1}})) << "touched by a corner";
  EXPECT_FALSE(with({{1, 1, 1e-15}, {1, 1, 1}, {2, 1, 1}})) << "barely above";
  EXPECT_TRUE(with({{1, 1, 0}, {2, 1, 0}, {1, 2, 0}})) << "inside, in the same plane";
  EXPECT_TRUE(with({{-9, -9, 0}, {40, -9, 0}, {-9, 40, 0}})) << "around, in the same plane";
  EXPECT_FALSE(with({{5, 5, 0}, {6, 5, 0}, {5, 6, 0}})) << "beside, in the same plane";
  EXPECT_TRUE(with({{2, 2, 0}, {6, 5, 0}, {5, 6, 0}})) << "touching a side, in the same plane";
}

TEST(SelfIntersection, NeighbourTriangles) {
  const std::vector<Vec3> v = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {4, 4, 0},
                               {1, 1, 0}, {1, 1, 2}, {9, 9, 0}, {-1, -1, 3}};
  EXPECT_FALSE(pair_intersects(v, {0, 1, 2}, {1, 3, 2})) << "two halves of a square";
  EXPECT_TRUE(pair_intersects(v, {0, 1, 2}, {1, 4, 2})) << "folded flat onto the same side";
  EXPECT_FALSE(pair_intersects(v, {0, 1, 2}, {1, 5, 2})) << "folded upwards";
  EXPECT_FALSE(pair_intersects(v, {0, 1, 2}, {0, 5, 7})) << "a common corner only";
  EXPECT_TRUE(pair_intersects(v, {0, 1, 2}, {0, 5, 6})) << "a common corner, then through";
  EXPECT_TRUE(pair_intersects(v, {0, 1, 2}, {0, 4, 5})) << "a common corner, a side in the plane";
  EXPECT_FALSE(pair_intersects(v, {0, 1, 2}, {2, 0, 1})) << "the same triangle";
}

// Independent: two triangles meet if a side of one crosses the other, found by solving in double.
bool crosses_by_solving(const Vec3 (&s)[3], const Vec3 (&t)[3]) {
  for (int k = 0; k < 3; ++k) {
    const Vec3 p = s[k], d = s[(k + 1) % 3] - p;
    Mat3 m;
    m << -d, t[1] - t[0], t[2] - t[0];
    const Vec3 x = m.inverse() * (p - t[0]);
    if (x[0] >= 0 && x[0] <= 1 && x[1] >= 0 && x[2] >= 0 && x[1] + x[2] <= 1) return true;
  }
  return false;
}

TEST(SelfIntersection, AgreesWithSolvingOnRandomTriangles) {
  test::Random random(5);
  const Box3 box(Vec3(-1, -1, -1), Vec3(1, 1, 1));
  int meeting = 0;
  for (int i = 0; i < 5000; ++i) {
    Vec3 s[3], t[3];
    for (Vec3& p : s) p = random.in_box(box);
    for (Vec3& p : t) p = random.in_box(box);
    const bool expected = crosses_by_solving(s, t) || crosses_by_solving(t, s);
    meeting += expected;
    ASSERT_EQ(pair_intersects({s[0], s[1], s[2], t[0], t[1], t[2]}, {0, 1, 2}, {3, 4, 5}), expected)
        << "sample " << i;
  }
  EXPECT_GT(meeting, 500);
}

TEST(SelfIntersection, MeshesAndBruteForceAgree) {
  TriangleMesh two = test::sphere(2);
  EXPECT_EQ(find_self_intersections(two, TriangleBvh(two), 5).count, 0);
  const TriangleMesh other = test::sphere(2, 1, {0.7, 0.1, 0.2});
  const auto shift = static_cast<std::int32_t>(two.vertex_count());
  two.vertices.insert(two.vertices.end(), other.vertices.begin(), other.vertices.end());
  for (Triangle t : other.triangles)
    two.triangles.push_back({t[0] + shift, t[1] + shift, t[2] + shift});
  std::int64_t expected = 0;
  for (std::int32_t s = 0; s < two.triangle_count(); ++s) {
    for (std::int32_t t = s + 1; t < two.triangle_count(); ++t) {
      expected += triangles_intersect(two, s, t);
    }
  }
  const SelfIntersections found = find_self_intersections(two, TriangleBvh(two), 5);
  EXPECT_EQ(found.count, expected);
  EXPECT_GT(expected, 40);
  EXPECT_EQ(found.examples.size(), 5u);
}

}  // namespace
}  // namespace spindrift
