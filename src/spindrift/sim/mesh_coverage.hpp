// Whether the mesh is where the liquid is: a surface that hangs outside of it is not simulated.
#pragma once

#include "spindrift/geometry/triangle_mesh.hpp"
#include "spindrift/mesh/tet_locator.hpp"

namespace spindrift {

// The share of a surface's vertices that are farther than `reach` from all tetrahedra, m. Of very
// many every n-th is looked at.
[[nodiscard]] double share_out_of_reach(const TetMesh& mesh, const TetNeighbors& neighbors,
                                        const TetLocator& locator, const TriangleMesh& surface,
                                        double reach);

}  // namespace spindrift
