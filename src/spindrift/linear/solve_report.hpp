// What a linear solver did.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace spindrift {

struct LevelReport {
  std::int64_t rows = 0, nonzeros = 0;
};

struct SetupReport {
  std::vector<LevelReport> levels;  // the finest first; one for solvers without levels
  std::int64_t bytes = 0;           // of the matrix and all that was made of it
  double seconds = 0;

  // Non-zeros of all levels, over those of the finest.
  [[nodiscard]] double operator_complexity() const {
    if (levels.empty() || levels.front().nonzeros == 0) return 1;
    double all = 0;
    for (const LevelReport& level : levels) all += static_cast<double>(level.nonzeros);
    return all / static_cast<double>(levels.front().nonzeros);
  }
};

struct SolveReport {
  bool has_converged = false;
  std::string problem;  // why not
  int iterations = 0;
  // |b - A x| / |b| before and after each iteration. The last one is computed from x, unless it was
  // asked for a trial; those before may be what the iteration has them for.
  std::vector<double> residuals;
  double seconds = 0;

  [[nodiscard]] double residual() const {
    return residuals.empty() ? std::nan("") : residuals.back();
  }
};

struct SolveParams {
  double tolerance = 1e-6;  // of |b - A x| / |b|
  int max_iterations = 1000;
  bool is_trial = false;  // the last residual, too, may be what the iteration has it for
};

}  // namespace spindrift
