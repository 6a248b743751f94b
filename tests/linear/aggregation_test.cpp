#include "spindrift/linear/aggregation.hpp"

#include <limits>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "linear/matrices.hpp"

namespace spindrift {
namespace {

using test::Grid;

constexpr std::int32_t kAny = std::numeric_limits<std::int32_t>::max() / 4;

// Every row is in one aggregate, and aggregates are as of_row says.
void expect_partition(const Aggregates& aggregates, std::int64_t rows) {
  ASSERT_EQ(std::ssize(aggregates.rows), rows);
  ASSERT_EQ(std::ssize(aggregates.starts), aggregates.count() + 1);
  std::vector<int> seen(static_cast<std::size_t>(rows), 0);
  for (std::int32_t a = 0; a < aggregates.count(); ++a) {
    const auto i = static_cast<std::size_t>(a);
    EXPECT_LT(aggregates.starts[i], aggregates.starts[i + 1]);
    if (a > 0) {
      EXPECT_LT(aggregates.keys[i - 1], aggregates.keys[i]);
    }
    for (std::int32_t k = aggregates.starts[i]; k < aggregates.starts[i + 1]; ++k) {
      const auto row = static_cast<std::size_t>(aggregates.rows[static_cast<std::size_t>(k)]);
      ++seen[row];
      EXPECT_EQ(aggregates.of_row[row], a);
    }
  }
  for (const int times : seen) EXPECT_EQ(times, 1);
}

TEST(Aggregation, BringsRowsOfACubeTogether) {
  const std::vector<std::uint64_t> keys = {9, 1, 9, 64, 1, 9};
  const Aggregates aggregates = aggregate(keys, 1);
  expect_partition(aggregates, 6);
  EXPECT_EQ(aggregates.keys, (Buffer<std::uint64_t>{1, 9, 64}));
  EXPECT_EQ(aggregates.rows, (Buffer<std::int32_t>{1, 4, 0, 2, 5, 3}));
}

// Eight cubes of one row each make one; a cube with many rows keeps its neighbours from joining.
TEST(Aggregation, JoinsCubesWithFewRows) {
  std::vector<std::uint64_t> keys;
  for (std::uint64_t cube = 0; cube < 8; ++cube) keys.push_back(cube);  // joined
  for (std::uint64_t cube = 8; cube < 16; ++cube) {
    for (int row = 0; row < 3; ++row) keys.push_back(cube);  // not joined: 24 rows
  }
  keys.push_back(1000);  // far away, alone
  const Aggregates aggregates = aggregate(keys, 8);
  expect_partition(aggregates, std::ssize(keys));
  EXPECT_EQ(aggregates.count(), 1 + 8 + 1);
  EXPECT_EQ(aggregates.starts[1], 8);

  // With more allowed, the second eight become one, too, and then everything within 64 cubes.
  EXPECT_EQ(aggregate(keys, 24).count(), 3);
  EXPECT_EQ(aggregate(keys, 32).count(), 2);
  EXPECT_EQ(aggregate(keys, kAny).count(), 1);
}

// However little may be joined, the next level is at most half as large.
TEST(Aggregation, HalvesTheRows) {
  test::Random random(3);
  for (int i = 0; i < 20; ++i) {
    std::vector<std::uint64_t> keys(static_cast<std::size_t>(2 + random.below(2000)));
    for (std::uint64_t& key : keys) key = static_cast<std::uint64_t>(random.below(1 << 30));
    const Aggregates aggregates = aggregate(keys, 1);
    expect_partition(aggregates, std::ssize(keys));
    EXPECT_LE(2 * aggregates.count(), std::ssize(keys));
  }
  EXPECT_EQ(aggregate(std::vector<std::uint64_t>{5}, 1).count(), 1);
  EXPECT_EQ(aggregate(std::vector<std::uint64_t>{}, 1).count(), 0);
}

void expect_averaging(bool has_positive_entries, const std::vector<std::int32_t>& held) {
  test::Random random(4);
  const auto is_held = [&](std::int64_t row) {
    return std::binary_search(held.begin(), held.end(), static_cast<std::int32_t>(row));
  };
  const CsrMatrix a = test::random_matrix(400, has_positive_entries, random);
  std::vector<std::uint64_t> keys(400);
  for (std::uint64_t& key : keys) key = static_cast<std::uint64_t>(random.below(60));
  const Aggregates aggregates = aggregate(keys, 1);
  Buffer<double> sums = row_sums(a);
  const CsrMatrix coarse = coarse_matrix(a, aggregates, 0.5, sums, held);

  Eigen::MatrixXd expected = Eigen::MatrixXd::Zero(aggregates.count(), aggregates.count());
  for (std::int64_t row = 0; row < a.rows(); ++row) {
    if (is_held(row)) continue;
    a.for_row(row, [&](std::int32_t column, double value) {
      if (is_held(column)) return;
      expected(aggregates.of_row[static_cast<std::size_t>(row)],
               aggregates.of_row[static_cast<std::size_t>(column)]) += 0.5 * value;
    });
  }
  Eigen::MatrixXd actual = Eigen::MatrixXd::Zero(coarse.rows(), coarse.rows());
  for (std::int64_t row = 0; row < coarse.rows(); ++row) {
    std::int32_t last = -1;
    coarse.for_row(row, [&](std::int32_t column, double value) {
      EXPECT_LT(last, column);
      last = column;
      actual(row, column) = value;
    });
  }
  EXPECT_LE((actual - expected).cwiseAbs().maxCoeff(), 1e-12 * expected.cwiseAbs().maxCoeff());
  for (std::int64_t row = 0; row < coarse.rows(); ++row) {
    EXPECT_NEAR(sums[static_cast<std::size_t>(row)], expected.row(row).sum(),
                1e-12 * expected.cwiseAbs().maxCoeff());
  }
}

TEST(Aggregation, CoarseMatrixIsThatOfAveraging) {
  for (const bool has_positive_entries : {false, true}) expect_averaging(has_positive_entries, {});
}

TEST(Aggregation, RowsHeldAtZeroAreInNoAggregate) {
  std::vector<std::int32_t> held;
  for (std::int32_t row = 0; row < 400; row += row < 100 ? 1 : 7) held.push_back(row);
  for (const bool has_positive_entries : {false, true}) {
    expect_averaging(has_positive_entries, held);
  }
}

// Keys of all bits, whatever they are of.
TEST(Aggregation, TakesTheGreatestKeys) {
  constexpr std::uint64_t kTop = std::uint64_t{1} << 63;
  EXPECT_EQ(aggregate(std::vector<std::uint64_t>{0, kTop}, 1).count(), 1);
  EXPECT_EQ(aggregate(std::vector<std::uint64_t>{0, kTop, ~std::uint64_t{0}}, 1).count(), 1);
  EXPECT_EQ(aggregate(std::vector<std::uint64_t>{0, 1, kTop, kTop + 1}, 2).count(), 2);
}

// A closed grid stays singular.
TEST(Aggregation, CoarseMatricesOfClosedGridsAreSingular) {
  const Grid grid{.n = 12, .boundary = Grid::Boundary::closed};
  const CsrMatrix a = grid.matrix();
  const Aggregates aggregates = aggregate(grid.keys(), 8);
  Buffer<double> sums(static_cast<std::size_t>(a.rows()), 0.0);
  const CsrMatrix coarse = coarse_matrix(a, aggregates, 1, sums);
  for (std::int64_t row = 0; row < coarse.rows(); ++row) {
    double diagonal = 0;
    double others = 0;
    coarse.for_row(row, [&](std::int32_t column, double value) {
      (column == row ? diagonal : others) += value;
    });
    EXPECT_NEAR(diagonal, -others, 1e-13 * diagonal);
  }
}

}  // namespace
}  // namespace spindrift
