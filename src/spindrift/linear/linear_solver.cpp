#include "spindrift/linear/linear_solver.hpp"

#include "spindrift/linear/conjugate_gradients.hpp"
#include "spindrift/linear/hypre_solver.hpp"
#include "spindrift/linear/incomplete_cholesky.hpp"
#include "spindrift/linear/jacobi.hpp"
#include "spindrift/linear/multigrid.hpp"
#include "spindrift/linear/paper_multigrid.hpp"

namespace spindrift {
namespace {

// One that solves by itself.
template <class Solver>
class Alone final : public LinearSolver {
 public:
  template <class... Arguments>
  explicit Alone(Arguments&&... arguments) : solver_(std::forward<Arguments>(arguments)...) {}
  const SetupReport& setup() const override { return solver_.setup(); }
  SolveReport solve(std::span<const double> b, std::span<double> x,
                    const SolveParams& params) override {
    return solver_.solve(b, x, params);
  }

 private:
  Solver solver_;
};

// A preconditioner of conjugate gradients.
template <class Preconditioner>
class WithCg final : public LinearSolver {
 public:
  explicit WithCg(const CsrMatrix& a) : a_(a), preconditioner_(a) {}
  const SetupReport& setup() const override { return preconditioner_.setup(); }
  SolveReport solve(std::span<const double> b, std::span<double> x,
                    const SolveParams& params) override {
    return solve_cg(a_, preconditioner_, b, x, params);
  }

 private:
  const CsrMatrix& a_;
  Preconditioner preconditioner_;
};

}  // namespace

std::string_view name_of(SolverKind kind) {
  switch (kind) {
    case SolverKind::multigrid:
      return "multigrid";
    case SolverKind::multigrid_paper:
      return "multigrid_paper";
    case SolverKind::ic_cg:
      return "ic_cg";
    case SolverKind::jacobi_cg:
      return "jacobi_cg";
    case SolverKind::hypre:
      break;
  }
  return "hypre";
}

std::unique_ptr<LinearSolver> make_solver(SolverKind kind, const CsrMatrix& a,
                                          std::span<const std::uint64_t> keys) {
  switch (kind) {
    case SolverKind::multigrid:
      return std::make_unique<Alone<Multigrid>>(a, keys);
    case SolverKind::multigrid_paper:
      return std::make_unique<Alone<PaperMultigrid>>(a);
    case SolverKind::ic_cg:
      return std::make_unique<WithCg<IncompleteCholesky>>(a);
    case SolverKind::jacobi_cg:
      return std::make_unique<WithCg<Jacobi>>(a);
    case SolverKind::hypre:
      break;
  }
  return std::make_unique<Alone<HypreSolver>>(a);
}

}  // namespace spindrift
