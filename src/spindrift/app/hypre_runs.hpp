// hypre over several processes, started by mpirun.
#pragma once

#include <span>

#include "spindrift/linear/csr_matrix.hpp"
#include "spindrift/linear/solve_report.hpp"

namespace spindrift::app {

// Solves A x = b with `spindrift-hypre`, which lies beside this command. False if this
// build has no hypre, and with a word in the log if mpirun is not there or fails.
[[nodiscard]] bool run_hypre(const CsrMatrix& a, std::span<const double> b, int processes,
                             SetupReport& setup, SolveReport& solve);

}  // namespace spindrift::app
