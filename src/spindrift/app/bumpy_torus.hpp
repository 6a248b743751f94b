// A mesh to measure with.
#pragma once

#include "spindrift/geometry/triangle_mesh.hpp"

namespace spindrift::app {

// A torus of 2 x around x across triangles, with bumps: curved, with thin and thick places, and no
// symmetry that would flatter a tree.
[[nodiscard]] TriangleMesh bumpy_torus(int around, int across);

}  // namespace spindrift::app
