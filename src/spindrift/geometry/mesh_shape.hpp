// A triangle mesh as a shape.
#pragma once

#include "spindrift/geometry/shape.hpp"
#include "spindrift/geometry/triangle_mesh.hpp"

namespace spindrift {

// Signed distance to the mesh; inside is where the winding number exceeds one half.
//
// For a closed mesh (MeshReport::is_closed) the distance is exact and so is the sign, also where
// parts overlap (their union is inside). For an open mesh the sign is that of the generalised
// winding number; it changes across holes too, and there the magnitude is scaled by how far the
// winding number is from one half, so that the field stays continuous. That is not a distance near
// holes.
[[nodiscard]] ShapePtr make_mesh_shape(const TriangleMesh& mesh);

}  // namespace spindrift
