#include "spindrift/flow/node_sets.hpp"

#include "spindrift/core/parallel.hpp"

namespace spindrift {
namespace {

// In a word of a mask, which has a layer: the nodes of the first and the last x.
constexpr std::uint64_t kFirstX = 0x0101010101010101;
constexpr std::uint64_t kLastX = kFirstX << 7;

constexpr std::int64_t kBlocksAtOnce = 64;

// Adds the nodes beside those in the mask, within the block.
BlockMask with_neighbors(const BlockMask& mask) {
  BlockMask result = mask;
  for (std::size_t z = 0; z < mask.size(); ++z) {
    const std::uint64_t w = mask[z];
    result[z] |= (w & ~kLastX) << 1 | (w & ~kFirstX) >> 1 | w << 8 | w >> 8;
    if (z > 0) result[z] |= mask[z - 1];
    if (z + 1 < mask.size()) result[z] |= mask[z + 1];
  }
  return result;
}

BlockMask any_neighbor(const NodeSet& set, const BlockSides& sides, std::size_t block,
                       bool beyond) {
  BlockMask found{};
  for (std::size_t side = 0; side < 6; ++side) {
    const BlockMask part = with_neighbor(set, sides, block, side, beyond);
    for (std::size_t z = 0; z < found.size(); ++z) found[z] |= part[z];
  }
  return found;
}

constexpr std::uint64_t kFirstRow = 0xff;

// Of a block and those around it, the nodes of one layer and those beside each, z from -1 to 8.
class Layers {
 public:
  Layers(const NodeSet& nodes, const BlockSet::Neighborhood& around)
      : nodes_(nodes), around_(around) {}

  // And all around each.
  [[nodiscard]] std::uint64_t grown(int z) const {
    const std::uint64_t here = along_x(1, z);
    return here | here << 8 | here >> 8 | along_x(0, z) >> 56 | (along_x(2, z) & kFirstRow) << 56;
  }
  // And behind each.
  [[nodiscard]] std::uint64_t corners(int z) const {
    const std::uint64_t here = behind_x(1, z);
    return here | here << 8 | behind_x(0, z) >> 56;
  }

 private:
  [[nodiscard]] std::uint64_t word(int x, int y, int z) const {
    const int side = z < 0 ? 0 : z < kBlockSide ? 1 : 2;
    const std::int32_t block = around_[static_cast<std::size_t>(x + 3 * y + 9 * side)];
    if (block < 0) return 0;
    return nodes_[static_cast<std::size_t>(block)][static_cast<std::size_t>(z & 7)];
  }
  [[nodiscard]] std::uint64_t behind_x(int y, int z) const {
    const std::uint64_t here = word(1, y, z);
    return here | (here & ~kLastX) << 1 | (word(0, y, z) >> 7 & kFirstX);
  }
  [[nodiscard]] std::uint64_t along_x(int y, int z) const {
    return behind_x(y, z) | (word(1, y, z) & ~kFirstX) >> 1 | (word(2, y, z) & kFirstX) << 7;
  }

