#include "spindrift/linear/multigrid.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "linear/solvers.hpp"

namespace spindrift {
namespace {

using test::Grid;

TEST(Multigrid, GetsAsExactAsAsked) {
  const Grid grid{.n = 48};
  const CsrMatrix a = grid.matrix();
  test::Random random(1);
  const std::vector<double> b = test::random_vector(grid.rows(), random);
  std::vector<double> x(b.size(), 0);
  const SolveReport report = Multigrid(a, grid.keys()).solve(b, x, {.tolerance = 1e-12});
  EXPECT_TRUE(report.has_converged) << report.problem;
  EXPECT_LE(test::true_residual(a, b, x), 1.001e-12);
  EXPECT_NEAR(test::true_residual(a, b, x) / report.residual(), 1, 1e-2);
  EXPECT_LE(report.iterations, 60);
}

TEST(Multigrid, ReportsItsHierarchy) {
  const Grid grid{.n = 36};
  const CsrMatrix a = grid.matrix();
  const Multigrid solver(a, grid.keys());
  const SetupReport& setup = solver.setup();
  ASSERT_GE(setup.levels.size(), 3U);
  EXPECT_EQ(setup.levels[0].rows, grid.rows());
  EXPECT_EQ(setup.levels[0].nonzeros, a.nonzeros());
  EXPECT_EQ(setup.levels[1].rows, 12 * 12 * 12);
  EXPECT_EQ(setup.levels[2].rows, 6 * 6 * 6);
  EXPECT_LE(setup.operator_complexity(), 1.1);
  EXPECT_GE(setup.bytes, a.bytes());
}

TEST(Multigrid, SlowNeedsHardlyMoreIterationsOnFinerGrids) {
  const auto iterations = [](std::int64_t n) {
    const Grid grid{.n = n};
    const CsrMatrix a = grid.matrix();
    test::Random random(2);
    const std::vector<double> b = test::random_vector(grid.rows(), random);
    std::vector<double> x(b.size(), 0);
    const SolveReport report = Multigrid(a, grid.keys()).solve(b, x);
    EXPECT_TRUE(report.has_converged) << report.problem;
    return report.iterations;
  };
  const int coarse = iterations(32);
  const int middle = iterations(64);
  const int fine = iterations(128);
  EXPECT_LE(coarse, 30);
  EXPECT_LT(middle, 1.5 * coarse) << coarse;
  EXPECT_LT(fine, 1.5 * coarse) << coarse;
}

// Rows in the order of their keys or in any other: the same solution, and hardly other iterations.
TEST(Multigrid, TakesRowsInAnyOrder) {
  const Grid grid{.n = 20};
  const CsrMatrix a = grid.matrix();
  const std::vector<std::uint64_t> keys = grid.keys();
  test::Random random(3);
  const std::vector<double> b = test::random_vector(grid.rows(), random);
  std::vector<double> expected(b.size(), 0);
  const SolveReport unsorted = Multigrid(a, keys).solve(b, expected, {.tolerance = 1e-10});
  ASSERT_FALSE(std::is_sorted(keys.begin(), keys.end()));

  std::vector<std::int32_t> order(b.size());
  std::iota(order.begin(), order.end(), 0);
  const auto solve_in_order = [&] {
    std::vector<std::uint64_t> own_keys;
    std::vector<double> own_b;
    for (const std::int32_t row : order) {
      own_keys.push_back(keys[static_cast<std::size_t>(row)]);
      own_b.push_back(b[static_cast<std::size_t>(row)]);
    }
    const CsrMatrix own = test::reordered(a, order);
    std::vector<double> x(b.size(), 0);
    const SolveReport report = Multigrid(own, own_keys).solve(own_b, x, {.tolerance = 1e-10});
    EXPECT_TRUE(report.has_converged) << report.problem;
    EXPECT_NEAR(report.iterations, unsorted.iterations, 1);
    for (std::size_t i = 0; i < x.size(); ++i) {
      ASSERT_NEAR(x[i], expected[static_cast<std::size_t>(order[i])], 1e-7);
    }
  };
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t i, std::int32_t j) {
    return keys[static_cast<std::size_t>(i)] < keys[static_cast<std::size_t>(j)];
  });
  solve_in_order();
  for (std::size_t i = order.size(); i-- > 1;) {
    std::swap(order[i], order[static_cast<std::size_t>(random.below(std::ssize(order)))]);
  }
  solve_in_order();
}

