// Velocity fields with known motions, for tests of what is carried along.
#pragma once

#include <cmath>
#include <numbers>

#include "spindrift/geometry/fields.hpp"

namespace spindrift::test {

// A velocity field from a function of the point.
template <class Function>
class Flow final : public VelocityField {
 public:
  explicit Flow(Function function) : function_(std::move(function)) {}
  void evaluate(std::span<const Vec3> points, std::span<Vec3> velocities) const override {
    for (std::size_t i = 0; i < points.size(); ++i) velocities[i] = function_(points[i]);
  }

 private:
  Function function_;
};

inline auto uniform_flow(const Vec3& velocity) {
  return Flow([velocity](const Vec3&) { return velocity; });
}

// One turn a second about the vertical axis through the middle of the unit box.
inline auto turning_flow() {
  return Flow(
      [](const Vec3& p) { return Vec3(2 * std::numbers::pi * Vec3(0.5 - p.y(), p.x() - 0.5, 0)); });
}

// The deformation of [Enright et al. 2002] in the unit box at time t: stretched most at 1.5, back
// at 3. With the smooth start of El Topo's test; the cosine of the paper leads to the same shapes
// at these times.
inline auto deforming_flow(double t) {
  const double factor = std::sin(2 * std::numbers::pi * t / 3);
  return Flow([factor](const Vec3& p) {
    const Vec3 a = std::numbers::pi * p;
    const double sx = std::sin(a.x());
    const double sy = std::sin(a.y());
    const double sz = std::sin(a.z());
    const double s2x = std::sin(2 * a.x());
    const double s2y = std::sin(2 * a.y());
    const double s2z = std::sin(2 * a.z());
    return Vec3(factor * Vec3(2 * sx * sx * s2y * s2z, -s2x * sy * sy * s2z, -s2x * s2y * sz * sz));
  });
}

}  // namespace spindrift::test
