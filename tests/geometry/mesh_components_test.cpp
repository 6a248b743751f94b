#include "spindrift/geometry/mesh_components.hpp"

#include <numbers>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "spindrift/core/parallel.hpp"
#include "spindrift/geometry/union_find.hpp"

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

// As from one thread, with all sets in each other's way.
TEST(UnionFind, JoinsTheSameFromSeveralThreads) {
  constexpr std::int32_t kCount = 20000;
  std::vector<std::pair<std::int32_t, std::int32_t>> pairs;
  for (std::int32_t i = kCount - 1; i >= 0; --i) {
    pairs.emplace_back(i, (i * 7919 + 13) % kCount);
    pairs.emplace_back(i, i / 5 * 5);
  }
  pairs.resize(pairs.size() / 3);  // or all would be one
  UnionFind alone(kCount);
  for (const auto& [a, b] : pairs) alone.unite(a, b);
  UnionFind together(kCount);
  parallel_for_each(
      std::ssize(pairs),
      [&](std::int64_t i) {
        const auto& [a, b] = pairs[static_cast<std::size_t>(i)];
        together.unite_among_others(a, b);
      },
      8);
  std::int32_t sets = 0;
  for (std::int32_t i = 0; i < kCount; ++i) {
    ASSERT_EQ(together.find(i), alone.find(i)) << i;
    sets += alone.find(i) == i ? 1 : 0;
  }
  EXPECT_GT(sets, 10);
  EXPECT_LT(sets, kCount / 2);
}

TEST(MeshComponents, CanBeNone) { EXPECT_TRUE(mesh_components({}).components.empty()); }

}  // namespace
}  // namespace spindrift
