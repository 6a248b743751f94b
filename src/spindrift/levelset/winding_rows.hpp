// Inside or outside, for every node of some blocks: how often the surface winds around it.
//
// Along each row of nodes in x the winding number starts at 0 and changes by one wherever a
// triangle crosses the row. Which rows a triangle crosses is decided in integers, with rows moved
// by an infinitesimal amount to break ties, so that each crossing of a closed surface is counted
// exactly once and every row ends at 0. No normals are needed: overlapping and touching parts,
// cavities and slivers come out right, up to 32767 of them around a node.
#pragma once

#include <cstdint>
#include <vector>

#include "spindrift/levelset/triangle_bins.hpp"

namespace spindrift {

struct InsideNodes {
  std::vector<BlockMask> masks;  // for each block, the nodes with a positive winding number
  std::int64_t open_rows = 0;    // rows that do not end at 0: the surface is not closed there
};

// `blocks` must hold every node within 1 of the surface, as blocks_within(bins, 1) or more does.
[[nodiscard]] InsideNodes inside_nodes(const FixedSurface& surface, const TriangleBins& bins,
                                       const BlockSet& blocks);

}  // namespace spindrift
