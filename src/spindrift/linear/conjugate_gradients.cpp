#include "spindrift/linear/conjugate_gradients.hpp"

#include <limits>
#include <utility>

#include "spindrift/core/error.hpp"
#include "spindrift/linear/solve_record.hpp"

namespace spindrift {

SolveReport solve_cg(const CsrMatrix& a, const Preconditioner& preconditioner,
                     std::span<const double> b, std::span<double> x, const SolveParams& params) {
  SPINDRIFT_ASSERT(std::ssize(b) == a.rows() && std::ssize(x) == a.rows());
  SolveRecord record(b, x, params);
  const auto n = b.size();
  Buffer<double> r(n), z(n), p(n), q(n);
  // From x.
  const auto set_residual = [&] {
    multiply(a, x, q);
    parallel_for_each(std::ssize(r), [&](std::int64_t i) {
      const auto k = static_cast<std::size_t>(i);
      r[k] = b[k] - q[k];
    });
    return norm(r) / record.size();
  };
  if (record.has_begun()) record.add(set_residual());
  double rz = 0;
  double last_true = std::numeric_limits<double>::infinity();
  bool begins = true;
  while (record.goes_on()) {
    preconditioner.apply(r, z);
    const double last = rz;
    rz = dot(r, z);
    if (!(rz > 0)) return record.failed("the preconditioner is not positive definite");
    const double beta = std::exchange(begins, false) ? 0 : rz / last;
    parallel_for_each(std::ssize(p), [&](std::int64_t i) {
      const auto k = static_cast<std::size_t>(i);
      p[k] = beta == 0 ? z[k] : z[k] + beta * p[k];
    });
    multiply(a, p, q);
    const double curvature = dot(p, q);
    if (!(curvature > 0)) return record.failed("the matrix is not positive definite");
    const double alpha = rz / curvature;
    parallel_for_each(std::ssize(p), [&](std::int64_t i) {
      const auto k = static_cast<std::size_t>(i);
      x[k] += alpha * p[k];
      r[k] -= alpha * q[k];
    });
    record.count_iteration(norm(r) / record.size());
    if (!record.is_small_enough(record.residual())) continue;
    // Rounding may have led the iteration astray: if so, it begins anew where it is.
    record.correct(set_residual());
    begins = true;
    if (!record.is_small_enough(record.residual()) && record.residual() > 0.5 * last_true) {
      return record.stuck();
    }
    last_true = record.residual();
  }
  return record.report();
}

}  // namespace spindrift
