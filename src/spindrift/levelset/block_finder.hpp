// Where nodes of a lattice are kept.
#pragma once

#include <array>

#include "spindrift/levelset/block_set.hpp"

namespace spindrift {

// Which of eight places a block is remembered in: none of the eight around a corner shares its own
// with another.
[[nodiscard]] inline std::size_t block_parity(const Vec3i& block) {
  return static_cast<std::size_t>((block.x() & 1) | (block.y() & 1) << 1 | (block.z() & 1) << 2);
}

// The numbers of blocks; nodes that come one after the other mostly share one, or go to and fro
// between neighbours.
class BlockFinder {
 public:
  explicit BlockFinder(const BlockSet& blocks) : blocks_(blocks) {}
  std::int32_t find(const Vec3i& block) {
    Found& found = last_[block_parity(block)];
    if (found.block != block) found = {block, blocks_.find(block)};
    return found.number;
  }

 private:
  struct Found {
    Vec3i block = Vec3i::Constant(2 * kBlockLimit);
    std::int32_t number = -1;
  };
  const BlockSet& blocks_;
  std::array<Found, 8> last_;
};

// Among the nodes of all blocks.
[[nodiscard]] inline std::size_t place_of(std::int32_t block, const Vec3i& node) {
  return static_cast<std::size_t>(std::int64_t{block} * kBlockNodes + node_in_block(node));
}

}  // namespace spindrift
