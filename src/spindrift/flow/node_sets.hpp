// Sets of a grid's nodes, a bit for each: they grow by whole blocks at a time.
#pragma once

#include <array>
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

}  // namespace spindrift
