#include "spindrift/sim/step_control.hpp"

#include <algorithm>
#include <cmath>

namespace spindrift {

double longest_step(const StepLimits& limits, double speed, double solid_speed) {
  const double way = limits.cfl * limits.cell;
  double dt = limits.max_step;
  const double g = limits.gravity;
  if (g > 0) {
    dt = std::min(dt, 0.7 * std::sqrt(limits.cell / g));
    // (speed + g dt) dt = way, in the form without cancellation.
    dt = std::min(dt, 2 * way / (speed + std::sqrt(speed * speed + 4 * g * way)));
  } else if (speed > 0) {
    dt = std::min(dt, way / speed);
  }
  if (solid_speed > 0) dt = std::min(dt, way / solid_speed);
  return dt;
}

double step_towards(double time, double end, double longest) {
  const double left = end - time;
  // A last step that would be longer by rounding alone is none.
  const double steps = std::max(1.0, std::ceil(left / longest - 1e-9));
  return left / steps;
}

}  // namespace spindrift
