#include "spindrift/linear/incomplete_cholesky.hpp"

#include <gtest/gtest.h>

#include "linear/matrices.hpp"
#include "linear/solvers.hpp"

namespace spindrift {
namespace {

// A tridiagonal matrix has no fill-in: the incomplete factors are the complete ones.
TEST(IncompleteCholesky, SolvesATridiagonalMatrixAtOnce) {
  const std::int64_t n = 1000;
  test::Random random(7);
  test::MatrixBuilder builder(n);
  for (std::int64_t i = 0; i + 1 < n; ++i) builder.connect(i, i + 1, random.between(0.1, 10));
  builder.add(0, 0, 1);
  const CsrMatrix a = builder.matrix();
  const std::vector<double> expected = test::random_vector(n, random);
  std::vector<double> x(expected.size());
  const IncompleteCholesky factors(a);
  factors.apply(test::times(a, expected), x);
  EXPECT_LE(test::max_difference(x, expected), 1e-10);
}

TEST(IncompleteCholesky, TakesFewerIterationsThanTheDiagonal) {
  const test::Grid grid{.n = 40};
  const CsrMatrix a = grid.matrix();
  test::Random random(1);
  const std::vector<double> b = test::random_vector(grid.rows(), random);
  std::vector<double> x(b.size(), 0);
  const SolveReport with_factors = solve_cg(a, IncompleteCholesky(a), b, x);
  std::fill(x.begin(), x.end(), 0);
  const SolveReport with_diagonal = solve_cg(a, Jacobi(a), b, x);
  EXPECT_LT(2 * with_factors.iterations, with_diagonal.iterations);
}

TEST(IncompleteCholesky, RaisesTheDiagonalUntilPivotsArePositive) {
  // A ring with eigenvalues 3 +- sqrt(8). Without fill-in its pivots are 3, 5/3, 3/5 and -5.
  test::MatrixBuilder builder(4);
  for (int i = 0; i < 4; ++i) builder.add(i, i, 3);
  const auto link = [&](int i, int j, double value) {
    builder.add(i, j, value);
    builder.add(j, i, value);
  };
  link(0, 1, -2);
  link(0, 3, 2);
  link(1, 2, -2);
  link(2, 3, -2);
  const CsrMatrix a = builder.matrix();
  const std::vector<double> expected{1, -2, 3, 4};
  std::vector<double> x(4, 0);
  const SolveReport report =
      solve_cg(a, IncompleteCholesky(a), test::times(a, expected), x, {.tolerance = 1e-12});
  EXPECT_TRUE(report.has_converged) << report.problem;
  EXPECT_LE(test::max_difference(x, expected), 1e-9);
}

}  // namespace
}  // namespace spindrift
