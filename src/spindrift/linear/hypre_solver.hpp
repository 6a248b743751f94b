// Conjugate gradients preconditioned by BoomerAMG of hypre, to measure ours against and to carry
// runs over several machines.
//
// HMIS coarsening, extended+i interpolation, one level of aggressive coarsening [De Sterck et al.
// 2006, 2008]. Runs in one process, or over all processes that mpirun started. Without hypre in the
// build, set-up does nothing and solving reports that.
#pragma once

#include <memory>
#include <span>

#include "spindrift/linear/csr_matrix.hpp"
#include "spindrift/linear/solve_report.hpp"

namespace spindrift {

struct HypreParams {
  // Entries below this part of a row's greatest are not interpolated from. Best of 0.25, 0.5 and
  // 0.6 on meshes of a million tetrahedra, with an aggressive level and without.
  double strength = 0.25;
  int aggressive_levels = 1;
};

[[nodiscard]] bool has_hypre();

// Ends all processes that mpirun started: one that throws would leave the others waiting for it.
[[noreturn]] void abort_hypre(int exit_code);

// This process among those that mpirun started; {0, 1} if it did not, or without hypre.
struct HypreRank {
  int rank = 0, count = 1;
};
[[nodiscard]] HypreRank hypre_rank();

class HypreSolver {
 public:
  // Of a symmetric matrix that is positive (semi-)definite, in this process alone.
  explicit HypreSolver(const CsrMatrix& a, const HypreParams& params = {});
  // Over all processes: `own` are the rows of this one, which begin at `first_row` of the whole
  // matrix; columns count in the whole. Ranks have consecutive rows.
  HypreSolver(const CsrMatrix& own, std::int64_t first_row, const HypreParams& params = {});
  ~HypreSolver();

  // Seconds are hypre's own, without converting to its types. Levels and bytes are of all
  // processes.
  [[nodiscard]] const SetupReport& setup() const { return setup_; }

  // Solves A x = b from the x that it is given, of the rows that this process has. Of the residuals
  // only the first and the last are known. If A is singular, b must be in its range.
  [[nodiscard]] SolveReport solve(std::span<const double> b, std::span<double> x,
                                  const SolveParams& params = {});

 private:
  struct Handles;
  std::unique_ptr<Handles> handles_;  // none without hypre
  SetupReport setup_;
};

}  // namespace spindrift
