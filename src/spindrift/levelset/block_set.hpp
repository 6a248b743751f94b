// Which parts of a lattice are kept: blocks of 8 x 8 x 8 nodes, in scan order, found by coordinate.
//
// Block b holds the nodes 8 b to 8 b + 7 along each axis. Inside a block a node has the number
// x + 8 y + 64 z; a BlockMask has a bit for each of them, and a word for each z. Blocks are
// numbered by z, then y, then x, so that the blocks of one row along x are neighbours in memory.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "spindrift/core/vec.hpp"

namespace spindrift {

inline constexpr int kBlockSide = 8;
inline constexpr int kBlockNodes = kBlockSide * kBlockSide * kBlockSide;

using BlockMask = std::array<std::uint64_t, kBlockSide>;

[[nodiscard]] inline bool has_node(const BlockMask& mask, int node) {
  return (mask[static_cast<std::size_t>(node >> 6)] >> (node & 63) & 1) != 0;
}

// The block of a node, and its number there.
[[nodiscard]] inline Vec3i block_of_node(const Vec3i& node) {
  return {node.x() >> 3, node.y() >> 3, node.z() >> 3};
}
[[nodiscard]] inline int node_in_block(const Vec3i& node) {
  return (node.x() & 7) | (node.y() & 7) << 3 | (node.z() & 7) << 6;
}
[[nodiscard]] inline Vec3i node_offset(int node) { return {node & 7, node >> 3 & 7, node >> 6}; }

// Blocks reach from -kBlockLimit to kBlockLimit - 1 along each axis: eight million nodes each way.
inline constexpr int kBlockLimit = 1 << 20;

// The coordinates of a block in one number; ascending keys are scan order.
[[nodiscard]] inline std::uint64_t block_key(const Vec3i& block) {
  const auto part = [](int c) { return static_cast<std::uint64_t>(std::int64_t{c} + kBlockLimit); };
  return part(block.z()) << 42 | part(block.y()) << 21 | part(block.x());
}
[[nodiscard]] inline Vec3i block_of_key(std::uint64_t key) {
  const auto part = [&](int shift) {
    return static_cast<int>(key >> shift & 0x1fffff) - kBlockLimit;
  };
  return {part(0), part(21), part(42)};
}

class BlockSet {
 public:
  BlockSet() = default;
  // Keys in any order; repeated ones count once.
  explicit BlockSet(std::vector<std::uint64_t> keys);

  [[nodiscard]] std::int64_t size() const { return std::ssize(keys_); }
  [[nodiscard]] std::span<const std::uint64_t> keys() const { return keys_; }
  [[nodiscard]] Vec3i coordinate(std::int64_t block) const {
    return block_of_key(keys_[static_cast<std::size_t>(block)]);
  }
  [[nodiscard]] Vec3i first_node(std::int64_t block) const {
    return kBlockSide * coordinate(block);
  }

  // The number of the block there, or -1.
  [[nodiscard]] std::int32_t find(const Vec3i& block) const;

  // The last block before `block` in its row along x, or -1 if it is the first.
  [[nodiscard]] std::int32_t previous_in_row(const Vec3i& block) const;

  // The blocks around a place and the one there, -1 where there is none: entry (dx+1) + 3 (dy+1) +
  // 9 (dz+1).
  using Neighborhood = std::array<std::int32_t, 27>;
  [[nodiscard]] Neighborhood neighborhood(const Vec3i& center) const;

  // Rows along x: blocks [row_starts[r], row_starts[r+1]) share y and z.
  [[nodiscard]] std::vector<std::int32_t> row_starts() const;

 private:
  std::vector<std::uint64_t> keys_;  // ascending
  std::vector<std::int32_t> slots_;  // open addressing: block numbers, -1 empty; a power of two
  int shift_ = 64;                   // 64 - log2(slots)
};

}  // namespace spindrift
