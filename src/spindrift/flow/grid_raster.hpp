// The first nodes of a VelocityGrid: those in the mesh, and those next to its boundary.
#pragma once

#include <span>
#include <vector>

#include "spindrift/flow/vertex_velocity.hpp"
#include "spindrift/levelset/sampled_field.hpp"

namespace spindrift {

// Nodes of a lattice, in blocks, and the velocities of those that are known.
struct GridNodes {
  Lattice lattice;
  BlockSet blocks;
  // kBlockNodes for each block, and one that is never used, so that four numbers can be read from
  // each.
  Buffer<Vec3> values;
  std::vector<BlockMask> known;  // for each block
};

// The blocks that have a point within `reach` metres, along any axis, of the boundary faces, and
// the velocities of their nodes in tetrahedra: linear between the vertices.
[[nodiscard]] GridNodes rasterise(const TetFlow& flow, const VertexVelocity& at_vertices,
                                  const Lattice& lattice, double reach);

// Velocities of unknown nodes of the cells that boundary vertices lie in: VertexVelocity::beyond().
void continue_from_boundary(const TetFlow& flow, const VertexVelocity& at_vertices, double room,
                            GridNodes& nodes);

}  // namespace spindrift
