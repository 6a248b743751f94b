// Which cells and edges of a sampled field the surface crosses, as masks of whole blocks.
//
// A cell or an edge belongs to the block of its lowest node, and its bit in a BlockMask is that
// node's. So the cells of a block reach one node into the seven blocks above it, and cells at the
// lower rim of the field belong to blocks that do not exist ("outer" blocks here).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "spindrift/levelset/sampled_field.hpp"

namespace spindrift {

// The inside nodes (known and negative) of each block, and the blocks around it.
struct FieldSigns {
  std::vector<BlockMask> inside;
  std::vector<std::uint8_t> kinds;  // 1: has inside nodes, 2: has known outside nodes, 3: both
  std::vector<BlockSet::Neighborhood> around;
};
[[nodiscard]] FieldSigns find_signs(const SampledField& field);

// A block, which need not exist, and the seven above it: entry x + 2 y + 4 z, -1 where there is
// none.
using Octant = std::array<std::int32_t, 8>;

// The octant of the block that lies `down` (0 or 1 on each axis, bits as in an octant's entries)
// below the middle of a neighbourhood.
[[nodiscard]] Octant octant_below(const BlockSet::Neighborhood& around, unsigned down);

// Whether the cells of an octant's first block can be crossed at all.
[[nodiscard]] bool has_both_signs(const FieldSigns& signs, const Octant& octant);

// A mask of a block's nodes and the nodes one step up: bit n of words[z][x + 2 y] is that of the
// node n + (x, y, 0) in slice z.
struct ReachingMask {
  std::array<std::array<std::uint64_t, 4>, kBlockSide + 1> words;
};
[[nodiscard]] ReachingMask reaching_mask(const std::vector<BlockMask>& masks, const Octant& octant);

// Cells crossed among their known corners.
struct CrossedCells {
  BlockMask complete{};  // all corners known
  BlockMask open{};      // some corner not known
};
[[nodiscard]] CrossedCells crossed_cells(const ReachingMask& inside, const ReachingMask& known);

// Edges along x, y and z whose ends are known and differ.
[[nodiscard]] std::array<BlockMask, 3> crossed_edges(const ReachingMask& inside,
                                                     const ReachingMask& known);

// Calls visit(down, octant) for the outer blocks below a block, each of them once in a whole field.
// The block must be the first of those above the outer block.
template <class Visit>
void for_each_outer_block(const BlockSet::Neighborhood& around, const Visit& visit) {
  for (unsigned down = 1; down < 8; ++down) {
    const Octant octant = octant_below(around, down);
    unsigned first = 0;
    while (octant[first] < 0) ++first;  // ends: entry `down` is the block itself
    if (first == down) visit(down, octant);
  }
}

}  // namespace spindrift