TEST(Multigrid, SolvesAgainWithAnotherRightHandSide) {
  const Grid grid{.n = 16};
  const CsrMatrix a = grid.matrix();
  Multigrid solver(a, grid.keys());
  for (const int wave : {1, 5, 2}) {
    const std::vector<double> expected = grid.sines({wave, 1, 1});
    std::vector<double> x(expected.size(), 0);
    const SolveReport report = solver.solve(test::times(a, expected), x, {.tolerance = 1e-10});
    EXPECT_TRUE(report.has_converged);
    EXPECT_LE(test::max_difference(x, expected), 1e-7);
  }
}

// A channel that is open at one end: the pressure is smooth and ten thousand times what the
// residual is made of, so that single precision of it is not enough for the residual.
TEST(Multigrid, GoesOnWhereSinglePrecisionEnds) {
  const std::int64_t width = 12;
  const std::int64_t length = 400;
  test::MatrixBuilder builder(width * width * length);
  std::vector<std::uint64_t> keys;
  std::vector<double> b;
  for (std::int64_t z = 0, row = 0; z < length; ++z) {
    const double along = static_cast<double>(z) / static_cast<double>(length);
    for (std::int64_t y = 0; y < width; ++y) {
      for (std::int64_t x = 0; x < width; ++x, ++row) {
        if (x > 0) builder.connect(row, row - 1, 1);
        if (y > 0) builder.connect(row, row - width, 1);
        if (z > 0) builder.connect(row, row - width * width, 1);
        if (z == 0) builder.add(row, row, 2);
        keys.push_back(morton_key(
            Vec3i(static_cast<int>(x / 3), static_cast<int>(y / 3), static_cast<int>(z / 3))));
        b.push_back(std::sin(3 * along + 1) + 0.5 * std::cos(11 * along));
      }
    }
  }
  const CsrMatrix a = builder.matrix();
  Multigrid solver(a, keys);
  for (const auto& [tolerance, most_iterations] : {std::pair(1e-6, 32), std::pair(1e-9, 46)}) {
    std::vector<double> x(b.size(), 0);
    const SolveReport report = solver.solve(b, x, {.tolerance = tolerance});
    EXPECT_TRUE(report.has_converged) << report.problem;
    EXPECT_LE(report.iterations, most_iterations);
    EXPECT_LE(test::true_residual(a, b, x), 1.001 * tolerance);
  }
}

// It goes as far as other solves do, and says so from what the iteration knows.
TEST(Multigrid, TriesWithoutLookingAtTheEnd) {
  const Grid grid{.n = 24};
  const CsrMatrix a = grid.matrix();
  test::Random random(6);
  const std::vector<double> b = test::random_vector(grid.rows(), random);
  Multigrid solver(a, grid.keys());
  std::vector<double> exact(b.size(), 0);
  const SolveReport looked = solver.solve(b, exact, {.tolerance = 1e-5});
  std::vector<double> x(b.size(), 0);
  const SolveReport tried = solver.solve(b, x, {.tolerance = 1e-5, .is_trial = true});
  EXPECT_TRUE(tried.has_converged);
  EXPECT_EQ(tried.iterations, looked.iterations);
  EXPECT_LE(tried.residual(), 1e-5);
  EXPECT_NEAR(tried.residual(), looked.residual(), 1e-7);
  EXPECT_EQ(x, exact);
}

