// The vertices of the mesh: which points of the lattice take part, and their numbers.
//
// Every brick has its corners first, then its centres, then the cut points of its edges.
#pragma once

#include "spindrift/mesh/tet_mesh.hpp"
#include "spindrift/meshing/cut_edges.hpp"

namespace spindrift {

struct BrickVertices {
  BlockMask fine{};                    // cells of the finest size
  BlockMask in_octants{};              // cells in octants of 2 cells a side
  std::array<BlockMask, 2> present{};  // corners and centres
  std::array<MaskRanks, 2> ranks;
  std::int32_t first = 0;
  std::int32_t first_cut = 0;
};

struct MeshVertices {
  std::vector<BrickVertices> bricks;
  std::int64_t count = 0;
};

// After warping: `cuts` are those that remain.
[[nodiscard]] MeshVertices number_vertices(const Octree& tree, const CutEdges& cuts);

// Where they are. `all_cuts` and `points` are from before warping.
[[nodiscard]] Buffer<Vec3> vertex_positions(const Octree& tree, const MeshVertices& vertices,
                                            const CutEdges& cuts, const CutEdges& all_cuts,
                                            const Buffer<double>& points,
                                            const std::vector<std::vector<Warp>>& warps);

}  // namespace spindrift
