// All solvers behind one face.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string_view>

#include "spindrift/linear/csr_matrix.hpp"
#include "spindrift/linear/solve_report.hpp"

namespace spindrift {

enum class SolverKind { multigrid, multigrid_paper, ic_cg, jacobi_cg, hypre };

inline constexpr std::array kSolverKinds = {SolverKind::multigrid, SolverKind::multigrid_paper,
                                            SolverKind::ic_cg, SolverKind::jacobi_cg,
                                            SolverKind::hypre};

[[nodiscard]] std::string_view name_of(SolverKind kind);

class LinearSolver {
 public:
  virtual ~LinearSolver() = default;
  [[nodiscard]] virtual const SetupReport& setup() const = 0;
  // Solves A x = b from the x that it is given. If A is singular, b must be in its range.
  [[nodiscard]] virtual SolveReport solve(std::span<const double> b, std::span<double> x,
                                          const SolveParams& params) = 0;
};

// Of a symmetric positive (semi-)definite matrix, which must outlive the solver. `keys` tell the
// multigrid where rows are (multigrid.hpp).
[[nodiscard]] std::unique_ptr<LinearSolver> make_solver(SolverKind kind, const CsrMatrix& a,
                                                        std::span<const std::uint64_t> keys);

}  // namespace spindrift
