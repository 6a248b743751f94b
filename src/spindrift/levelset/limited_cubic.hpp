// The cubic through four samples in a row, between the middle two, tamed beside kinks.
//
// With samples a and b at s = 0 and 1 and the second differences D0 and D1 there,
//   p(s) = a + s (b - a) - s (1 - s) / 6 ((2 - s) D0 + (1 + s) D1)
// is the cubic through the samples at -1, 0, 1 and 2: fourth order where the function is smooth. A
// distance in lattice units has gentle second differences (1 / radius of curvature) that vary
// slowly, but jumps of 1 to 2 where the nearest surface changes, and a cubic through such a kink
// rings. `limited` takes the jump away: p is then nearly linear beside it.
//
// V is float or a vector of floats (core/simd.hpp); lanes do not influence each other.
#pragma once

#include "spindrift/core/simd.hpp"

namespace spindrift {

template <class V>
struct SecondDifferences {
  V at_0, at_1;
};

// Neither is left larger than four times the other and a little. Four: with two, the tight curves
// of drops of two nodes' radius are cut too, and the sheet of the deformation test loses 19 % of
// its volume instead of 3 %. 0.05 is the second difference at a radius of 20 nodes, and bends p by
// 0.003 at most where the other one is zero.
template <class V>
[[nodiscard]] inline SecondDifferences<V> limited(V d0, V d1) {
  const auto within = [](V d, V other) {
    const V bound = 4.0f * lane_max(other, -other) + 0.05f;
    return lane_max(-bound, lane_min(bound, d));
  };
  return {within(d0, d1), within(d1, d0)};
}

template <class V>
struct LimitedCubic {
  V a, b;  // at s = 0 and 1
  SecondDifferences<V> d;

  [[nodiscard]] V value(V s) const {
    const V bend = (2.0f - s) * d.at_0 + (1.0f + s) * d.at_1;
    return a + s * (b - a) - s * (1.0f - s) * (1.0f / 6.0f) * bend;
  }
  [[nodiscard]] V slope(V s) const {
    const V bend = (2.0f - s) * d.at_0 + (1.0f + s) * d.at_1;
    const V turn = (1.0f - 2.0f * s) * bend + s * (1.0f - s) * (d.at_1 - d.at_0);
    return b - a - (1.0f / 6.0f) * turn;
  }
};

// From the samples at -1, 0, 1 and 2.
template <class V>
[[nodiscard]] inline LimitedCubic<V> limited_cubic(V before, V a, V b, V after) {
  return {a, b, limited(before - 2.0f * a + b, a - 2.0f * b + after)};
}

namespace detail {
inline bool any_lane(bool mask) { return mask; }
inline bool any_lane(Int8 mask) { return true_lanes(mask) != 0; }
}  // namespace detail

// Where p is zero, to 1e-6 or better, if a and b have opposite signs (zero counts as positive).
//
// Newton's method from the root of the straight line, inside a shrinking bracket; a step that would
// leave the bracket halves it. Three steps are usual. From the eighth on all steps are halvings, so
// that it always ends.
template <class V>
[[nodiscard]] inline V root(const LimitedCubic<V>& p) {
  const V zero = V{}, one = zero + 1.0f;
  V low = zero, high = one;
  V s = p.a / (p.a - p.b);
  auto is_moving = low < high;
  for (int step = 0; step < 30 && detail::any_lane(is_moving); ++step) {
    const V value = p.value(s);
    const auto is_beyond = (value < zero) == (p.b < zero);  // the root is below s
    high = is_beyond ? s : high;
    low = is_beyond ? low : s;
    const V middle = 0.5f * (low + high);
    V next = s - value / p.slope(s);
    if (step >= 8) next = middle;
    next = next >= low ? next : middle;  // also if the slope was zero
    next = next <= high ? next : middle;
    const V moved = next - s;
    s = is_moving ? next : s;
    is_moving = is_moving & (lane_max(moved, -moved) > zero + 1e-6f);
  }
  return s;
}

}  // namespace spindrift
