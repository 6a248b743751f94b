#include "spindrift/mesh/tet_containment.hpp"

#include "spindrift/geometry/predicates.hpp"

namespace spindrift {

int side_of_face(const TetMesh& mesh, std::int64_t tet, int face, const Vec3& point) {
  const auto& corners = kTetFaces[static_cast<std::size_t>(face)];
  return orientation(mesh.corner(tet, corners[0]), mesh.corner(tet, corners[1]),
                     mesh.corner(tet, corners[2]), point);
}

bool contains(const TetMesh& mesh, std::int64_t tet, const Vec3& point) {
  const FaceVolumes volumes = face_volumes(mesh, tet, point);
  for (int k = 0; k < 4; ++k) {
    if (volumes.values[k] < -volumes.error) return false;
  }
  bool is_flat = true;
  for (int k = 0; k < 4; ++k) {
    const bool is_certain = volumes.values[k] > volumes.error;
    const int side = is_certain ? 1 : side_of_face(mesh, tet, k, point);
    if (side < 0) return false;
    if (side > 0) is_flat = false;
  }
  return !is_flat;
}

std::array<double, 4> barycentric(const TetMesh& mesh, std::int64_t tet, const Vec3& point) {
  const Double4 v = face_volumes(mesh, tet, point).values;
  const double sum = v[0] + v[1] + v[2] + v[3];
  return {v[0] / sum, v[1] / sum, v[2] / sum, v[3] / sum};
}

}  // namespace spindrift
