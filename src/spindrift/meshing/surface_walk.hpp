// Points that walk onto surfaces, or onto the curve where two surfaces meet.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "spindrift/geometry/fields.hpp"

namespace spindrift {

// A point this close to a surface lies on it, in finest cells. Stuffing puts vertices within 1e-8.
inline constexpr double kOnSurface = 1e-6;

struct Walk {
  Vec3 from, at;
  double cosine = 0;  // between the gradients of two fields where it started
  bool has_arrived = false;
};

// Walks every point to where all of one or two fields are zero, by the shortest steps of Newton's
// method; those that would get farther than `limit` metres from where they were, or do not come
// within half of kOnSurface, do not arrive. `size` is that of the finest cells, in metres. In
// parallel.
[[nodiscard]] std::vector<Walk> walk_onto(std::span<const ScalarField* const> fields,
                                          std::span<const Vec3> points, double size, double limit);

}  // namespace spindrift
