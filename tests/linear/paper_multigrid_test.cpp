#include "spindrift/linear/paper_multigrid.hpp"

#include "spindrift/linear/coarse_labels.hpp"
#include "spindrift/linear/vectors.hpp"

#include "linear/solvers.hpp"

namespace spindrift {
namespace {

using test::Grid;

void expect_valid(const CsrMatrix& a, const CoarseLabels& labels) {
  std::int64_t coarse = 0;
  for (std::int64_t row = 0; row < a.rows(); ++row) {
    const std::int32_t own = labels.of_row[static_cast<std::size_t>(row)];
    int neighbors = 0;
    int coarse_neighbors = 0;
    a.for_row(row, [&](std::int32_t column, double) {
      if (column == row) return;
      ++neighbors;
      if (labels.of_row[static_cast<std::size_t>(column)] >= 0) ++coarse_neighbors;
    });
    if (own >= 0) {
      EXPECT_EQ(own, coarse++);
      EXPECT_EQ(coarse_neighbors, 0);
      EXPECT_GT(neighbors, 0);
    } else if (own == CoarseLabels::kFine) {
      EXPECT_GT(coarse_neighbors, 0);
    } else {
      EXPECT_EQ(own, CoarseLabels::kIsolated);
      EXPECT_EQ(neighbors, 0);
    }
  }
  EXPECT_EQ(coarse, labels.coarse_count);
}

TEST(CoarseLabels, GiveEveryFineVariableACoarseNeighbor) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    test::Random random(seed);
    // Two components, and between them a row without neighbours and two with a neighbour but a
    // zero as entry.
    test::MatrixBuilder isolated(3);
    isolated.add(0, 0, 1);
    isolated.connect(1, 2, 0);
    const CsrMatrix a = test::side_by_side(
        test::side_by_side(test::random_matrix(1 + random.below(500), true, random),
                           isolated.matrix()),
        test::random_matrix(1 + random.below(500), false, random));
    expect_valid(a, label_coarse(a));
  }
}

// Along a path of rows: coarse 0, fine 1; the next to be coarse is 2, beside it, and so on.
TEST(CoarseLabels, FollowThePaperOnAPath) {
  test::MatrixBuilder builder(7);
  for (std::int64_t i = 0; i < 6; ++i) builder.connect(i, i + 1, 1);
  const CoarseLabels labels = label_coarse(builder.matrix());
  constexpr auto kFine = std::int32_t{CoarseLabels::kFine};
  EXPECT_EQ(labels.of_row, (Buffer<std::int32_t>{0, kFine, 1, kFine, 2, kFine, 3}));
}

// Of the two rows beside the first fine ones, the one with more unlabelled neighbours comes first.
TEST(CoarseLabels, PreferVariablesWithManyUnlabelledNeighbors) {
  // 0 - 1 - 2 - 3 and 1 - 4 - {5, 6, 7}, 3 - 4: with 2 first, 3 would be fine and 4 coarse later;
  // with 4 first, 3 is fine, and 2, whose neighbours are all fine, becomes coarse.
  test::MatrixBuilder builder(8);
  for (const auto& [i, j] : {std::pair(0, 1), std::pair(1, 2), std::pair(2, 3), std::pair(1, 4),
                             std::pair(4, 5), std::pair(4, 6), std::pair(4, 7), std::pair(3, 4)}) {
    builder.connect(i, j, 1);
  }
  const CoarseLabels labels = label_coarse(builder.matrix());
  constexpr auto kFine = std::int32_t{CoarseLabels::kFine};
  EXPECT_EQ(labels.of_row, (Buffer<std::int32_t>{0, kFine, 1, kFine, 2, kFine, kFine, kFine}));
}

// As an operator: symmetric and positive definite, which conjugate gradients rely on.
TEST(PaperMultigrid, CycleIsSymmetricAndPositive) {
  test::Random random(4);
  for (const CsrMatrix& a :
       {Grid{.n = 14, .weights = {1, 3, 0.5}}.matrix(), test::random_matrix(2000, true, random)}) {
    const PaperMultigrid solver(a);
    ASSERT_GE(solver.setup().levels.size(), 2U);
    for (int k = 0; k < 10; ++k) {
      const std::vector<double> u = test::random_vector(a.rows(), random);
      const std::vector<double> v = test::random_vector(a.rows(), random);
      std::vector<double> mu(u.size()), mv(u.size());
      solver.apply(u, mu);
      solver.apply(v, mv);
      // The coarsest inverse is in single precision.
      EXPECT_NEAR(dot(u, mv), dot(mu, v), 1e-6 * norm(u) * norm(mv));
      EXPECT_GT(dot(u, mu), 0);
    }
  }
}

// The full cycle is exact where there is only the coarsest level.
TEST(PaperMultigrid, SolvesSmallMatricesDirectly) {
  const Grid grid{.n = 6};
  const CsrMatrix a = grid.matrix();
  const std::vector<double> expected = grid.sines({1, 2, 3});
  std::vector<double> x(expected.size(), 0);
  const PaperMultigrid solver(a);
  EXPECT_EQ(solver.setup().levels.size(), 1U);
  const SolveReport report = solver.solve(test::times(a, expected), x, {.tolerance = 1e-12});
  EXPECT_TRUE(report.has_converged) << report.problem;
  EXPECT_LE(report.iterations, 3);
  EXPECT_LE(test::max_difference(x, expected), 1e-10);
}

TEST(PaperMultigrid, ReportsItsHierarchy) {
  const Grid grid{.n = 32};
  const CsrMatrix a = grid.matrix();
  const SetupReport setup = PaperMultigrid(a).setup();
  ASSERT_GE(setup.levels.size(), 3U);
  EXPECT_EQ(setup.levels[0].rows, grid.rows());
  EXPECT_EQ(setup.levels[0].nonzeros, a.nonzeros());
  // On a grid the labels are a checkerboard.
  EXPECT_EQ(setup.levels[1].rows, grid.rows() / 2);
  EXPECT_LE(setup.levels[2].rows, grid.rows() / 16);
  EXPECT_LE(setup.levels.back().rows, 250);
  EXPECT_LE(setup.operator_complexity(), 2.6);
}

TEST(PaperMultigrid, SlowNeedsFewFullCycles) {
  const auto iterations = [](std::int64_t n, bool in_cg) {
    const Grid grid{.n = n};
    const CsrMatrix a = grid.matrix();
    test::Random random(5);
    const std::vector<double> b = test::random_vector(grid.rows(), random);
    std::vector<double> x(b.size(), 0);
    const PaperMultigrid solver(a);
    const SolveReport report = in_cg ? solve_cg(a, solver, b, x) : solver.solve(b, x);
    EXPECT_TRUE(report.has_converged) << report.problem;
    return report.iterations;
  };
  EXPECT_LE(iterations(32, false), 8);
  EXPECT_LE(iterations(64, false), 12);
  EXPECT_LE(iterations(32, true), 10);
  EXPECT_LE(iterations(64, true), 14);
}

}  // namespace
}  // namespace spindrift
