// Barycentric coordinates in registers.
#pragma once

#include "spindrift/mesh/tet_containment.hpp"

namespace spindrift {

// Of a point in a tetrahedron, or beside it; they sum to one.
[[nodiscard]] inline Double4 tet_weights(const TetMesh& mesh, std::int64_t tet, const Vec3& point) {
  const Double4 volumes = face_volumes(mesh, tet, point).values;
  return volumes / splat4(volumes[0] + volumes[1] + volumes[2] + volumes[3]);
}

// Of values at the vertices of a tetrahedron.
[[nodiscard]] inline Vec3 weighted_sum(const TetMesh& mesh, std::int32_t tet,
                                       const Double4& weights, std::span<const Vec3> field) {
  const Tet& corners = mesh.tets[static_cast<std::size_t>(tet)];
  Vec3 sum = Vec3::Zero();
  for (int k = 0; k < 4; ++k) {
    sum += weights[k] * field[static_cast<std::size_t>(corners[static_cast<std::size_t>(k)])];
  }
  return sum;
}

// The corner that lies where the point is but for rounding, `reach` metres along each axis; -1:
// none.
[[nodiscard]] inline std::int32_t corner_at(const TetMesh& mesh, std::int32_t tet,
                                            const Vec3& point, double reach) {
  for (const std::int32_t v : mesh.tets[static_cast<std::size_t>(tet)]) {
    const Vec3 way = mesh.vertices[static_cast<std::size_t>(v)] - point;
    if ((way.array().abs() < reach).all()) return v;
  }
  return -1;
}

}  // namespace spindrift
