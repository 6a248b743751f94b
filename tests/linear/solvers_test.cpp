// What holds for every solver on the systems that it is made for.
#include "linear/solvers.hpp"

#include <numeric>

namespace spindrift {
namespace {

using test::Grid;
using test::LinearProblem;

class Solvers : public testing::TestWithParam<test::Solver> {
 protected:
  // Solves for b = A expected, from zero.
  static std::vector<double> solve(const LinearProblem& problem,
                                   const std::vector<double>& expected, double tolerance) {
    const std::vector<double> b = test::times(problem.a, expected);
    std::vector<double> x(b.size(), 0);
    const SolveReport report =
        GetParam().solve(problem, b, x, {.tolerance = tolerance, .max_iterations = 2000});
    EXPECT_TRUE(report.has_converged) << report.problem;
    EXPECT_TRUE(report.problem.empty());
    EXPECT_LE(report.residual(), tolerance);
    EXPECT_GE(report.residuals.size(), 2U);
    EXPECT_EQ(report.residuals.front(), 1);
    EXPECT_LE(test::true_residual(problem.a, b, x), 1.01 * tolerance);
    return x;
  }
};

TEST_P(Solvers, FindSinesOnAGrid) {
  const Grid grid{.n = 24};
  const LinearProblem problem{grid.matrix(), grid.keys()};
  // The sum of a long and a short wave; b from eigenvalues, not from the matrix.
  const std::vector<double> longest = grid.sines({1, 1, 1});
  const std::vector<double> shorter = grid.sines({3, 20, 8});
  std::vector<double> expected(longest.size()), b(longest.size()), x(longest.size(), 0);
  for (std::size_t i = 0; i < b.size(); ++i) {
    expected[i] = longest[i] + shorter[i];
    b[i] = grid.eigenvalue({1, 1, 1}) * longest[i] + grid.eigenvalue({3, 20, 8}) * shorter[i];
  }
  const SolveReport report = GetParam().solve(problem, b, x, {.tolerance = 1e-10});
  EXPECT_TRUE(report.has_converged) << report.problem;
  // The smallest eigenvalue is 1 / 200 of the largest.
  EXPECT_LE(test::max_difference(x, expected), 1e-7);
}

TEST_P(Solvers, StartFromTheGivenGuess) {
  const Grid grid{.n = 20};
  const LinearProblem problem{grid.matrix(), grid.keys()};
  const std::vector<double> expected = grid.sines({2, 1, 3});
  const std::vector<double> b = test::times(problem.a, expected);
  std::vector<double> x = expected;
  const SolveReport report = GetParam().solve(problem, b, x, {.tolerance = 1e-10});
  EXPECT_TRUE(report.has_converged);
  EXPECT_EQ(report.iterations, 0);
  EXPECT_EQ(x, expected);
}

TEST_P(Solvers, SolveAnisotropicGrids) {
  const Grid grid{.n = 20, .weights = {1, 30, 0.1}};
  test::Random random(11);
  const std::vector<double> expected = test::random_vector(grid.rows(), random);
  EXPECT_LE(test::max_difference(solve({grid.matrix(), grid.keys()}, expected, 1e-9), expected),
            1e-5);
}

TEST_P(Solvers, SolveGradedGrids) {
  // Weights over nine decades.
  const Grid grid{.n = 20, .grading = 3};
  test::Random random(12);
  const std::vector<double> expected = test::random_vector(grid.rows(), random);
  solve({grid.matrix(), grid.keys()}, expected, 1e-8);
}

TEST_P(Solvers, SolveSeveralComponents) {
  const Grid first{.n = 13};
  const Grid second{.n = 9, .grading = 1.5};
  const Grid third{.n = 2};
  LinearProblem problem{
      test::side_by_side(test::side_by_side(first.matrix(), second.matrix()), third.matrix()), {}};
  for (const Grid& grid : {first, second, third}) {
    for (const std::uint64_t key : grid.keys()) problem.keys.push_back(key);
  }
  // As cells that are far from each other: sorted keys, no aggregate of two components.
  for (std::size_t i = 0; i < problem.keys.size(); ++i) {
    const auto part = i < 2197 ? 0U : (i < 2197 + 729 ? 1U : 2U);
    problem.keys[i] += std::uint64_t{part} << 30U;
  }
  test::Random random(13);
  const std::vector<double> expected = test::random_vector(problem.a.rows(), random);
  EXPECT_LE(test::max_difference(solve(problem, expected, 1e-10), expected), 1e-6);
}

TEST_P(Solvers, KeepComponentsApartThatShareKeys) {
  const Grid grid{.n = 12};
  LinearProblem problem{test::side_by_side(grid.matrix(), grid.matrix()), grid.keys()};
  const std::vector<std::uint64_t> keys = grid.keys();
  problem.keys.insert(problem.keys.end(), keys.begin(), keys.end());
  test::Random random(14);
  const std::vector<double> expected = test::random_vector(problem.a.rows(), random);
  EXPECT_LE(test::max_difference(solve(problem, expected, 1e-10), expected), 1e-6);
}

// Two closed boxes and an open one: known up to a constant in each closed one.
TEST_P(Solvers, SolveClosedComponentsWithoutDrift) {
  const Grid closed{.n = 14, .boundary = Grid::Boundary::closed};
  const Grid small{.n = 3, .boundary = Grid::Boundary::closed};
  const Grid open{.n = 12};
  LinearProblem problem{
      test::side_by_side(test::side_by_side(closed.matrix(), small.matrix()), open.matrix()), {}};
  std::uint64_t part = 0;
  for (const Grid& grid : {closed, small, open}) {
    for (const std::uint64_t key : grid.keys()) problem.keys.push_back(key + (part << 30U));
    ++part;
  }
  test::Random random(15);
  std::vector<double> expected = test::random_vector(problem.a.rows(), random);
  std::vector<double> x = solve(problem, expected, 1e-10);
  const auto center = [](std::vector<double>& v, std::int64_t begin, std::int64_t end) {
    const double mean =
        std::accumulate(v.begin() + begin, v.begin() + end, 0.0) / static_cast<double>(end - begin);
    for (std::int64_t i = begin; i < end; ++i) v[static_cast<std::size_t>(i)] -= mean;
    return mean;
  };
  for (const auto& [begin, end] : {std::pair(std::int64_t{0}, closed.rows()),
                                   std::pair(closed.rows(), closed.rows() + small.rows())}) {
    // Of the size of the solution itself, not of a division by round-off.
    EXPECT_LE(std::abs(center(x, begin, end)), 10);
    center(expected, begin, end);
  }
  EXPECT_LE(test::max_difference(x, expected), 1e-6);
}

// Bodies without any fixed value, of a few rows with weights that do not add up to zero exactly.
TEST_P(Solvers, SolveSmallClosedBodies) {
  for (const std::int64_t rows : {2, 3, 10, 100, 700}) {
    for (const bool has_company : {false, true}) {
      SCOPED_TRACE(rows);
      test::Random random(static_cast<std::uint64_t>(rows));
      test::MatrixBuilder builder(rows);
      for (std::int64_t i = 0; i + 1 < rows; ++i) builder.connect(i, i + 1, random.between(0.1, 1));
      for (std::int64_t i = 0; i < rows; ++i) {
        const std::int64_t j = random.below(rows);
        if (i != j) builder.connect(i, j, random.between(0.1, 1));
      }
      LinearProblem problem{builder.matrix(), test::keys_in_order(rows)};
      if (has_company) {
        const Grid open{.n = 12};
        problem.a = test::side_by_side(problem.a, open.matrix());
        for (const std::uint64_t key : open.keys()) {
          problem.keys.push_back(key + (std::uint64_t{1} << 30U));
        }
      }
      std::vector<double> expected = test::random_vector(problem.a.rows(), random);
      std::vector<double> x = solve(problem, expected, 1e-9);
      const auto center = [rows](std::vector<double>& v) {
        const double mean =
            std::accumulate(v.begin(), v.begin() + rows, 0.0) / static_cast<double>(rows);
        for (std::int64_t i = 0; i < rows; ++i) v[static_cast<std::size_t>(i)] -= mean;
        return mean;
      };
      EXPECT_LE(std::abs(center(x)), 10);
      center(expected);
      EXPECT_LE(test::max_difference(x, expected), 1e-5);
    }
  }
}

TEST_P(Solvers, SolveRandomMMatrices) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    test::Random random(seed);
    const CsrMatrix a = test::random_matrix(1 + random.below(3000), false, random);
    const std::vector<double> expected = test::random_vector(a.rows(), random);
    EXPECT_LE(
        test::max_difference(solve({a, test::keys_in_order(a.rows())}, expected, 1e-10), expected),
        1e-5);
  }
}

