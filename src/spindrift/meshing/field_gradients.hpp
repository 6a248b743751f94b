// Values and gradients of fields that only know their values.
#pragma once

#include <span>

#include "spindrift/geometry/fields.hpp"

namespace spindrift {

struct FieldSample {
  double value = 0;
  Vec3 gradient = Vec3::Zero();
};

// For the step below, in finest cells: small against what a mesh resolves, large against round-off.
inline constexpr double kDifferenceStep = 1e-3;

// At every point, in parallel; gradients by central differences over `step` metres each way.
void sample_field(const ScalarField& field, std::span<const Vec3> points, double step,
                  std::span<FieldSample> samples);

}  // namespace spindrift
