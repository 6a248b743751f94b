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

struct RootTolerance {
  double elsewhere = 0;  // in units of `size`; 0: as exact as it gets, everywhere
  // Where this is zero as well, roots are within 1e-7. Null: nowhere.
  const ScalarField* exact = nullptr;
};

// Reuses its memory from call to call.
class EdgeRoots {
 public:
  explicit EdgeRoots(const RootTolerance& tolerance = {}) : tolerance_(tolerance) {}

  // roots[i]: how far along edge i, from 0 to 1, the field is within the tolerance of zero (a few
  // times of it at kinks), or changes sign within the tolerance of the edge. Without a tolerance
  // that is 1e-8 (1e-12 at kinks, round-off on flat surfaces; less where it hardly changes along
  // the edge).
  void find(const ScalarField& field, double size, std::span<const SignedEdge> edges,
            std::span<double> roots);

 private:
  // What is known of a root that is not found yet: it lies between the last guess and `other`.
  struct Search {
    std::size_t edge;
    double last, at_last;
    double other, at_other;
    double before, at_before;  // the guess before the last, or the end that `other` took over from
    double guess;
  };
  void evaluate(const ScalarField& field, double size, std::span<const SignedEdge> edges);
  // Marks searches that are about to end at the exact surface.
  void find_exact(double size);

  RootTolerance tolerance_;
  std::vector<Search> searches_;
  std::vector<Vec3> points_;
  std::vector<double> values_;
  std::vector<char> is_exact_;     // of the searches: they are near the exact surface
  std::vector<std::size_t> near_;  // searches with values close to zero
  std::vector<Vec3> near_points_;
  std::vector<double> near_values_;
};

}  // namespace spindrift