TEST_P(Solvers, SolveRandomMatricesWithPositiveEntries) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    test::Random random(seed);
    const CsrMatrix a = test::random_matrix(1 + random.below(3000), true, random);
    const std::vector<double> expected = test::random_vector(a.rows(), random);
    EXPECT_LE(
        test::max_difference(solve({a, test::keys_in_order(a.rows())}, expected, 1e-10), expected),
        1e-5);
  }
}

// Systems in other units are the same systems.
TEST_P(Solvers, DoNotCareAboutUnits) {
  const Grid grid{.n = 16};
  test::Random random(16);
  const std::vector<double> expected = test::random_vector(grid.rows(), random);
  for (const double unit : {1e-30, 1e30}) {
    SCOPED_TRACE(unit);
    LinearProblem problem{grid.matrix(), grid.keys()};
    std::vector<double> b = test::times(problem.a, expected);
    for (double& value : b) value *= unit;
    std::vector<double> x(b.size(), 0);
    const SolveReport report = GetParam().solve(problem, b, x, {.tolerance = 1e-9});
    EXPECT_TRUE(report.has_converged) << report.problem;
    for (double& value : x) value /= unit;
    EXPECT_LE(test::max_difference(x, expected), 1e-6);

    for (double& value : problem.a.values) value *= unit;
    for (double& value : x) value = 0;
    const SolveReport scaled = GetParam().solve(problem, b, x, {.tolerance = 1e-9});
    EXPECT_TRUE(scaled.has_converged) << scaled.problem;
    EXPECT_LE(test::max_difference(x, expected), 1e-6);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Solvers, test::each_solver(), test::solver_name);

}  // namespace
}  // namespace spindrift
