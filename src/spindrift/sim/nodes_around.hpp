// The nodes of a lattice in and around a mesh.
#pragma once

#include <vector>

#include "spindrift/levelset/block_set.hpp"
#include "spindrift/levelset/lattice.hpp"
#include "spindrift/mesh/tet_mesh.hpp"

namespace spindrift {

struct MarkedNodes {
  BlockSet blocks;
  std::vector<BlockMask> marks;  // for each block
};

// Every node in a box around a tetrahedron, and the next ones.
[[nodiscard]] MarkedNodes nodes_around(const TetMesh& mesh, const Lattice& lattice);

}  // namespace spindrift
