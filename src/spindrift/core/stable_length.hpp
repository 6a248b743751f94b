// The length of a vector, right for huge and tiny ones, too.
//
// Eigen's own stableNorm() adds up in an order that depends on where in memory the vector lies:
// runs would not be the same to the bit.
#pragma once

#include <cmath>

#include "spindrift/core/vec.hpp"

namespace spindrift {

[[nodiscard]] inline double stable_length(const Vec3& v) {
  const double most = v.cwiseAbs().maxCoeff<Eigen::PropagateNaN>();
  return most > 0 && std::isfinite(most) ? most * (v / most).norm() : most;
}

}  // namespace spindrift
