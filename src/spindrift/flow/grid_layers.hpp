// What a VelocityGrid does with its nodes once those in the mesh are known.
#pragma once

#include "spindrift/flow/grid_divergence.hpp"
#include "spindrift/flow/node_sets.hpp"
#include "spindrift/flow/velocity_grid.hpp"

namespace spindrift {

// Raises nodes where the velocity bends, by a twelfth of its second differences between known
// nodes: trilinear interpolation, which cuts corners, is then right on average over each cell
// instead of too slow.
void sharpen(GridNodes& nodes);
// Some of them: only these have a value then.
void sharpen(const NodeSet& which, std::span<const BlockSet::Neighborhood> around,
             GridNodes& nodes);

// Grids whose nodes and known nodes are the same.
using TwinGrids = std::span<GridNodes* const>;

// Gives nodes next to known ones the mean of these, so many times.
void add_layers(int count, TwinGrids grids);
// Gives these nodes, which are not known, the mean of known ones around each.
void set_to_means(const NodeSet& which, std::span<const BlockSet::Neighborhood> around,
                  TwinGrids grids);

// Nodes that are still unknown are not a number.
void forget_unknown(GridNodes& nodes);

// Nodes in solids move at least as fast out of the solid as the solid itself. Returns these nodes,
// and whether the first grid meets the solid there.
std::vector<SolidNode> keep_out_of_solids(const SolidMotion& solids, TwinGrids grids);

// Known nodes where a field, if there is one, is negative.
[[nodiscard]] std::vector<std::int64_t> nodes_inside(const ScalarField* field,
                                                     const GridNodes& nodes);

}  // namespace spindrift
