// Conjugate gradients preconditioned by a multigrid of aggregates.
//
// Made for matrices of Poisson's equation that are built anew in every step, so that setting up
// must be cheap. Rows come with keys that tell where they are: Morton codes of small cubes. Rows in
// the same cube, or in larger ones where there are few, make an aggregate; on the next level those
// are joined, and so on. Coarse matrices are sums of entries, scaled down because aggregates are
// too stiff (over-correction [Braess 1995]). A step of damped Jacobi before and after; W-cycles
// below the first coarse level; an inverse on the last. The hierarchy and the vectors are in single
// precision; the residual is computed anew in double precision whenever it has become a thousand
// times smaller [van der Vorst & Ye 2000], so that the solution is as exact as asked for.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "spindrift/linear/dense_inverse.hpp"
#include "spindrift/linear/multigrid_level.hpp"
#include "spindrift/linear/solve_report.hpp"

namespace spindrift {

// Tuned on the meshes of `spindrift bench pressure`; iterations hardly depend on any of them.
struct MultigridParams {
  float smoothing = 0.85F;  // Jacobi's damping, on the finest level and below
  float coarse_smoothing = 0.9F;
  double first_scale = 1.1;  // of the first coarse matrix and of those below
  double coarse_scale = 0.6;
  std::int64_t most_together = 24;  // rows in an aggregate of more than one cube, and below
  std::int64_t most_together_below = 8;
  std::int64_t dense_rows = 250;  // that are solved directly
};

class Multigrid {
 public:
  // The matrix is symmetric and positive (semi-)definite. It must outlive the solver. `keys`: one
  // for each row, of cubes that hold about twenty rows. `held`: rows to begin with of
  // hold_at_zero(), ascending; coarse levels are made for them.
  Multigrid(const CsrMatrix& a, std::span<const std::uint64_t> keys,
            const MultigridParams& params = {}, std::span<const std::int32_t> held = {});
  ~Multigrid();

  [[nodiscard]] const SetupReport& setup() const { return setup_; }

  // From now on x is held at zero in these rows, whose equations do not count: b and x must be zero
  // there. Coarse levels stay as they are, which costs a few iterations instead of another set-up.
  void hold_at_zero(std::span<const std::int32_t> rows);

  // Solves A x = b from the x that it is given. If A is singular, b must be in its range.
  [[nodiscard]] SolveReport solve(std::span<const double> b, std::span<double> x,
                                  const SolveParams& params = {});

 private:
  struct Work;  // vectors of a level
  class Iteration;
  void cycle(std::size_t level);

  const CsrMatrix& a_;
  MultigridParams params_;
  Buffer<double> inverse_scale_;  // of the finest rows
  std::vector<char> is_held_;     // of the rows; empty if none is
  std::vector<MultigridLevel> levels_;
  DenseInverse coarsest_;
  Buffer<std::int32_t> coarsest_places_;
  std::vector<Work> work_;  // of the levels, and of the coarsest
  Buffer<float> solution_;
  SetupReport setup_;
};

}  // namespace spindrift
