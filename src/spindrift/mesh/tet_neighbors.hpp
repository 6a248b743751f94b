// Which tetrahedra share faces.
#pragma once

#include <array>
#include <cstdint>

#include "spindrift/mesh/tet_mesh.hpp"

namespace spindrift {

// Across each face of a tetrahedron, 4 other + side, where the face is `side` of the other one; -1
// on the boundary.
using TetNeighbors = Buffer<std::array<std::int32_t, 4>>;

// Of a conforming mesh of at most five hundred million tetrahedra. Fastest where tetrahedra close
// to each other have numbers close to each other: most faces are then matched in the cache.
[[nodiscard]] TetNeighbors find_neighbors(const TetMesh& mesh);

}  // namespace spindrift
