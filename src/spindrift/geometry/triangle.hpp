// Points and single triangles.
#pragma once

#include "spindrift/core/vec.hpp"

namespace spindrift {

// The point of triangle abc nearest to p, for any triangle, degenerate ones too.
[[nodiscard]] Vec3 closest_point_on_triangle(const Vec3& p, const Vec3& a, const Vec3& b,
                                             const Vec3& c);

// Solid angle of triangle abc seen from p, over 4 pi: the triangle's share of the winding number.
// Positive if p is on the inner side (a, b, c clockwise as seen from p).
[[nodiscard]] double solid_angle_share(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c);

}  // namespace spindrift
