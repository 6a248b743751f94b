// How long a step may be.
#pragma once

#include "spindrift/core/vec.hpp"

namespace spindrift {

struct StepLimits {
  double cell = 0;      // m, side of the finest cells
  double cfl = 4;       // of them that liquid and obstacles may cross
  double max_step = 0;  // s
  double gravity = 0;   // m/s^2
};

// The greatest step for liquid that moves with `speed` and solids that move with `solid_speed`,
// m/s; gravity makes the liquid faster meanwhile. Waves at the surface as short as a few cells
// travel on steps of at most 0.7 sqrt(cell / gravity).
[[nodiscard]] double longest_step(const StepLimits& limits, double speed, double solid_speed);

// The first of equal steps, none longer than `longest`, that end at `end` exactly.
[[nodiscard]] double step_towards(double time, double end, double longest);

}  // namespace spindrift
