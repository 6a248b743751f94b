// All solvers of the module behind one function, for tests that hold for each.
#pragma once

#include <functional>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "spindrift/linear/hypre_solver.hpp"
#include "spindrift/linear/incomplete_cholesky.hpp"
#include "spindrift/linear/jacobi.hpp"
#include "spindrift/linear/multigrid.hpp"
#include "spindrift/linear/paper_multigrid.hpp"

#include "linear/matrices.hpp"

namespace spindrift::test {

struct LinearProblem {
  CsrMatrix a;
  std::vector<std::uint64_t> keys;
};

struct Solver {
  std::string name;
  std::function<SolveReport(const LinearProblem&, std::span<const double> b, std::span<double> x,
                            const SolveParams&)>
      solve;
};

inline void PrintTo(const Solver& solver, std::ostream* out) { *out << solver.name; }

template <class T>
SolveReport solve_cg_with(const LinearProblem& problem, std::span<const double> b,
                          std::span<double> x, const SolveParams& params) {
  const T preconditioner(problem.a);
  return solve_cg(problem.a, preconditioner, b, x, params);
}

inline std::vector<Solver> all_solvers() {
  std::vector<Solver> solvers = {
      {"Jacobi", solve_cg_with<Jacobi>},
      {"IncompleteCholesky", solve_cg_with<IncompleteCholesky>},
      {"PaperMultigridInCg", solve_cg_with<PaperMultigrid>},
      {"PaperMultigrid",
       [](const LinearProblem& problem, auto b, auto x, const SolveParams& params) {
         return PaperMultigrid(problem.a).solve(b, x, params);
       }},
      {"Multigrid",
       [](const LinearProblem& problem, auto b, auto x, const SolveParams& params) {
         return Multigrid(problem.a, problem.keys).solve(b, x, params);
       }},
  };
  if (has_hypre()) {
    solvers.push_back(
        {"Hypre", [](const LinearProblem& problem, auto b, auto x, const SolveParams& params) {
           return HypreSolver(problem.a).solve(b, x, params);
         }});
  }
  return solvers;
}

// INSTANTIATE_TEST_SUITE_P(All, Suite, each_solver(), solver_name)
inline auto each_solver() { return testing::ValuesIn(all_solvers()); }
inline std::string solver_name(const testing::TestParamInfo<Solver>& info) {
  return info.param.name;
}

inline double max_difference(std::span<const double> a, std::span<const double> b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    // A NaN is the greatest difference of all.
    const double d = std::abs(a[i] - b[i]);
    most = d <= most ? most : d;
    if (std::isnan(d)) return d;
  }
  return most;
}

inline double true_residual(const CsrMatrix& a, std::span<const double> b,
                            std::span<const double> x) {
  const std::vector<double> ax = times(a, x);
  double r = 0;
  double size = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    r += (b[i] - ax[i]) * (b[i] - ax[i]);
    size += b[i] * b[i];
  }
  return std::sqrt(r / size);
}

}  // namespace spindrift::test
