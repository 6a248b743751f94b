// Orientation tests whose sign is exact for any finite input.
//
// A floating-point filter answers almost always; the rest is computed with expansions, sums of
// doubles that represent the exact value [Shewchuk 1997]. Inputs whose products leave the range of
// double (coordinates above 1e100 or differences below 1e-100) are outside the guarantee.
#pragma once

#include "spindrift/core/vec.hpp"

namespace spindrift {

// The sign of (a - d) . ((b - d) x (c - d)): +1 if a, b, c appear clockwise from d, 0 if the four
// points are coplanar.
[[nodiscard]] int orientation(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);

// The sign of the area of triangle abc in the plane: +1 if counter-clockwise, 0 if collinear.
[[nodiscard]] int orientation(const Vec2& a, const Vec2& b, const Vec2& c);

// Exactly: the triangle has no area.
[[nodiscard]] bool are_collinear(const Vec3& a, const Vec3& b, const Vec3& c);

// The projection of p along one axis to the plane of the other two.
[[nodiscard]] inline Vec2 drop_axis(const Vec3& p, int axis) {
  return {p[(axis + 1) % 3], p[(axis + 2) % 3]};
}

// An axis along which the triangle projects to one with area; -1 if it has none.
[[nodiscard]] int projection_axis(const Vec3& a, const Vec3& b, const Vec3& c);

}  // namespace spindrift
