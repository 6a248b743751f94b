// Incomplete Cholesky without fill-in, rows in their own order.
//
// A ~ L L^T with the pattern of A [Meijerink & van der Vorst 1977]. Serial, as triangular solves
// are; for comparison.
#pragma once

#include "spindrift/linear/conjugate_gradients.hpp"

namespace spindrift {

class IncompleteCholesky final : public Preconditioner {
 public:
  // Where a pivot would not be positive, the diagonal is raised, as a whole, until none is.
  explicit IncompleteCholesky(const CsrMatrix& a);
  void apply(std::span<const double> r, std::span<double> z) const override;
  [[nodiscard]] const SetupReport& setup() const { return setup_; }

 private:
  // Of A with its diagonal multiplied by (1 + shift).
  [[nodiscard]] bool factor(const CsrMatrix& a, double shift);

  CsrMatrix lower_;                // strictly below the diagonal
  Buffer<double> inverse_pivots_;  // 1 / l_ii
  SetupReport setup_;
};

}  // namespace spindrift
