// Gives the velocity around a liquid's surface the divergence that it has in the mesh, and none
// beyond.
//
// Liquid crosses several cells of air in a step. Where the continued velocity converges there, as
// that of a spreading front does if it is continued by means, liquid is lost on the way; so is
// liquid that meets a wall and is shown nowhere to go. Interpolation between vertices, too, keeps
// the flux through cells only on average. So nodes change as little as they must for each cell of
// the grid to have the flux that it should: Kaczmarz's method, one equation a cell, cells that
// share no node at a time [in the place of the Poisson equation of Rasmussen et al. 2004]. The
// outermost nodes are free, and only a few cells away: some sweeps do. Of their changes only the
// smooth part is kept, round by round: volume is a matter of large scales, and what single cells
// ask for would make surfaces rough.
//
// Air that is sealed off, which has no pressure here, may be pressed together, and so may what is
// in outlets, and films of air between liquid and a solid that are too thin to have a node: liquid
// is pressed on through them, and would hang before the solid for ever.
#pragma once

#include <span>
#include <vector>

#include "spindrift/flow/grid_raster.hpp"

namespace spindrift {

// A node in a solid: liquid slides along it.
struct SolidNode {
  std::int64_t place = 0;  // among the nodes of all blocks
  Vec3 normal = Vec3::Zero();
  bool is_met = false;  // by a velocity into the solid, more or less straight
};

// What the nodes of a grid are held by.
struct NodeHolds {
  std::span<const std::int32_t> tets;  // as LocatedNodes has them: nodes in the mesh give way less
  std::span<const SolidNode> solids;   // these only move along their solid
  std::span<const float> divergence;   // that nodes should have, 1/s
  std::span<const std::int64_t> outlets;  // nodes that liquid vanishes in
};

// Changes all nodes that are known; the others hold anything. The same bits for any number of
// threads.
void correct_divergence(const NodeHolds& holds, int rounds, GridNodes& nodes);

}  // namespace spindrift
