// Where the surface cuts the edges of the lattice, and the vertices that are warped onto it.
#pragma once

#include "spindrift/meshing/octree.hpp"

namespace spindrift {

// The cut edges that a brick owns.
struct BrickCuts {
  std::array<BlockMask, kEdgeTypes> edges{};
  std::array<MaskRanks, kEdgeTypes> ranks;
  std::int64_t first = 0;  // number of the first one
  int count = 0;

  [[nodiscard]] std::int64_t number(int type, int node) const {
    const auto t = static_cast<std::size_t>(type);
    return first + type_starts[t] + ranks[t].rank(edges[t], node);
  }

  std::array<std::int32_t, kEdgeTypes> type_starts{};
};

// Of all surface bricks.
struct CutEdges {
  Buffer<BrickCuts> bricks;
  std::int64_t count = 0;
};

// The edges with one end inside and one outside.
[[nodiscard]] CutEdges find_cut_edges(const Octree& tree);

// Calls visit(type, node) for the cut edges of a brick, in the order of their numbers.
template <class Visit>
void for_each_cut_edge(const BrickCuts& cuts, const Visit& visit) {
  for (int type = 0; type < kEdgeTypes; ++type) {
    for_each_bit(cuts.edges[static_cast<std::size_t>(type)], [&](int node) { visit(type, node); });
  }
}

// A vertex that was moved.
struct Warp {
  Sublattice lattice;
  std::int16_t node;
  Vec3 units;  // half cells from the brick's first corner
};

// Moves vertices with a cut close by onto it, which takes away the cuts on all of their edges: they
// are then neither inside nor outside. Returns them for each surface brick.
//
// Close is less than 0.285 of a long edge or 0.3986 of a short one: with these the dihedral angles
// of what remains are between 10.7 and 164.8 degrees (tests/meshing/stuffing_test.cpp looks for
// exceptions).
[[nodiscard]] std::vector<std::vector<Warp>> warp_vertices(Octree& tree, const CutEdges& cuts,
                                                           const Buffer<double>& points);

}  // namespace spindrift
