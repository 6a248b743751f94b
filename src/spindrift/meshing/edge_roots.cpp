#include "spindrift/meshing/edge_roots.hpp"

#include <cmath>

namespace spindrift {
namespace {

constexpr double kCloseEnough = 1e-8;

// Where a parabola through three points, as a function of the values, meets zero. Anything if two
// values agree.
double inverse_parabola(double a, double fa, double b, double fb, double c, double fc) {
  return a * fb * fc / ((fa - fb) * (fa - fc)) + b * fa * fc / ((fb - fa) * (fb - fc)) +
         c * fa * fb / ((fc - fa) * (fc - fb));
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

// First the chord, then a parabola; on smooth fields that is enough. What is left, at kinks, by
// regula falsi with the Illinois rule, and every fourth time by halving.
void EdgeRoots::find(const ScalarField& field, double size, std::span<const SignedEdge> edges,
                     std::span<double> roots) {
  constexpr int kMostSteps = 100;
  searches_.clear();
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const SignedEdge& e = edges[i];
    searches_.push_back({i, 0, 1, e.start, e.end, e.start / (e.start - e.end)});
  }
  for (int step = 0; step < kMostSteps && !searches_.empty(); ++step) {
    evaluate(field, size, edges);
    std::size_t left = 0;
    for (std::size_t i = 0; i < searches_.size(); ++i) {
      Search s = searches_[i];
      const double value = values_[i];
      roots[s.edge] = s.guess;
      if (std::abs(value) <= kCloseEnough || s.high - s.low <= kCloseEnough) {
        // Along the chord for the rest: exact on flat surfaces. Not where the field hardly changes.
        constexpr double kSteep = 1e-3;
        const double slope = edges[s.edge].end - edges[s.edge].start;
        const double root = s.guess - value / slope;
        if (std::abs(slope) > kSteep && root > s.low && root < s.high) roots[s.edge] = root;
        continue;
      }
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
      s.guess = step == 0 ? parabola : chord;
      if (step % 4 == 3 || !(s.guess > s.low && s.guess < s.high)) s.guess = (s.low + s.high) / 2;
      searches_[left++] = s;
    }
    searches_.resize(left);
  }
}

}  // namespace spindrift
