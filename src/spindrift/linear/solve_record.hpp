// The report of an iteration as it goes, and whether it goes on.
//
//   SolveRecord record(b, x, params);
//   if (record.has_begun()) record.add(first_residual);
//   while (record.goes_on()) {
//     ...
//     if (!(curvature > 0)) return record.failed("the matrix is not positive definite");
//     record.count_iteration(residual);
//   }
//   return record.report();
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "spindrift/core/stats.hpp"
#include "spindrift/linear/solve_report.hpp"
#include "spindrift/linear/vectors.hpp"

namespace spindrift {

class SolveRecord {
 public:
  // Without a right-hand side the solution is zero.
  SolveRecord(std::span<const double> b, std::span<double> x, const SolveParams& params)
      : params_(params), size_(norm(b)) {
    if (!std::isfinite(size_)) {
      report_.problem = "the right-hand side is not finite";
    } else if (size_ == 0) {
      std::fill(x.begin(), x.end(), 0.0);
      report_.residuals = {0};
    }
  }

  // Whether there is something to iterate for.
  [[nodiscard]] bool has_begun() const { return size_ > 0 && std::isfinite(size_); }
  [[nodiscard]] double size() const { return size_; }  // |b|
  [[nodiscard]] double residual() const { return report_.residual(); }
  [[nodiscard]] int iterations() const { return report_.iterations; }
  [[nodiscard]] bool is_small_enough(double residual) const {
    return residual <= params_.tolerance;
  }

  void add(double residual) { report_.residuals.push_back(residual); }
  void correct(double residual) { report_.residuals.back() = residual; }
  void count_iteration(double residual) {
    ++report_.iterations;
    add(residual);
  }

  // False at the end, good or bad.
  [[nodiscard]] bool goes_on() {
    if (!report_.problem.empty() || is_small_enough(residual())) return false;
    if (!std::isfinite(residual())) {
      report_.problem = "the residual is not finite";
    } else if (report_.iterations == params_.max_iterations) {
      report_.problem =
          fmt::format("the residual is {:.2g} after {} iterations", residual(), report_.iterations);
    }
    return report_.problem.empty();
  }

  [[nodiscard]] SolveReport failed(std::string problem) {
    report_.problem = std::move(problem);
    return report();
  }
  [[nodiscard]] SolveReport stuck() {
    return failed(fmt::format("the residual stays at {:.2g}", residual()));
  }
  [[nodiscard]] SolveReport report() {
    report_.has_converged = report_.problem.empty();
    report_.seconds = watch_.seconds();
    return report_;
  }

 private:
  Stopwatch watch_;
  SolveParams params_;
  double size_;
  SolveReport report_;
};

}  // namespace spindrift
