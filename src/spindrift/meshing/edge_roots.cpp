#include "spindrift/meshing/edge_roots.hpp"

#include <algorithm>
#include <cmath>

namespace spindrift {
namespace {

// Where the field is smooth, so that few steps are needed, before a last one along a line; and at
// kinks.
constexpr double kCloseEnough = 1e-7;
constexpr double kClosest = 1e-12;
constexpr int kSmoothSteps = 4;

// Where a parabola through three points, as a function of the values, meets zero. Anything if two
// values agree.
double inverse_parabola(double a, double fa, double b, double fb, double c, double fc) {
  return a * fb * fc / ((fa - fb) * (fa - fc)) + b * fa * fc / ((fb - fa) * (fb - fc)) +
         c * fa * fb / ((fc - fa) * (fc - fb));
}

// The root behind a guess close to it, along the line through it and the guess before; on flat
// surfaces to round-off.
double along_line(double guess, double value, double before, double value_before) {
  constexpr double kFarthest = 1e-5;  // more, and the field hardly changes
  const double change = -value * (guess - before) / (value - value_before);
  return std::abs(change) <= kFarthest ? std::clamp(guess + change, 0.0, 1.0) : guess;
}

}  // namespace

void EdgeRoots::evaluate(const ScalarField& field, double size, std::span<const SignedEdge> edges) {
  points_.resize(searches_.size());
  values_.resize(searches_.size());
  for (std::size_t i = 0; i < searches_.size(); ++i) {
    const SignedEdge& edge = edges[searches_[i].edge];
    points_[i] = edge.from + searches_[i].guess * edge.vector;
  }
  field.evaluate(points_, values_);
  for (double& value : values_) value /= size;
}

// First the chord, then a parabola; on smooth fields that and a last step along a line are enough.
// What is left, at kinks, along lines where they lead close by, else by regula falsi with the
// Illinois rule, and every fourth time by halving.
void EdgeRoots::find(const ScalarField& field, double size, std::span<const SignedEdge> edges,
                     std::span<double> roots) {
  constexpr int kMostSteps = 100;
  const double close_enough = std::max(kCloseEnough, tolerance_);
  const double closest = std::max(kClosest, tolerance_);
  searches_.clear();
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const SignedEdge& e = edges[i];
    searches_.push_back({i, 0, 1, e.start, e.end, 0, e.start, e.start / (e.start - e.end)});
  }
  for (int step = 0; step < kMostSteps && !searches_.empty(); ++step) {
    evaluate(field, size, edges);
    std::size_t left = 0;
    for (std::size_t i = 0; i < searches_.size(); ++i) {
      Search s = searches_[i];
      const double value = values_[i];
      roots[s.edge] = s.guess;
      const bool is_smooth = step < kSmoothSteps;
      if (std::abs(value) <= (is_smooth ? close_enough : closest) || s.high - s.low <= closest) {
        if (is_smooth) roots[s.edge] = along_line(s.guess, value, s.before, s.at_before);
        continue;
      }
      const double line = along_line(s.guess, value, s.before, s.at_before);
      s.before = s.guess;
      s.at_before = value;
      const double parabola =
          step > 0 ? 0 : inverse_parabola(s.low, s.at_low, s.high, s.at_high, s.guess, value);
      if ((value < 0) == (s.at_low < 0)) {
        s.low = s.guess;
        s.at_low = value;
        if (step > 0) s.at_high /= 2;
      } else {
        s.high = s.guess;
        s.at_high = value;
        if (step > 0) s.at_low /= 2;
      }
      const double chord = s.low + (s.high - s.low) * s.at_low / (s.at_low - s.at_high);
      s.guess = step == 0 ? parabola : line != s.guess ? line : chord;
      if (step % 4 == 3 || !(s.guess > s.low && s.guess < s.high)) s.guess = (s.low + s.high) / 2;
      searches_[left++] = s;
    }
    searches_.resize(left);
  }
}

}  // namespace spindrift
