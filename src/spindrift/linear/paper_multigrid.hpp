// The algebraic multigrid of the paper [Chentanez2007 §3.5], as a reference.
//
// Coarse variables by greedy labelling (coarse_labels.hpp); a fine variable is the plain average of
// its coarse neighbours; coarse matrices are P^T A P; two sweeps of Gauss-Seidel before and after a
// coarse correction; an inverse on the coarsest level. Full cycles, repeated until the residual is
// small enough; or one V-cycle as a preconditioner of conjugate gradients, for which the sweeps
// after the correction run backwards.
//
// Where the paper is silent: variables without neighbours, which no coarser level could help, are
// left to the sweeps, which solve them; on singular matrices the null space is left alone.
#pragma once

#include <vector>

#include "spindrift/linear/conjugate_gradients.hpp"
#include "spindrift/linear/dense_inverse.hpp"

namespace spindrift {

struct PaperMultigridParams {
  int sweeps = 2;                 // before, and after
  std::int64_t dense_rows = 250;  // that are solved directly
};

// Serial but for products of matrices and vectors, as Gauss-Seidel is. Not for use by two threads
// at once: its vectors are its own.
class PaperMultigrid final : public Preconditioner {
 public:
  // The matrix is symmetric and positive (semi-)definite. It must outlive the solver.
  explicit PaperMultigrid(const CsrMatrix& a, const PaperMultigridParams& params = {});

  [[nodiscard]] const SetupReport& setup() const { return setup_; }

  // Solves A x = b by full cycles from the x that it is given. If A is singular, b must be in its
  // range. One iteration is one full cycle.
  [[nodiscard]] SolveReport solve(std::span<const double> b, std::span<double> x,
                                  const SolveParams& params = {}) const;

  // One V-cycle from zero.
  void apply(std::span<const double> r, std::span<double> z) const override;

 private:
  enum class Direction { forward, backward };
  struct Level {
    CsrMatrix own;                        // empty on the finest, whose matrix is the caller's
    Buffer<double> inverse_diagonal;      // 0 for rows of zeros
    CsrMatrix prolongation, restriction;  // from and to the next coarser
  };
  struct Vectors {
    Buffer<double> b, x, residual;
  };

  [[nodiscard]] const CsrMatrix& matrix(std::size_t level) const {
    return level == 0 ? a_ : levels_[level].own;
  }
  void add_levels();
  void relax(std::size_t level, Direction direction) const;
  void solve_coarsest() const;
  void v_cycle(std::size_t level) const;
  void full_cycle() const;

  const CsrMatrix& a_;
  PaperMultigridParams params_;
  std::vector<Level> levels_;  // the finest first
  DenseInverse coarsest_;
  mutable std::vector<Vectors> vectors_;  // of the levels
  SetupReport setup_;
};

}  // namespace spindrift
