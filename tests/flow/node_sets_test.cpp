#include "spindrift/flow/node_sets.hpp"

#include <set>

#include <gtest/gtest.h>

#include "support/random.hpp"

namespace spindrift {
namespace {

// Blocks of a box of 3 x 3 x 2 without some, and nodes of it.
struct Fixture {
  BlockSet blocks;
  BlockSides sides;
  Fixture() {
    std::vector<std::uint64_t> keys;
    for (int i = 0; i < 18; ++i) {
      if (i != 4 && i != 11) keys.push_back(block_key({i % 3 - 1, i / 3 % 3, i / 9}));
    }
    blocks = BlockSet(std::move(keys));
    sides = block_sides(blocks);
  }

  [[nodiscard]] NodeSet random_set(double share, std::uint64_t seed) const {
    test::Random random(seed);
    NodeSet set(static_cast<std::size_t>(blocks.size()), BlockMask{});
    for (BlockMask& mask : set) {
      for (int k = 0; k < kBlockNodes; ++k) {
        if (random.unit() < share) {
          mask[static_cast<std::size_t>(k >> 6)] |= std::uint64_t{1} << (k & 63);
        }
      }
    }
    return set;
  }

  [[nodiscard]] bool has(const NodeSet& set, const Vec3i& node, bool beyond) const {
    const std::int32_t block = blocks.find(block_of_node(node));
    return block < 0 ? beyond : has_node(set[static_cast<std::size_t>(block)], node_in_block(node));
  }
  [[nodiscard]] static Vec3i neighbor(Vec3i node, std::size_t side) {
    node[static_cast<int>(side / 2)] += side % 2 == 0 ? -1 : 1;
    return node;
  }

  template <class Visit>
  void for_each_node(const Visit& visit) const {
    for (std::int64_t block = 0; block < blocks.size(); ++block) {
      for (int k = 0; k < kBlockNodes; ++k) {
        visit(static_cast<std::size_t>(block), k, Vec3i(blocks.first_node(block) + node_offset(k)));
      }
    }
  }
};

TEST(NodeSets, NeighborsAreThoseBesideEachNode) {
  const Fixture at;
  const NodeSet set = at.random_set(0.3, 1);
  for (const bool beyond : {false, true}) {
    const NodeSet any = with_any_neighbor(set, at.sides, beyond);
    at.for_each_node([&](std::size_t block, int k, const Vec3i& node) {
      bool expected = false;
      for (std::size_t side = 0; side < 6; ++side) {
        const bool is_in = at.has(set, Fixture::neighbor(node, side), beyond);
        ASSERT_EQ(has_node(with_neighbor(set, at.sides, block, side, beyond), k), is_in)
            << node.transpose() << ", side " << side;
        expected = expected || is_in;
      }
      ASSERT_EQ(has_node(any[block], k), expected) << node.transpose();
    });
  }
}

TEST(NodeSets, FloodReachesWhatIsConnected) {
  const Fixture at;
  const NodeSet room = at.random_set(0.45, 2);  // a little above where large pieces appear
  NodeSet start(room.size(), BlockMask{});
  start[0] = room[0];
  const NodeSet reached = flooded(start, room, at.sides);
  // By a queue of nodes.
  std::set<std::array<int, 3>> expected;
  std::vector<Vec3i> open;
  const auto visit = [&](const Vec3i& node) {
    if (at.has(room, node, false) && expected.insert({node.x(), node.y(), node.z()}).second) {
      open.push_back(node);
    }
  };
  at.for_each_node([&](std::size_t block, int, const Vec3i& node) {
    if (block == 0) visit(node);
  });
  while (!open.empty()) {
    const Vec3i node = open.back();
    open.pop_back();
    for (std::size_t side = 0; side < 6; ++side) visit(Fixture::neighbor(node, side));
  }
  EXPECT_GT(expected.size(), 500u);
  at.for_each_node([&](std::size_t block, int k, const Vec3i& node) {
    ASSERT_EQ(has_node(reached[block], k), expected.contains({node.x(), node.y(), node.z()}))
        << node.transpose();
  });
}

}  // namespace
}  // namespace spindrift
