// Liquid below z = depth + amplitude cos(k x), for ever along x and y.
#pragma once

#include "spindrift/geometry/shape.hpp"

namespace spindrift::validation {

struct Wave {
  double amplitude = 0, wavelength = 1, depth = 1;  // m
};

// Distances are exact up to the least radius of curvature, 1 / (amplitude k^2).
[[nodiscard]] ShapePtr make_wave(const Wave& wave);

}  // namespace spindrift::validation
