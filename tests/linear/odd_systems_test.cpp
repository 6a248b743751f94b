// Systems that have next to nothing in them, and those that cannot be solved.
#include <limits>

#include "spindrift/core/parallel.hpp"

#include "linear/solvers.hpp"

namespace spindrift {
namespace {

using test::Grid;
using test::LinearProblem;

class OddSystems : public testing::TestWithParam<test::Solver> {};

TEST_P(OddSystems, EmptyMatrix) {
  const LinearProblem problem;
  const SolveReport report = GetParam().solve(problem, {}, {}, {});
  EXPECT_TRUE(report.has_converged);
  EXPECT_EQ(report.iterations, 0);
  EXPECT_EQ(report.residual(), 0);
}

TEST_P(OddSystems, OneRow) {
  test::MatrixBuilder builder(1);
  builder.add(0, 0, 4);
  std::vector<double> x{0};
  const SolveReport report =
      GetParam().solve({builder.matrix(), {0}}, std::vector<double>{6}, x, {.tolerance = 1e-12});
  EXPECT_TRUE(report.has_converged) << report.problem;
  EXPECT_NEAR(x[0], 1.5, 1e-11);
}

TEST_P(OddSystems, ZeroRightHandSide) {
  const Grid grid{.n = 8};
  std::vector<double> x(512, 3);
  const SolveReport report =
      GetParam().solve({grid.matrix(), grid.keys()}, std::vector<double>(512, 0), x, {});
  EXPECT_TRUE(report.has_converged);
  EXPECT_EQ(report.residual(), 0);
  EXPECT_EQ(x, std::vector<double>(512, 0));
}

// Stored as zeros, or not at all; among rows of a grid.
TEST_P(OddSystems, RowsOfZeros) {
  const Grid grid{.n = 10};
  test::MatrixBuilder zeros(30);
  for (std::int64_t i = 0; i < 15; ++i) zeros.add(i, i, 0);
  for (std::int64_t i = 3; i < 6; ++i) zeros.connect(i, i + 1, 0);
  LinearProblem problem{test::side_by_side(zeros.matrix(), grid.matrix()),
                        std::vector<std::uint64_t>(30, 0)};
  for (const std::uint64_t key : grid.keys()) problem.keys.push_back(key);
  test::Random random(5);
  std::vector<double> expected = test::random_vector(problem.a.rows(), random);
  std::fill(expected.begin(), expected.begin() + 30, 0.0);
  std::vector<double> x(expected.size(), 0);
  const SolveReport report =
      GetParam().solve(problem, test::times(problem.a, expected), x, {.tolerance = 1e-10});
  EXPECT_TRUE(report.has_converged) << report.problem;
  EXPECT_LE(test::max_difference(x, expected), 1e-6);
}

TEST_P(OddSystems, AMillionIsolatedRows) {
  const std::int64_t n = 1000000;
  LinearProblem problem{{}, test::keys_in_order(n)};
  test::Random random(6);
  std::vector<double> expected, b;
  for (std::int32_t i = 0; i < n; ++i) {
    problem.a.columns.push_back(i);
    problem.a.values.push_back(random.between(0.5, 2));
    problem.a.starts.push_back(i + 1);
    expected.push_back(random.between(-1, 1));
    b.push_back(problem.a.values.back() * expected.back());
  }
  std::vector<double> x(b.size(), 0);
  const SolveReport report = GetParam().solve(problem, b, x, {.tolerance = 1e-10});
  EXPECT_TRUE(report.has_converged) << report.problem;
  EXPECT_LE(report.iterations, 25);
  EXPECT_LE(test::max_difference(x, expected), 1e-6);
}

// Droplets of two rows, one of them in the air.
TEST_P(OddSystems, ManySmallComponents) {
  const std::int64_t n = 20000;
  test::MatrixBuilder builder(n);
  test::Random random(7);
  for (std::int64_t i = 0; i < n; i += 2) {
    builder.connect(i, i + 1, random.between(0.5, 2));
    builder.add(i, i, random.between(0.5, 2));
  }
  const LinearProblem problem{builder.matrix(), test::keys_in_order(n)};
  const std::vector<double> expected = test::random_vector(n, random);
  std::vector<double> x(expected.size(), 0);
  const SolveReport report =
      GetParam().solve(problem, test::times(problem.a, expected), x, {.tolerance = 1e-10});
  EXPECT_TRUE(report.has_converged) << report.problem;
  EXPECT_LE(test::max_difference(x, expected), 1e-6);
}

TEST_P(OddSystems, NoNumbersInTheRightHandSide) {
  const Grid grid{.n = 8};
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    std::vector<double> b(512, 1);
    b[77] = bad;
    std::vector<double> x(512, 0);
    const SolveReport report = GetParam().solve({grid.matrix(), grid.keys()}, b, x, {});
    EXPECT_FALSE(report.has_converged);
    EXPECT_EQ(report.problem, "the right-hand side is not finite");
  }
}

TEST_P(OddSystems, NoNumbersInTheMatrix) {
  const Grid grid{.n = 8};
  LinearProblem problem{grid.matrix(), grid.keys()};
  problem.a.values[500] = std::nan("");
  std::vector<double> x(512, 0);
  const SolveReport report = GetParam().solve(problem, std::vector<double>(512, 1), x, {});
  EXPECT_FALSE(report.has_converged);
  EXPECT_FALSE(report.problem.empty());
}

TEST_P(OddSystems, NoNumbersInTheGuess) {
  const Grid grid{.n = 8};
  std::vector<double> x(512, 0);
  x[3] = std::nan("");
  const SolveReport report =
      GetParam().solve({grid.matrix(), grid.keys()}, std::vector<double>(512, 1), x, {});
  EXPECT_FALSE(report.has_converged);
  EXPECT_EQ(report.problem, "the residual is not finite");
}

TEST_P(OddSystems, TooFewIterations) {
  const Grid grid{.n = 32};
  const LinearProblem problem{grid.matrix(), grid.keys()};
  test::Random random(8);
  const std::vector<double> b = test::random_vector(grid.rows(), random);
  std::vector<double> x(b.size(), 0);
  const SolveReport report =
      GetParam().solve(problem, b, x, {.tolerance = 1e-12, .max_iterations = 2});
  EXPECT_FALSE(report.has_converged);
  EXPECT_EQ(report.iterations, 2);
  EXPECT_GT(report.residual(), 1e-12);
  EXPECT_NE(report.problem.find("after 2 iterations"), std::string::npos) << report.problem;
  EXPECT_NEAR(test::true_residual(problem.a, b, x) / report.residual(), 1, 1e-3);
}

TEST_P(OddSystems, SameBitsForAnyNumberOfThreads) {
  const Grid grid{.n = 40, .weights = {1, 2, 1}, .grading = 1.1};
  const LinearProblem problem{grid.matrix(), grid.keys()};
  test::Random random(9);
  const std::vector<double> b = test::random_vector(grid.rows(), random);
  const auto solve = [&](int threads) {
    const ThreadLimit limit(threads);
    std::vector<double> x(b.size(), 0);
    const SolveReport report = GetParam().solve(problem, b, x, {.tolerance = 1e-8});
    EXPECT_TRUE(report.has_converged);
    return std::pair(report.residuals, x);
  };
  const auto one = solve(1);
  EXPECT_EQ(one, solve(2));
  EXPECT_EQ(one, solve(3));
}

INSTANTIATE_TEST_SUITE_P(All, OddSystems, test::each_solver(), test::solver_name);

}  // namespace
}  // namespace spindrift
