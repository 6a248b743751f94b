// On which sides of a tetrahedron's faces a point lies: four at once, and exactly where it matters.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "spindrift/core/simd.hpp"
#include "spindrift/mesh/tet_mesh.hpp"

namespace spindrift {

// Six times the volumes of a point with each face, positive on the inner side of the face; each is
// off by less than `error`. Divided by their sum they are the barycentric coordinates.
struct FaceVolumes {
  Double4 values;
  double error;
};

[[nodiscard]] inline FaceVolumes face_volumes(const TetMesh& mesh, std::int64_t tet,
                                              const Vec3& point) {
  const Vec3& a = mesh.corner(tet, 0);
  const Vec3& b = mesh.corner(tet, 1);
  const Vec3& c = mesh.corner(tet, 2);
  const Vec3& d = mesh.corner(tet, 3);
  const Double4 x = Double4{a.x(), b.x(), c.x(), d.x()} - splat4(point.x());
  const Double4 y = Double4{a.y(), b.y(), c.y(), d.y()} - splat4(point.y());
  const Double4 z = Double4{a.z(), b.z(), c.z(), d.z()} - splat4(point.z());
  // Lane k of v1, v2, v3: the three vertices after vertex k.
  const auto turned1 = [](Double4 v) { return __builtin_shufflevector(v, v, 1, 2, 3, 0); };
  const auto turned2 = [](Double4 v) { return __builtin_shufflevector(v, v, 2, 3, 0, 1); };
  const auto turned3 = [](Double4 v) { return __builtin_shufflevector(v, v, 3, 0, 1, 2); };
  const Lanes3<Double4> v1 = {turned1(x), turned1(y), turned1(z)};
  const Lanes3<Double4> v2 = {turned2(x), turned2(y), turned2(z)};
  const Lanes3<Double4> v3 = {turned3(x), turned3(y), turned3(z)};
  // A turn by one place is an odd permutation of four.
  const Double4 volumes = dot(v1, cross(v2, v3)) * Double4{1, -1, 1, -1};

  const Double4 zero = splat4(0);
  const auto size = [&](Double4 v) { return v < zero ? -v : v; };
  Double4 reach = lane_max(lane_max(size(x), size(y)), size(z));
  reach = lane_max(reach, turned2(reach));
  const double greatest = reach[0] > reach[1] ? reach[0] : reach[1];
  // As in orientation(): 16 roundings of a sum of six products.
  return {volumes, 96 * 0x1p-53 * greatest * greatest * greatest};
}

// Exactly: +1 if the point lies on the inner side of a face, 0 in its plane, -1 beyond it.
[[nodiscard]] int side_of_face(const TetMesh& mesh, std::int64_t tet, int face, const Vec3& point);

// Exactly: whether the point lies in the tetrahedron or on its faces. A tetrahedron that is flat or
// inside out contains nothing.
[[nodiscard]] bool contains(const TetMesh& mesh, std::int64_t tet, const Vec3& point);

// The barycentric coordinates of a point, which sum to one; not finite if the tetrahedron is flat.
[[nodiscard]] std::array<double, 4> barycentric(const TetMesh& mesh, std::int64_t tet,
                                                const Vec3& point);

}  // namespace spindrift
