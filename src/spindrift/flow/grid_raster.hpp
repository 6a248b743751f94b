// The first nodes of a VelocityGrid: those in the mesh, and those next to its boundary.
#pragma once

#include <span>
#include <vector>

#include "spindrift/flow/vertex_velocity.hpp"
#include "spindrift/levelset/sampled_field.hpp"

namespace spindrift {

// A grid's nodes while it is made.
struct GridNodes {
  const Lattice& lattice;
  const BlockSet& blocks;
  std::span<Vec3> values;        // kBlockNodes for each block
  std::vector<BlockMask> known;  // for each block
};

// The blocks that have a point within `reach` metres, along any axis, of the boundary faces.
[[nodiscard]] BlockSet blocks_around_boundary(const TetFlow& flow, const Lattice& lattice,
                                              double reach);

// Velocities of nodes in tetrahedra; makes `known`.
void rasterise(const TetFlow& flow, const VertexVelocity& at_vertices, GridNodes& nodes);

// Velocities of unknown nodes of the cells that boundary vertices lie in.
void continue_from_boundary(const TetFlow& flow, const VertexVelocity& at_vertices,
                            GridNodes& nodes);

}  // namespace spindrift
