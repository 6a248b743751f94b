#include "spindrift/geometry/self_intersection.hpp"

#include <gtest/gtest.h>

#include "spindrift/core/parallel.hpp"

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
  EXPECT_EQ(find_self_intersections(two, TriangleBvh(two)).count, 0);
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
  const SelfIntersections found = find_self_intersections(two, TriangleBvh(two));
  EXPECT_EQ(found.count, expected);
  EXPECT_GT(expected, 40);
  EXPECT_EQ(found.examples.size(), 5u);
  EXPECT_FALSE(found.is_capped);
}

// Long triangles through a common middle: almost all pairs of them meet.
TriangleMesh tangle(int triangles) {
  test::Random random(11);
  TriangleMesh mesh;
  for (int t = 0; t < triangles; ++t) {
    const Vec3 along = random.direction(), across = 0.5 * random.direction();
    mesh.vertices.insert(mesh.vertices.end(), {-along, along, across});
    mesh.triangles.push_back({3 * t, 3 * t + 1, 3 * t + 2});
  }
  return mesh;
}

TEST(SelfIntersection, CountingEndsAtTheCapForAnyNumberOfThreads) {
  const TriangleMesh mesh = tangle(9000);
  const TriangleBvh bvh(mesh);
  for (const std::int64_t cap : {std::int64_t{1}, std::int64_t{777}, std::int64_t{200'000}}) {
    SelfIntersections results[2];
    for (int threads = 1; threads <= 2; ++threads) {
      const ThreadLimit limit(threads);
      results[threads - 1] = find_self_intersections(mesh, bvh, {.max_pairs = cap});
    }
    for (const SelfIntersections& result : results) {
      EXPECT_EQ(result.count, cap);
      EXPECT_TRUE(result.is_capped);
      ASSERT_EQ(result.examples.size(), static_cast<std::size_t>(std::min<std::int64_t>(cap, 5)));
    }
    for (std::size_t i = 0; i < results[0].examples.size(); ++i) {
      EXPECT_EQ(results[0].examples[i].first, results[1].examples[i].first);
      EXPECT_EQ(results[0].examples[i].second, results[1].examples[i].second);
    }
  }
}

TEST(SelfIntersection, CountsBeyondTheFirstWaveOfTriangles) {
  // Far apart, in pairs that cross.
  TriangleMesh mesh;
  constexpr int kPairs = 5000;
  for (int i = 0; i < kPairs; ++i) {
    const Vec3 at(3.0 * i, 0, 0);
    for (const Vec3& corner : {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0.2, 0.2, -1),
                               Vec3(0.2, 0.2, 1), Vec3(0.3, 0.2, 1)}) {
      mesh.vertices.emplace_back(at + corner);
    }
    mesh.triangles.push_back({6 * i, 6 * i + 1, 6 * i + 2});
    mesh.triangles.push_back({6 * i + 3, 6 * i + 4, 6 * i + 5});
  }
  const TriangleBvh bvh(mesh);
  EXPECT_EQ(find_self_intersections(mesh, bvh).count, kPairs);
  EXPECT_FALSE(find_self_intersections(mesh, bvh).is_capped);
  EXPECT_EQ(find_self_intersections(mesh, bvh, {.max_pairs = 4000}).count, 4000);
  EXPECT_TRUE(find_self_intersections(mesh, bvh, {.max_pairs = 4000}).is_capped);
}

// Needles: their boxes overlap, but they hardly ever meet.
TEST(SelfIntersection, LookingEndsWithTheCandidatesForAnyNumberOfThreads) {
  test::Random random(19);
  TriangleMesh mesh;
  for (int t = 0; t < 4000; ++t) {
    const Vec3 along = random.direction(), across = 1e-3 * random.direction();
    const Vec3 at = random.in_box(Box3(Vec3(-1, -1, -1), Vec3(1, 1, 1)));
    mesh.vertices.insert(mesh.vertices.end(),
                         {Vec3(at - along), Vec3(at + along), Vec3(at + across)});
    mesh.triangles.push_back({3 * t, 3 * t + 1, 3 * t + 2});
  }
  const TriangleBvh bvh(mesh);
  const SelfIntersections all = find_self_intersections(mesh, bvh, {.max_candidates = 16'000'000});
  EXPECT_FALSE(all.is_capped);
  std::int64_t counts[2];
  for (int threads = 1; threads <= 2; ++threads) {
    const ThreadLimit limit(threads);
    const auto found = find_self_intersections(mesh, bvh, {.max_candidates = 0});
    EXPECT_TRUE(found.is_capped);
    counts[threads - 1] = found.count;
  }
  EXPECT_EQ(counts[0], counts[1]);
  EXPECT_GT(counts[0], 0);
  EXPECT_LT(counts[0], all.count);
}

}  // namespace
}  // namespace spindrift
