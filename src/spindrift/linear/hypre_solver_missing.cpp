// In builds without hypre.
#include <cstdlib>

#include "spindrift/linear/hypre_solver.hpp"

namespace spindrift {

struct HypreSolver::Handles {};

bool has_hypre() { return false; }
HypreRank hypre_rank() { return {}; }
void abort_hypre(int exit_code) { std::exit(exit_code); }

HypreSolver::HypreSolver(const CsrMatrix& /*a*/, const HypreParams& /*params*/) {}
HypreSolver::HypreSolver(const CsrMatrix& /*own*/, std::int64_t /*first_row*/,
                         const HypreParams& /*params*/) {}
HypreSolver::~HypreSolver() = default;

SolveReport HypreSolver::solve(std::span<const double> /*b*/, std::span<double> /*x*/,
                               const SolveParams& /*params*/) {
  SolveReport report;
  report.problem =
      "this build has no hypre; install libhypre-dev and mpi-default-dev, and configure again";
  return report;
}

}  // namespace spindrift
