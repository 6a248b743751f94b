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

// Which of a grid's nodes are in a mesh.
struct LocatedNodes {
  Lattice lattice;
  BlockSet blocks;            // with a point within reach of the boundary faces
  Buffer<std::int32_t> tets;  // the lowest around each node, kBlockNodes for each block; or kNoTet
};
inline constexpr std::int32_t kNoTet = 0x7fffffff;

// `reach` in metres, along any axis.
[[nodiscard]] LocatedNodes locate_nodes(const TetFlow& flow, const Lattice& lattice, double reach);

// The velocities of nodes in the mesh: linear between those at the vertices.
[[nodiscard]] GridNodes rasterise(const TetMesh& mesh, std::span<const Vec3> at_vertices,
                                  const LocatedNodes& located);

// Nodes of the cells that boundary vertices lie in get the velocity of these, continued along their
// slopes, where they have none; beyond the range around them by no more than `room` times that
// range.
void continue_from_boundary(const TetMesh& mesh, std::span<const Vec3> at_vertices,
                            std::span<const BoundaryVertex> boundary, double room,
                            GridNodes& nodes);

}  // namespace spindrift
