// Roots of a field on many edges at once.
#pragma once

#include <span>
#include <vector>

#include "spindrift/geometry/fields.hpp"

namespace spindrift {

// An edge with ends of opposite sign.
struct SignedEdge {
  Vec3 from, vector;  // m
  double start = 0;   // the field at both ends, in units of `size`; never 0
  double end = 0;
};

// Reuses its memory from call to call.
class EdgeRoots {
 public:
  // `tolerance`: in units of `size`; 0: as exact as it gets.
  explicit EdgeRoots(double tolerance = 0) : tolerance_(tolerance) {}

  // roots[i]: how far along edge i, from 0 to 1, the field is within the tolerance of zero, or
  // changes sign within the tolerance of the edge. At the least that is 1e-8 (1e-12 at kinks,
  // round-off on flat surfaces; less where it hardly changes along the edge).
  void find(const ScalarField& field, double size, std::span<const SignedEdge> edges,
            std::span<double> roots);

 private:
  // What is known of a root that is not found yet.
  struct Search {
    std::size_t edge;
    double low, high;  // the root lies between
    double at_low, at_high;
    double before, at_before;  // the guess before
    double guess;
  };
  void evaluate(const ScalarField& field, double size, std::span<const SignedEdge> edges);

  double tolerance_;
  std::vector<Search> searches_;
  std::vector<Vec3> points_;
  std::vector<double> values_;
};

}  // namespace spindrift
