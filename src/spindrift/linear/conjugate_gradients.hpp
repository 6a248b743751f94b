// Preconditioned conjugate gradients in double precision.
#pragma once

#include <span>

#include "spindrift/linear/csr_matrix.hpp"
#include "spindrift/linear/solve_report.hpp"

namespace spindrift {

// A symmetric positive definite approximation of the inverse of a matrix.
class Preconditioner {
 public:
  virtual ~Preconditioner() = default;
  // z = M^-1 r
  virtual void apply(std::span<const double> r, std::span<double> z) const = 0;
};

// Solves A x = b from the x that it is given, for a symmetric matrix that is positive definite, or
// semi-definite with b in its range.
[[nodiscard]] SolveReport solve_cg(const CsrMatrix& a, const Preconditioner& preconditioner,
                                   std::span<const double> b, std::span<double> x,
                                   const SolveParams& params = {});

}  // namespace spindrift
