// Whether the mesh is where the liquid is: a surface that hangs outside of it is not simulated.
#pragma once

#include <span>

#include "spindrift/core/vec.hpp"
#include "spindrift/mesh/tet_locator.hpp"

namespace spindrift {

// The share of points that are farther than `reach` from all tetrahedra, m. Of very many points
// every n-th is looked at.
[[nodiscard]] double share_out_of_reach(const TetMesh& mesh, const TetNeighbors& neighbors,
                                        const TetLocator& locator, std::span<const Vec3> points,
                                        double reach);

}  // namespace spindrift