  const NodeSet& nodes_;
  const BlockSet::Neighborhood& around_;
};

}  // namespace

BlockSides block_sides(const BlockSet& blocks) {
  BlockSides sides(static_cast<std::size_t>(blocks.size()));
  parallel_for_each(
      blocks.size(),
      [&](std::int64_t block) {
        const Vec3i at = blocks.coordinate(block);
        for (int side = 0; side < 6; ++side) {
          Vec3i next = at;
          next[side / 2] += side % 2 == 0 ? -1 : 1;
          sides[static_cast<std::size_t>(block)][static_cast<std::size_t>(side)] =
              blocks.find(next);
        }
      },
      kBlocksAtOnce);
  return sides;
}

BlockMask with_neighbor(const NodeSet& set, const BlockSides& sides, std::size_t block,
                        std::size_t side, bool beyond) {
  BlockMask next;
  next.fill(beyond ? ~std::uint64_t{0} : 0);
  if (sides[block][side] >= 0) next = set[static_cast<std::size_t>(sides[block][side])];
  const BlockMask& own = set[block];
  BlockMask found;
  for (std::size_t z = 0; z < own.size(); ++z) {
    const std::uint64_t w = own[z];
    switch (side) {
      case 0:
        found[z] = (w & ~kLastX) << 1 | (next[z] & kLastX) >> 7;
        break;
      case 1:
        found[z] = (w & ~kFirstX) >> 1 | (next[z] & kFirstX) << 7;
        break;
      case 2:
        found[z] = w << 8 | next[z] >> 56;
        break;
      case 3:
        found[z] = w >> 8 | next[z] << 56;
        break;
      case 4:
        found[z] = z > 0 ? own[z - 1] : next[7];
        break;
      default:
        found[z] = z < 7 ? own[z + 1] : next[0];
        break;
    }
  }
  return found;
}

NodeSet with_any_neighbor(const NodeSet& set, const BlockSides& sides, bool beyond) {
  NodeSet result(set.size());
  parallel_for_each(
      std::ssize(set),
      [&](std::int64_t block) {
        const auto b = static_cast<std::size_t>(block);
        result[b] = any_neighbor(set, sides, b, beyond);
      },
      kBlocksAtOnce);
  return result;
}

NodeSet flooded(NodeSet start, const NodeSet& room, const BlockSides& sides) {
  std::vector<std::size_t> waiting(start.size());
  std::vector<char> is_waiting(start.size(), 1);
  for (std::size_t b = 0; b < start.size(); ++b) {
    waiting[b] = start.size() - 1 - b;
    for (std::size_t z = 0; z < room[b].size(); ++z) start[b][z] &= room[b][z];
  }
  while (!waiting.empty()) {
    const std::size_t b = waiting.back();
    waiting.pop_back();
    is_waiting[b] = 0;
    BlockMask reached = start[b];
    const BlockMask entered = any_neighbor(start, sides, b, false);
    for (std::size_t z = 0; z < reached.size(); ++z) reached[z] |= entered[z] & room[b][z];
    for (BlockMask before{}; before != reached;) {
      before = reached;
      reached = with_neighbors(before);
      for (std::size_t z = 0; z < reached.size(); ++z) reached[z] &= room[b][z];
    }
    if (reached == start[b]) continue;
    start[b] = reached;
    for (const std::int32_t next : sides[b]) {
      if (next < 0 || is_waiting[static_cast<std::size_t>(next)] != 0) continue;
      is_waiting[static_cast<std::size_t>(next)] = 1;
      waiting.push_back(static_cast<std::size_t>(next));
    }
  }
  return start;
}

std::vector<BlockSet::Neighborhood> neighborhoods(const BlockSet& blocks) {
  std::vector<BlockSet::Neighborhood> around(static_cast<std::size_t>(blocks.size()));
  parallel_for_each(
      blocks.size(),
      [&](std::int64_t b) {
        around[static_cast<std::size_t>(b)] = blocks.neighborhood(blocks.coordinate(b));
      },
      64);
  return around;
}

NodeSet grown(const NodeSet& nodes, std::span<const BlockSet::Neighborhood> around) {
  NodeSet result(nodes.size());
  parallel_for_each(
      std::ssize(nodes),
      [&](std::int64_t block) {
        const auto b = static_cast<std::size_t>(block);
        const Layers layers(nodes, around[b]);
        std::uint64_t below = layers.grown(-1);
        std::uint64_t here = layers.grown(0);
        for (int z = 0; z < kBlockSide; ++z) {
          const std::uint64_t above = layers.grown(z + 1);
          result[b][static_cast<std::size_t>(z)] = below | here | above;
          below = here;
          here = above;
        }
      },
      kBlocksAtOnce);
  return result;
}

NodeSet corners_of_cells(const NodeSet& cells, std::span<const BlockSet::Neighborhood> around) {
  NodeSet result(cells.size());
  parallel_for_each(
      std::ssize(cells),
      [&](std::int64_t block) {
        const auto b = static_cast<std::size_t>(block);
        const Layers layers(cells, around[b]);
        std::uint64_t below = layers.corners(-1);
        for (int z = 0; z < kBlockSide; ++z) {
          const std::uint64_t here = layers.corners(z);
          result[b][static_cast<std::size_t>(z)] = below | here;
          below = here;
        }
      },
      kBlocksAtOnce);
  return result;
}

}  // namespace spindrift
