// Barycentric coordinates in registers.
#pragma once

#include "spindrift/mesh/tet_containment.hpp"

namespace spindrift {

// Of a point in a tetrahedron, or beside it; they sum to one.
[[nodiscard]] inline Double4 tet_weights(const TetMesh& mesh, std::int64_t tet, const Vec3& point) {
  const Double4 volumes = face_volumes(mesh, tet, point).values;
  return volumes / splat4(volumes[0] + volumes[1] + volumes[2] + volumes[3]);
}

}  // namespace spindrift
