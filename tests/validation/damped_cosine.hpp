// The damped cosine that fits a series best: y = exp(-rate t) (a cos omega t + b sin omega t) + c.
#pragma once

#include <cmath>
#include <numbers>
#include <span>

#include "spindrift/core/vec.hpp"

namespace spindrift::validation {

struct DampedCosine {
  double omega = 0, rate = 0;  // 1/s
  double a = 0, b = 0, c = 0;
  double misfit = 0;  // root mean square

  [[nodiscard]] double period() const { return 2 * std::numbers::pi / omega; }
  // The share of its amplitude that it loses in a period.
  [[nodiscard]] double loss() const { return 1 - std::exp(-rate * period()); }
};

// Least squares by Gauss-Newton from a first guess of the frequency. Points are (t, y).
[[nodiscard]] DampedCosine fit_damped_cosine(std::span<const Vec2> points, double omega);

}  // namespace spindrift::validation
