#include "spindrift/mesh/tet_neighbors.hpp"

#include <numeric>

#include <gtest/gtest.h>

#include "spindrift/core/parallel.hpp"
#include "spindrift/mesh/tet_faces.hpp"

#include "support/random.hpp"
#include "support/tet_meshes.hpp"

namespace spindrift {
namespace {

// By sorting all faces.
TetNeighbors sorted_neighbors(const TetMesh& mesh) {
  TetNeighbors result(mesh.tets.size(), {-1, -1, -1, -1});
  const auto entry = [&](FaceId face) -> std::int32_t& {
    return result[static_cast<std::size_t>(face >> 2)][static_cast<std::size_t>(face & 3)];
  };
  for_each_face(sorted_face_uses(mesh), [&](std::span<const FaceUse> uses) {
    if (uses.size() != 2) return;
    entry(uses[0].face()) = static_cast<std::int32_t>(uses[1].face());
    entry(uses[1].face()) = static_cast<std::int32_t>(uses[0].face());
  });
  return result;
}

TetMesh shuffled(TetMesh mesh, std::uint64_t seed) {
  test::Random random(seed);
  for (std::size_t i = mesh.tets.size(); i > 1; --i) {
    std::swap(mesh.tets[i - 1],
              mesh.tets[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(i)))]);
  }
  return mesh;
}

TEST(TetNeighbors, AreThoseOfSortedFaces) {
  for (const Vec3i& cells : {Vec3i(1, 1, 1), Vec3i(3, 2, 1), Vec3i(24, 17, 21)}) {
    const TetMesh mesh = test::kuhn_grid(cells);
    EXPECT_EQ(find_neighbors(mesh), sorted_neighbors(mesh));
    const TetMesh any_order = shuffled(mesh, 7);
    EXPECT_EQ(find_neighbors(any_order), sorted_neighbors(any_order));
  }
}

TEST(TetNeighbors, ThreadsDoNotMatter) {
  const TetMesh mesh = shuffled(test::kuhn_grid({20, 20, 20}), 11);
  const auto run = [&](int threads) {
    const ThreadLimit limit(threads);
    return find_neighbors(mesh);
  };
  EXPECT_EQ(run(1), run(2));
}

TEST(TetNeighbors, OfNothingAreNone) { EXPECT_TRUE(find_neighbors(TetMesh()).empty()); }

}  // namespace
}  // namespace spindrift
