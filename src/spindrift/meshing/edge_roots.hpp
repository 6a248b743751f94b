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
  // roots[i]: how far along edge i, from 0 to 1, the field is within 1e-8 `size` of zero (1e-12 at
  // kinks, round-off on flat surfaces; less where it hardly changes along the edge), or changes
  // sign within 1e-12 of the edge.
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

  std::vector<Search> searches_;
  std::vector<Vec3> points_;
  std::vector<double> values_;
};

}  // namespace spindrift
