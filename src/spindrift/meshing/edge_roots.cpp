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

// The root behind a guess within `enough` of it, along the line through it and the guess before; on
// flat surfaces to round-off.
double along_line(double guess, double value, double before, double value_before, double enough) {
  const double farthest = std::max(1e-5, 2 * enough);  // more, and the field hardly changes
  const double change = -value * (guess - before) / (value - value_before);
  return std::abs(change) <= farthest ? std::clamp(guess + change, 0.0, 1.0) : guess;
}

// Where between x1 and x2, from 0 to 1, to look next: where a parabola through the last three
// points, as a function of the values, meets zero, if it is monotonous between them; else halfway
// [Chandrupatla, A new hybrid quadratic/bisection algorithm, 1997].
double next_share(double x1, double f1, double x2, double f2, double x3, double f3) {
  const double way = (x1 - x2) / (x3 - x2);
  const double change = (f1 - f2) / (f3 - f2);
  if (!(change * change < way && (1 - change) * (1 - change) < 1 - way)) return 0.5;
  return f1 / (f2 - f1) * f3 / (f2 - f3) + (x3 - x1) / (x2 - x1) * f1 / (f3 - f1) * f2 / (f3 - f2);
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

void EdgeRoots::find_exact(double size) {
  is_exact_.assign(searches_.size(), 0);
  if (tolerance_.exact == nullptr) return;
  near_.clear();
  near_points_.clear();
  for (std::size_t i = 0; i < searches_.size(); ++i) {
    const Search& s = searches_[i];
    const double uncertain = std::min(std::abs(values_[i]), std::abs(s.other - s.last));
    if (uncertain > tolerance_.elsewhere) continue;
    near_.push_back(i);
    near_points_.push_back(points_[i]);
  }
  near_values_.resize(near_.size());
  tolerance_.exact->evaluate(near_points_, near_values_);
  for (std::size_t k = 0; k < near_.size(); ++k) {
    const double close = 2 * std::max(tolerance_.elsewhere, std::abs(values_[near_[k]]));
    is_exact_[near_[k]] = std::abs(near_values_[k]) <= close * size ? 1 : 0;
  }
}

// First the chord, then parabolas or halving; on smooth fields two of these and a last step along a
// line are enough.
void EdgeRoots::find(const ScalarField& field, double size, std::span<const SignedEdge> edges,
                     std::span<double> roots) {
  constexpr int kMostSteps = 100;
  searches_.clear();
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const SignedEdge& e = edges[i];
    searches_.push_back({i, 0, e.start, 1, e.end, 0, e.start, e.start / (e.start - e.end)});
  }
  for (int step = 0; step < kMostSteps && !searches_.empty(); ++step) {
    evaluate(field, size, edges);
    find_exact(size);
    const bool is_smooth = step < kSmoothSteps;
    const double exact = is_smooth || tolerance_.elsewhere > 0 ? kCloseEnough : kClosest;
    const double elsewhere = std::max(exact, tolerance_.elsewhere);
    std::size_t left = 0;
    for (std::size_t i = 0; i < searches_.size(); ++i) {
      Search s = searches_[i];
      const double value = values_[i];
      const double enough = is_exact_[i] != 0 ? exact : elsewhere;
      if (std::abs(value) <= enough || std::abs(s.other - s.last) <= enough) {
        roots[s.edge] = is_smooth ? along_line(s.guess, value, s.last, s.at_last, enough) : s.guess;
        continue;
      }
      if ((value < 0) == (s.at_last < 0)) {
        s.before = s.last;
        s.at_before = s.at_last;
      } else {
        s.before = s.other;
        s.at_before = s.at_other;
        s.other = s.last;
        s.at_other = s.at_last;
      }
      s.last = s.guess;
      s.at_last = value;
      const double share =
          next_share(s.last, s.at_last, s.other, s.at_other, s.before, s.at_before);
      s.guess = s.last + share * (s.other - s.last);
      roots[s.edge] = s.guess;
      searches_[left++] = s;
    }
    searches_.resize(left);
  }
}

}  // namespace spindrift
