#include "spindrift/linear/conjugate_gradients.hpp"

#include <limits>
#include <utility>

#include <fmt/format.h>

#include "spindrift/core/error.hpp"
#include "spindrift/core/stats.hpp"
#include "spindrift/linear/vectors.hpp"

namespace spindrift {

SolveReport solve_cg(const CsrMatrix& a, const Preconditioner& preconditioner,
                     std::span<const double> b, std::span<double> x, const SolveParams& params) {
  SPINDRIFT_ASSERT(std::ssize(b) == a.rows() && std::ssize(x) == a.rows());
  const Stopwatch watch;
  SolveReport report;
  const auto n = b.size();
  Buffer<double> r(n), z(n), p(n), q(n);
  const double size = norm(b);
  // From x.
  const auto set_residual = [&] {
    multiply(a, x, q);
    parallel_for_each(std::ssize(r), [&](std::int64_t i) {
      const auto k = static_cast<std::size_t>(i);
      r[k] = b[k] - q[k];
    });
    return norm(r) / size;
  };
  const auto finish = [&](std::string problem) {
    report.has_converged = problem.empty();
    report.problem = std::move(problem);
    report.seconds = watch.seconds();
    return report;
  };
  if (!std::isfinite(size)) return finish("the right-hand side is not finite");
  if (size == 0) {
    std::fill(x.begin(), x.end(), 0.0);
    report.residuals = {0};
    return finish({});
  }
  report.residuals = {set_residual()};
  double rz = 0;
  double last_true = std::numeric_limits<double>::infinity();
  bool begins = true;
  while (!(report.residual() <= params.tolerance)) {
    if (!std::isfinite(report.residual())) return finish("the residual is not finite");
    if (report.iterations == params.max_iterations) {
      return finish(fmt::format("the residual is {:.2g} after {} iterations", report.residual(),
                                report.iterations));
    }
    preconditioner.apply(r, z);
    const double last = rz;
    rz = dot(r, z);
    if (!(rz > 0)) return finish("the preconditioner is not positive definite");
    const double beta = std::exchange(begins, false) ? 0 : rz / last;
    parallel_for_each(std::ssize(p), [&](std::int64_t i) {
      const auto k = static_cast<std::size_t>(i);
      p[k] = beta == 0 ? z[k] : z[k] + beta * p[k];
    });
    multiply(a, p, q);
    const double curvature = dot(p, q);
    if (!(curvature > 0)) return finish("the matrix is not positive definite");
    const double alpha = rz / curvature;
    parallel_for_each(std::ssize(p), [&](std::int64_t i) {
      const auto k = static_cast<std::size_t>(i);
      x[k] += alpha * p[k];
      r[k] -= alpha * q[k];
    });
    ++report.iterations;
    report.residuals.push_back(norm(r) / size);
    if (report.residual() > params.tolerance) continue;
    // Rounding may have led the iteration astray: if so, it begins anew where it is.
    report.residuals.back() = set_residual();
    begins = true;
    if (report.residual() > params.tolerance && report.residual() > 0.5 * last_true) {
      return finish(fmt::format("the residual stays at {:.2g}", report.residual()));
    }
    last_true = report.residual();
  }
  return finish({});
}

}  // namespace spindrift
