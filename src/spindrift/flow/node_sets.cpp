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

}  // namespace spindrift
