#include "spindrift/meshing/vertex_moves.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "spindrift/mesh/quality.hpp"

#include "support/random.hpp"
#include "support/tet_meshes.hpp"

namespace spindrift {
namespace {

TEST(VertexMoves, FindsTheTetrahedraOfVertices) {
  const TetMesh mesh = test::kuhn_grid({5, 4, 3});
  const std::vector<std::int32_t> asked = {3, 17, 50};
  std::vector<std::int32_t> expected;
  for (std::int32_t t = 0; t < mesh.tet_count(); ++t) {
    for (const std::int32_t v : mesh.tets[t]) {
      if (std::find(asked.begin(), asked.end(), v) != asked.end()) {
        expected.push_back(t);
        break;
      }
    }
  }
  EXPECT_EQ(tets_with(mesh, asked), expected);
  EXPECT_EQ(tets_with(mesh, asked, expected), expected);
  EXPECT_TRUE(tets_with(mesh, {}).empty());
}

TEST(VertexMoves, KeepsGoodOnesAndTakesBackTheRest) {
  const TetMesh before = test::five_grid({6, 6, 6});
  const DihedralBounds bounds{20, 150};
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    test::Random random(seed);
    std::vector<VertexMove> moves;
    std::vector<std::int32_t> moving;
    for (std::int32_t v = 0; v < before.vertex_count(); ++v) {
      if (random.below(3) == 0) continue;
      const Vec3& from = before.vertices[v];
      moves.push_back({v, from, from + random.between(0, 0.8) * random.direction()});
      moving.push_back(v);
    }
    TetMesh mesh = before;
    move_vertices(mesh, moves, tets_with(mesh, moving), bounds);
    const TetQuality quality = measure_quality(mesh);
    EXPECT_EQ(quality.not_positive, 0);
    EXPECT_GE(quality.min_dihedral.value, bounds.least);
    EXPECT_LE(quality.max_dihedral.value, bounds.greatest);
    std::vector<bool> was_asked(mesh.vertices.size(), false);
    int done = 0;
    for (const VertexMove& move : moves) {
      was_asked[move.vertex] = true;
      done += move.is_done;
      EXPECT_EQ(mesh.vertices[move.vertex], move.is_done ? move.to : move.from);
    }
    EXPECT_GT(done, 20);
    for (std::size_t v = 0; v < was_asked.size(); ++v) {
      if (was_asked[v]) continue;
      EXPECT_EQ(mesh.vertices[v], before.vertices[v]);
    }
  }
}

}  // namespace
}  // namespace spindrift
