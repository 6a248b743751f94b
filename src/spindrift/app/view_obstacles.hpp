// The shapes of a scene as triangles, for a page that cannot evaluate distances.
#pragma once

#include "spindrift/geometry/triangle_mesh.hpp"
#include "spindrift/scene/mesh_library.hpp"

namespace spindrift::app {

// Boxes, round shapes and meshes as they are; what is cut out of others, and halves of space, by a
// contour of their distance. `room` bounds what has no end. Throws what the library throws.
[[nodiscard]] TriangleMesh triangles_of(const ShapeSpec& spec, const Box3& room,
                                        MeshLibrary& library);

}  // namespace spindrift::app
