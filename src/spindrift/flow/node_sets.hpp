// Sets of a grid's nodes, a bit for each: they grow by whole blocks at a time.
#pragma once

#include <array>
#include <bit>
#include <span>
#include <vector>

#include "spindrift/levelset/block_set.hpp"

namespace spindrift {

// A mask for each block.
using NodeSet = std::vector<BlockMask>;

// The blocks beside each block: before and after it along x, y and z; -1 where there is none.
using BlockSides = std::vector<std::array<std::int32_t, 6>>;
[[nodiscard]] BlockSides block_sides(const BlockSet& blocks);

// The nodes of a block whose neighbour on one side, numbered as above, is in the set. `beyond`:
// whether nodes without a block are in it.
[[nodiscard]] BlockMask with_neighbor(const NodeSet& set, const BlockSides& sides,
                                      std::size_t block, std::size_t side, bool beyond = false);

// Those with one on any side.
[[nodiscard]] NodeSet with_any_neighbor(const NodeSet& set, const BlockSides& sides,
                                        bool beyond = false);

// Those of `room` that are connected, through it, to some in `start`.
[[nodiscard]] NodeSet flooded(NodeSet start, const NodeSet& room, const BlockSides& sides);

// Calls visit(node) for those of one block.
template <class Visit>
void for_each_node(const BlockMask& mask, const Visit& visit) {
  for (std::size_t z = 0; z < mask.size(); ++z) {
    for (std::uint64_t word = mask[z]; word != 0; word &= word - 1) {
      visit(static_cast<int>(64 * z) + std::countr_zero(word));
    }
  }
}

[[nodiscard]] inline bool has_any(const BlockMask& mask) {
  std::uint64_t all = 0;
  for (const std::uint64_t word : mask) all |= word;
  return all != 0;
}

[[nodiscard]] inline std::size_t count_nodes(const BlockMask& mask) {
  std::size_t count = 0;
  for (const std::uint64_t word : mask) count += static_cast<std::size_t>(std::popcount(word));
  return count;
}

// Calls change(mask, other) for each pair of words of two sets of the same blocks.
template <class Change>
void for_each_word(NodeSet& masks, const NodeSet& others, const Change& change) {
  for (std::size_t b = 0; b < masks.size(); ++b) {
    for (std::size_t z = 0; z < masks[b].size(); ++z) change(masks[b][z], others[b][z]);
  }
}

// For each block, those around it.
[[nodiscard]] std::vector<BlockSet::Neighborhood> neighborhoods(const BlockSet& blocks);

// The nodes of a set and the 26 around each, as far as they lie in blocks.
[[nodiscard]] NodeSet grown(const NodeSet& nodes, std::span<const BlockSet::Neighborhood> around);

// All corners of cells that are given by their first ones.
[[nodiscard]] NodeSet corners_of_cells(const NodeSet& cells,
                                       std::span<const BlockSet::Neighborhood> around);

}  // namespace spindrift
