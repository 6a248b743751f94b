// The first nodes of a VelocityGrid: those in the mesh, and those next to its boundary.
#pragma once

#include <limits>
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

// How far grids go from boundary faces, in metres along any axis: as far as the liquid at a face
// may move, and a margin. What is fast somewhere needs no grid elsewhere.
struct GridReach {
  double margin = 0;                      // m
  std::span<const Vec3> velocities = {};  // at the vertices of the mesh, m/s; empty: at rest
  double dt = 0;                          // s
  double most = std::numeric_limits<double>::infinity();  // m

  [[nodiscard]] double of_tet_face(const TetMesh& mesh, std::int32_t side) const;
  [[nodiscard]] double greatest() const;
};

// Which of a grid's nodes are in a mesh.
struct LocatedNodes {
  Lattice lattice;
  int layers = 0;             // of nodes, from the boundary to the farthest that is within reach
  BlockSet blocks;            // with a point within reach of a boundary face
  Buffer<std::int32_t> tets;  // the lowest around each node, kBlockNodes for each block; or kNoTet
};
inline constexpr std::int32_t kNoTet = 0x7fffffff;

[[nodiscard]] LocatedNodes locate_nodes(const TetFlow& flow, const VertexRings& rings,
                                        const Lattice& lattice, const GridReach& reach);

// The same in these blocks.
[[nodiscard]] LocatedNodes locate_nodes(const TetMesh& mesh, const VertexRings& rings,
                                        const Lattice& lattice, BlockSet blocks);

// The velocities of nodes in the mesh: linear between those at the vertices. A grid for each of
// `fields` at the vertices.
[[nodiscard]] std::vector<GridNodes> rasterise(const TetMesh& mesh,
                                               std::span<const std::span<const Vec3>> fields,
                                               const LocatedNodes& located);

// Which nodes are in the mesh.
[[nodiscard]] std::vector<BlockMask> nodes_in_mesh(const LocatedNodes& located);
// The vertices of their tetrahedra that `which` nodes are at, -1: none. Others hold anything. All
// of them are in the mesh.
[[nodiscard]] Buffer<std::int32_t> corners_of_nodes(const TetMesh& mesh,
                                                    const LocatedNodes& located,
                                                    std::span<const BlockMask> which);
// The velocities of `which` nodes alone: those at these vertices, or between all vertices of their
// tetrahedron.
void rasterise(const TetMesh& mesh, std::span<const Vec3> field, const LocatedNodes& located,
               std::span<const BlockMask> which, std::span<const std::int32_t> corners,
               Buffer<Vec3>& values);

// Nodes of the cells that boundary vertices lie in get the velocity of these, continued along their
// slopes, where they have none.
class BoundaryNodes {
 public:
  // Of the nodes that are not known.
  BoundaryNodes(const TetMesh& mesh, std::span<const BoundaryVertex> boundary,
                const Lattice& lattice, const BlockSet& blocks, std::span<const BlockMask> known);

  // Beyond the range around the vertices by no more than `room` times that range. `boundary`: of
  // the same vertices. `nodes` are as they were, but for values. `which`: only these; null: all.
  void continue_to(std::span<const BoundaryVertex> boundary, std::span<const Vec3> at_vertices,
                   double room, GridNodes& nodes, const BlockMask* which = nullptr) const;
  // Makes these nodes known.
  void add_to(std::span<BlockMask> known) const;

 private:
  // A node of the cell that a boundary vertex lies in.
  struct Use {
    std::size_t place;
    std::int32_t vertex;  // its number among those of the boundary
  };

  const TetMesh& mesh_;
  Buffer<Use> uses_;  // those of one node beside each other
};

}  // namespace spindrift
