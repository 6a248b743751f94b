// Where nodes of a lattice are kept.
#pragma once

#include "spindrift/levelset/block_set.hpp"

namespace spindrift {

// The numbers of blocks; nodes that come one after the other mostly share one.
class BlockFinder {
 public:
  explicit BlockFinder(const BlockSet& blocks) : blocks_(blocks) {}
  std::int32_t find(const Vec3i& block) {
    if (block != last_) {
      last_ = block;
      number_ = blocks_.find(block);
    }
    return number_;
  }

 private:
  const BlockSet& blocks_;
  Vec3i last_ = Vec3i::Constant(2 * kBlockLimit);
  std::int32_t number_ = -1;
};

// Among the nodes of all blocks.
[[nodiscard]] inline std::size_t place_of(std::int32_t block, const Vec3i& node) {
  return static_cast<std::size_t>(std::int64_t{block} * kBlockNodes + node_in_block(node));
}

}  // namespace spindrift