// As the system without these rows and columns; and as before when they are let go.
TEST(Multigrid, HoldsRowsAtZero) {
  const Grid grid{.n = 24};
  const CsrMatrix a = grid.matrix();
  test::Random random(5);
  const std::vector<double> b = test::random_vector(grid.rows(), random);
  Multigrid solver(a, grid.keys());
  std::vector<double> before(b.size(), 0);
  ASSERT_TRUE(solver.solve(b, before, {.tolerance = 1e-10}).has_converged);

  // Neighbours of each other, and others.
  std::vector<std::int32_t> held;
  for (std::int32_t row = 0; row < a.rows(); ++row) {
    if (row % 97 == 0 || (row >= 3000 && row < 3200)) held.push_back(row);
  }
  const auto hold = [&](const std::vector<std::int32_t>& rows) {
    solver.hold_at_zero(rows);
    std::vector<double> right = b;
    for (const std::int32_t row : rows) right[static_cast<std::size_t>(row)] = 0;
    std::vector<double> x(b.size(), 0);
    const SolveReport report = solver.solve(right, x, {.tolerance = 1e-10});
    EXPECT_TRUE(report.has_converged) << report.problem;
    EXPECT_LE(report.iterations, 80);
    return x;
  };
  const std::vector<double> x = hold(held);
  std::vector<char> is_held(b.size(), 0);
  for (const std::int32_t row : held) {
    is_held[static_cast<std::size_t>(row)] = 1;
    EXPECT_EQ(x[static_cast<std::size_t>(row)], 0);
  }
  double squared = 0;
  double size = 0;
  for (std::int64_t row = 0; row < a.rows(); ++row) {
    const auto i = static_cast<std::size_t>(row);
    if (is_held[i] != 0) continue;
    double residual = b[i];
    a.for_row(row, [&](std::int32_t column, double value) {
      residual -= value * x[static_cast<std::size_t>(column)];
    });
    squared += residual * residual;
    size += b[i] * b[i];
  }
  EXPECT_LE(std::sqrt(squared / size), 1.001e-10);

  held.resize(held.size() / 2);
  (void)hold(held);
  EXPECT_EQ(hold({}), before);
}

// A hierarchy that is made for them takes as few iterations as without them, and goes on when
// others are held.
TEST(Multigrid, IsMadeForRowsHeldAtZero) {
  const Grid grid{.n = 40};
  const CsrMatrix a = grid.matrix();
  test::Random random(5);
  std::vector<double> b = test::random_vector(grid.rows(), random);
  std::vector<std::int32_t> held;
  for (std::int32_t row = 0; row < a.rows(); ++row) {
    if (row % 31 == 0 || (row >= 3000 && row < 5000)) held.push_back(row);
  }
  for (const std::int32_t row : held) b[static_cast<std::size_t>(row)] = 0;
  const auto iterations = [&](Multigrid& solver, std::vector<double>& x) {
    const SolveReport report = solver.solve(b, x, {.tolerance = 1e-10});
    EXPECT_TRUE(report.has_converged) << report.problem;
    return report.iterations;
  };
  Multigrid made_for_all(a, grid.keys());
  std::vector<double> free(b.size(), 0);
  const std::int64_t without = iterations(made_for_all, free);
  made_for_all.hold_at_zero(held);
  std::vector<double> expected(b.size(), 0);
  const std::int64_t held_later = iterations(made_for_all, expected);
  Multigrid made_for_held(a, grid.keys(), {}, held);
  std::vector<double> x(b.size(), 0);
  const std::int64_t held_first = iterations(made_for_held, x);
  EXPECT_LE(held_first, without + 2);
  EXPECT_LT(held_first, held_later);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], expected[i], 1e-8);
  for (const std::int32_t row : held) EXPECT_EQ(x[static_cast<std::size_t>(row)], 0);

  made_for_held.hold_at_zero({});
  std::vector<double> let_go(b.size(), 0);
  EXPECT_LE(iterations(made_for_held, let_go), 3 * without);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(let_go[i], free[i], 1e-8);
}

}  // namespace
}  // namespace spindrift
