// Fields over space, evaluated in batches, and paths traced through them.
//
// Batches let an implementation sort, walk and vectorise; a call costs one virtual dispatch however
// many points it carries. Implementations are safe to call from several threads at once.
#pragma once

#include <span>
#include <vector>

#include "spindrift/core/vec.hpp"

namespace spindrift {

class ScalarField {
 public:
  virtual ~ScalarField() = default;
  // values[i] = field(points[i]); both spans have the same length.
  virtual void evaluate(std::span<const Vec3> points, std::span<double> values) const = 0;
};

class VelocityField {
 public:
  virtual ~VelocityField() = default;
  // velocities[i] = field(points[i]) in m/s; both spans have the same length.
  virtual void evaluate(std::span<const Vec3> points, std::span<Vec3> velocities) const = 0;
};

// evaluate(), in parallel over chunks of the batch.
void evaluate_parallel(const ScalarField& field, std::span<const Vec3> points,
                       std::span<double> values);
void evaluate_parallel(const VelocityField& field, std::span<const Vec3> points,
                       std::span<Vec3> velocities);

// Runge-Kutta schemes: errors of order dt^2, dt^3, dt^5 a step.
enum class PathScheme { euler, midpoint, rk4 };

// Moves every point along the field for `dt` seconds (negative: backwards in time), in parallel.
void trace_paths(const VelocityField& field, double dt, PathScheme scheme, std::span<Vec3> points);

}  // namespace spindrift
