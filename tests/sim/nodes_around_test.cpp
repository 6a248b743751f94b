#include "spindrift/sim/nodes_around.hpp"

#include <set>
#include <tuple>

#include <gtest/gtest.h>

#include "support/random.hpp"

namespace spindrift {
namespace {

using Node = std::tuple<int, int, int>;

// Tetrahedra from a speck to several blocks wide, on both sides of the origin.
TetMesh scattered_tets(int count) {
  test::Random random(11);
  TetMesh mesh;
  for (int t = 0; t < count; ++t) {
    const Vec3 center = random.in_box(Box3(Vec3::Constant(-3), Vec3::Constant(3)));
    const double size = random.between(0, t % 10 == 0 ? 2.0 : 0.2);
    std::array<std::int32_t, 4> tet;
    for (std::int32_t& corner : tet) {
      corner = static_cast<std::int32_t>(mesh.vertices.size());
      mesh.vertices.push_back(center + size * random.direction());
    }
    mesh.tets.push_back(tet);
  }
  return mesh;
}

TEST(NodesAround, AreThoseOfTheBoxesOneByOne) {
  const TetMesh mesh = scattered_tets(200);
  const Lattice lattice{Vec3(0.03, -0.02, 0.01), 0.1};
  std::set<Node> expected;
  for (std::int64_t t = 0; t < mesh.tet_count(); ++t) {
    Box3 box;
    for (int k = 0; k < 4; ++k) box.extend(lattice.to_lattice(mesh.corner(t, k)));
    const Vec3 low = box.min().array().floor();
    const Vec3 high = box.max().array().ceil();
    for (int z = static_cast<int>(low.z()); z <= static_cast<int>(high.z()); ++z) {
      for (int y = static_cast<int>(low.y()); y <= static_cast<int>(high.y()); ++y) {
        for (int x = static_cast<int>(low.x()); x <= static_cast<int>(high.x()); ++x) {
          expected.emplace(x, y, z);
        }
      }
    }
  }
  const MarkedNodes nodes = nodes_around(mesh, lattice);
  ASSERT_EQ(std::ssize(nodes.marks), nodes.blocks.size());
  std::set<Node> marked;
  for (std::int64_t block = 0; block < nodes.blocks.size(); ++block) {
    bool is_empty = true;
    for (int node = 0; node < kBlockNodes; ++node) {
      if (!has_node(nodes.marks[static_cast<std::size_t>(block)], node)) continue;
      const Vec3i place = nodes.blocks.first_node(block) + node_offset(node);
      marked.emplace(place.x(), place.y(), place.z());
      is_empty = false;
    }
    EXPECT_FALSE(is_empty) << block;
  }
  EXPECT_EQ(marked, expected);
}

TEST(NodesAround, NoMeshHasNone) {
  EXPECT_EQ(nodes_around({}, Lattice{Vec3::Zero(), 1}).blocks.size(), 0);
}

}  // namespace
}  // namespace spindrift
