// Triangles with visible edges: each as an inner part and a rim, to be drawn in two colours.
#pragma once

#include "spindrift/geometry/triangle_mesh.hpp"

namespace spindrift {

struct OutlinedTriangles {
  TriangleMesh inner, rim;  // together they cover what the mesh covers, facing the same way
};

// The rim is `share` (0 to 1) of a triangle's inscribed circle wide.
[[nodiscard]] OutlinedTriangles outline_triangles(const TriangleMesh& mesh, double share = 0.12);

}  // namespace spindrift
