#include "spindrift/mesh/lattice_shapes.hpp"

#include <utility>

#include "spindrift/core/error.hpp"
#include "spindrift/mesh/tet_mesh.hpp"

namespace spindrift {

Vec3i square_corner(int axis, int k) {
  Vec3i corner = 2 * Vec3i::Unit(axis);
  if (k == 1 || k == 2) corner[(axis + 1) % 3] = 2;
  if (k >= 2) corner[(axis + 2) % 3] = 2;
  return corner;
}

const LatticeShapes& LatticeShapes::instance() {
  static const LatticeShapes shapes;
  return shapes;
}

void LatticeShapes::set(int number, const std::array<Vec3i, 4>& corners) {
  LatticeShape& shape = shapes_[static_cast<std::size_t>(number)];
  shape.corners = corners;
  std::array<Vec3, 4> p;
  for (std::size_t k = 0; k < 4; ++k) p[k] = 0.5 * corners[k].cast<double>();
  shape.volume = (p[1] - p[0]).cross(p[2] - p[0]).dot(p[3] - p[0]) / 6;
  SPINDRIFT_ASSERT(shape.volume > 0);
  const Vec3 middle = (p[0] + p[1] + p[2] + p[3]) / 4;
  for (std::size_t face = 0; face < 4; ++face) {
    const Vec3& a = p[static_cast<std::size_t>(kTetFaces[face][0])];
    const Vec3& b = p[static_cast<std::size_t>(kTetFaces[face][1])];
    const Vec3& c = p[static_cast<std::size_t>(kTetFaces[face][2])];
    const Vec3 twice_area = (b - a).cross(c - a);
    shape.areas[face] = twice_area.norm() / 2;
    shape.normals[face] = twice_area.normalized();
    shape.from_face[face] = middle - (a + b + c) / 3;
  }
}

LatticeShapes::LatticeShapes() {
  shapes_.resize(kCount);
  const Vec3i center = Vec3i::Ones();
  for (int axis = 0; axis < 3; ++axis) {
    const Vec3i next = center + 2 * Vec3i::Unit(axis);
    for (int k = 0; k < 4; ++k) {
      const Vec3i v = square_corner(axis, k);
      const Vec3i w = square_corner(axis, (k + 1) % 4);
      const Vec3i middle = (v + w) / 2;
      set(pair(axis, k, kWhole), {center, next, v, w});
      set(pair(axis, k, kFirstHalf), {center, next, v, middle});
      set(pair(axis, k, kSecondHalf), {center, next, middle, w});
    }
    for (const bool up : {false, true}) {
      const Vec3i down = up ? Vec3i::Zero() : Vec3i(-2 * Vec3i::Unit(axis));
      const Vec3i face = center + (up ? 1 : -1) * Vec3i::Unit(axis);
      for (int k = 0; k < 4; ++k) {
        // Seen from the leaf, the lower face's corners go round the other way.
        Vec3i v = square_corner(axis, k) + down;
        Vec3i w = square_corner(axis, (k + 1) % 4) + down;
        if (!up) std::swap(v, w);
        const Vec3i middle = (v + w) / 2;
        set(quarter(axis, up, k, 0), {center, face, v, middle});
        set(quarter(axis, up, k, 1), {center, face, middle, w});
      }
      for (int at = 0; at < 4; ++at) {
        // Corner k of the square is the middle of the large face: from there round the square.
        constexpr std::array<int, 4> kSquareCorner = {0, 1, 3, 2};
        const int k = kSquareCorner[static_cast<std::size_t>(at)];
        std::array<Vec3i, 4> round;
        for (int i = 0; i < 4; ++i) {
          const int turn = up ? 4 - i : i;
          round[static_cast<std::size_t>(i)] = square_corner(axis, (k + turn) % 4) + down;
        }
        set(half_pyramid(axis, up, at, 0), {round[0], center, round[1], round[2]});
        set(half_pyramid(axis, up, at, 1), {round[0], center, round[2], round[3]});
      }
    }
  }
}

}  // namespace spindrift
