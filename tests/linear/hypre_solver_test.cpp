#include "spindrift/linear/hypre_solver.hpp"

#include <gtest/gtest.h>

#include "linear/matrices.hpp"

namespace spindrift {
namespace {

TEST(HypreSolver, SaysWhenItIsMissing) {
  if (has_hypre()) GTEST_SKIP() << "this build has hypre";
  const test::Grid grid{.n = 4};
  std::vector<double> x(64, 0);
  const SolveReport report = HypreSolver(grid.matrix()).solve(std::vector<double>(64, 1), x);
  EXPECT_FALSE(report.has_converged);
  EXPECT_EQ(report.problem,
            "this build has no hypre; install libhypre-dev and mpi-default-dev, and configure "
            "again");
}

TEST(HypreSolver, ReportsItsHierarchy) {
  if (!has_hypre()) GTEST_SKIP() << "this build has no hypre";
  const test::Grid grid{.n = 32};
  const CsrMatrix a = grid.matrix();
  HypreSolver solver(a);
  const SetupReport& setup = solver.setup();
  ASSERT_GE(setup.levels.size(), 3U);
  EXPECT_EQ(setup.levels[0].rows, grid.rows());
  EXPECT_EQ(setup.levels[0].nonzeros, a.nonzeros());
  EXPECT_LT(setup.levels[1].rows, grid.rows() / 4);
  EXPECT_GT(setup.operator_complexity(), 1);
  EXPECT_LE(setup.operator_complexity(), 2);
  EXPECT_GT(setup.bytes, 12 * a.nonzeros());
  EXPECT_GT(setup.seconds, 0);

  test::Random random(1);
  const std::vector<double> b = test::random_vector(grid.rows(), random);
  std::vector<double> x(b.size(), 0);
  const SolveReport report = solver.solve(b, x);
  EXPECT_TRUE(report.has_converged) << report.problem;
  EXPECT_LE(report.iterations, 12);
}

TEST(HypreSolver, IsTheOnlyProcessWithoutMpirun) {
  const HypreRank process = hypre_rank();
  EXPECT_EQ(process.rank, 0);
  EXPECT_EQ(process.count, 1);
}

}  // namespace
}  // namespace spindrift
