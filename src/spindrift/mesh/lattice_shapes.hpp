// The tetrahedra that leaves of an octree are made of, before a surface cuts them.
//
// Four kinds [Chentanez 2007, figure 4], in every direction in which they occur, for a leaf of side
// 2 with its first corner at the origin: towards a leaf of the same size those of the body-centred
// lattice, whole or halved; towards four smaller leaves eight, each with the middle of the face;
// towards a larger leaf the two halves of a pyramid. What depends on the shape alone is known once
// for all of them, and need not be kept for each tetrahedron.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "spindrift/core/vec.hpp"

namespace spindrift {

struct LatticeShape {
  std::array<Vec3i, 4> corners;  // a, b, c, d of a positive volume; the leaf's side is 2
  // For a leaf of side 1:
  double volume = 0;
  std::array<double, 4> areas{};  // of the faces opposite a, b, c, d
  std::array<Vec3, 4> normals;    // outwards
  std::array<Vec3, 4> from_face;  // from the middle of each face to the middle of the shape
};

// Number of a shape, and the size of its leaf as a power of two of the finest.
struct ShapeCode {
  static constexpr std::uint16_t kNone = 0xffff;  // any other tetrahedron
  std::uint16_t value = kNone;

  ShapeCode() = default;
  ShapeCode(int shape, int level) : value(static_cast<std::uint16_t>(4 * shape + level)) {}
  [[nodiscard]] bool is_standard() const { return value != kNone; }
  [[nodiscard]] int shape() const { return value >> 2; }
  [[nodiscard]] int level() const { return value & 3; }
};

// The corners of the square between a leaf of side 2 and the next one up along an axis,
// counterclockwise about the axis.
[[nodiscard]] Vec3i square_corner(int axis, int k);

class LatticeShapes {
 public:
  [[nodiscard]] static const LatticeShapes& instance();

  [[nodiscard]] const LatticeShape& shape(int number) const {
    return shapes_[static_cast<std::size_t>(number)];
  }
  [[nodiscard]] int count() const { return static_cast<int>(shapes_.size()); }

  // Between the leaf and the next one up along an axis, at edge k of the square between them. The
  // whole tetrahedron, or the first or second half of it.
  enum Part { kWhole = 0, kFirstHalf = 1, kSecondHalf = 2 };
  [[nodiscard]] static int pair(int axis, int k, Part part) { return 3 * (4 * axis + k) + part; }

  // Towards four smaller leaves: at each half of edge k of the face.
  [[nodiscard]] static int quarter(int axis, bool up, int k, int half) {
    return kQuarters + 2 * (4 * (2 * axis + up) + k) + half;
  }

  // Towards a larger leaf. `middle`: which corner of the face is the middle of the large face; bit
  // 0 and 1 say whether it is the upper one along the two axes after `axis`.
  [[nodiscard]] static int half_pyramid(int axis, bool up, int middle, int half) {
    return kHalfPyramids + 2 * (4 * (2 * axis + up) + middle) + half;
  }

 private:
  static constexpr int kQuarters = 36, kHalfPyramids = 84, kCount = 132;
  LatticeShapes();
  void set(int number, const std::array<Vec3i, 4>& corners);
  std::vector<LatticeShape> shapes_;
};

}  // namespace spindrift
