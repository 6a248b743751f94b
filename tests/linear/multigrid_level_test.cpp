#include "spindrift/linear/multigrid_level.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "linear/matrices.hpp"

namespace spindrift {
namespace {

// Products of the level with vectors by rows, beside those of its matrix.
void expect_products(const CsrMatrix& a, const std::vector<std::uint64_t>& keys) {
  const RowScaling scaling = scale_rows(a);
  const Aggregates aggregates = aggregate(keys, 32);
  const Buffer<double> coarse(static_cast<std::size_t>(aggregates.count()), 1.0);
  const MultigridLevel level(a, scaling, aggregates, coarse);

  test::Random random(1);
  const std::vector<double> x = test::random_vector(a.rows(), random);
  Buffer<float> at_places(static_cast<std::size_t>(level.places()), 0.0F);
  for (std::size_t row = 0; row < x.size(); ++row) {
    at_places[static_cast<std::size_t>(level.place_of_row()[row])] = static_cast<float>(x[row]);
  }
  Buffer<float> exact(at_places.size());
  Buffer<float> rounded(at_places.size());
  (void)level.for_each_exact_product(at_places.data(), [&](std::int64_t i, Float8 product) {
    store8(exact.data() + i, product);
    return Float8{};
  });
  (void)level.for_each_product(at_places.data(), [&](std::int64_t i, Float8 product) {
    store8(rounded.data() + i, product);
    return Float8{};
  });
  for (std::int64_t row = 0; row < a.rows(); ++row) {
    // (I - T^-1 A T^-1) x
    const auto i = static_cast<std::size_t>(row);
    double expected = x[i];
    int entries = 0;
    a.for_row(row, [&](std::int32_t column, double value) {
      const auto c = static_cast<std::size_t>(column);
      expected -= scaling.inverse[i] * value * scaling.inverse[c] * x[c];
      ++entries;
    });
    const auto place = static_cast<std::size_t>(level.place_of_row()[i]);
    ASSERT_NEAR(double{exact[place]}, expected, 1e-6 * entries) << row;
    // Half of a unit of 8 bits for each entry, and what they miss on the diagonal.
    ASSERT_NEAR(double{rounded[place]}, expected, 1.0 / 127 * entries) << row;
  }
}

TEST(MultigridLevel, MultipliesAsItsMatrixDoes) {
  const test::Grid grid{.n = 20};
  expect_products(grid.matrix(), grid.keys());
  for (const bool has_positive_entries : {false, true}) {
    test::Random random(7);
    const CsrMatrix a = test::random_matrix(3000, has_positive_entries, random);
    expect_products(a, test::keys_in_order(a.rows()));
  }
}

// The finest level of a grid that does not feel constant pressures.
struct ClosedGrid {
  test::Grid grid{.n = 20, .boundary = test::Grid::Boundary::closed};
  CsrMatrix a = grid.matrix();
  RowScaling scaling = scale_rows(a);
  Aggregates aggregates = aggregate(grid.keys(), 32);
  Buffer<double> coarse = Buffer<double>(static_cast<std::size_t>(aggregates.count()), 1.0);
  MultigridLevel level{a, scaling, aggregates, coarse};
};

// What rounding leaves of a row is made up for on its diagonal: 1 / 6 is no sum of 24 bits, and all
// rows of a lattice would miss the same.
TEST(MultigridLevel, KeepsSumsOfRows) {
  const ClosedGrid closed;
  const CsrMatrix& a = closed.a;
  const RowScaling& scaling = closed.scaling;
  const MultigridLevel& level = closed.level;
  // Constant pressures, which closed grids do not feel. Of many sizes, so that what is rounded when
  // the product is made, up to 6e-8 for each of them, is not all there is to see.
  test::Random random(4);
  constexpr int kSizes = 400;
  double felt = 0;
  for (int k = 0; k < kSizes; ++k) {
    const double size = random.between(1, 2);
    Buffer<float> x(static_cast<std::size_t>(level.places()), 0.0F);
    for (std::int64_t row = 0; row < a.rows(); ++row) {
      const auto i = static_cast<std::size_t>(row);
      x[static_cast<std::size_t>(level.place_of_row()[i])] =
          static_cast<float>(size / scaling.inverse[i]);
    }
    double square = 0;
    for (const float v : x) square += double{v} * double{v};
    felt += level.for_each_exact_product(x.data(),
                                         [&](std::int64_t i, Float8 product) {
                                           const Float8 here = load8(x.data() + i);
                                           return here * (here - product);
                                         }) /
            square / kSizes;
  }
  // 1 / 6 in single precision is 3e-8 of it too much; its 24 bits alone 2.4e-7 too little.
  EXPECT_LT(std::abs(felt), 4e-8);
}

// So is what rounding to 8 bits leaves, to half a unit of its own: 1 / 6 misses 0.0079 of a row.
TEST(MultigridLevel, KeepsSumsOfRoundedRows) {
  const ClosedGrid closed;
  const CsrMatrix& a = closed.a;
  const RowScaling& scaling = closed.scaling;
  const MultigridLevel& level = closed.level;
  const Buffer<float> ones(static_cast<std::size_t>(level.places()), 1.0F);
  Buffer<float> sums(ones.size());
  (void)level.for_each_product(ones.data(), [&](std::int64_t i, Float8 product) {
    store8(sums.data() + i, product);
    return Float8{};
  });
  for (std::int64_t row = 0; row < a.rows(); ++row) {
    const auto i = static_cast<std::size_t>(row);
    double expected = 1;
    a.for_row(row, [&](std::int32_t column, double value) {
      expected -= scaling.inverse[i] * value * scaling.inverse[static_cast<std::size_t>(column)];
    });
    const auto place = static_cast<std::size_t>(level.place_of_row()[i]);
    ASSERT_NEAR(double{sums[place]}, expected, 0.51 / 32 / 127) << row;
  }
}

// Down and up again, beside sums over aggregates and their values by rows.
TEST(MultigridLevel, GoesDownAndUpByAggregates) {
  test::Random random(9);
  const CsrMatrix a = test::random_matrix(3000, true, random);
  const RowScaling scaling = scale_rows(a);
  const Aggregates aggregates = aggregate(test::keys_in_order(a.rows()), 32);
  const auto count = static_cast<std::size_t>(aggregates.count());
  Buffer<double> coarse(count);
  for (double& t : coarse) t = random.between(0.5, 2);
  const MultigridLevel level(a, scaling, aggregates, coarse);
  const auto ratio = [&](std::size_t row) {
    return coarse[static_cast<std::size_t>(aggregates.of_row[row])] / scaling.inverse[row];
  };
  const std::vector<double> x = test::random_vector(a.rows(), random);
  Buffer<float> r(static_cast<std::size_t>(level.places()), 0.0F);
  for (std::size_t row = 0; row < x.size(); ++row) {
    r[static_cast<std::size_t>(level.place_of_row()[row])] = static_cast<float>(x[row]);
  }
  Buffer<std::int32_t> to(count);  // in any order
  for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<std::int32_t>(count - 1 - i);

  Buffer<float> sums(count);
  constexpr float kAlone = 0;  // without a step of Jacobi's method
  (void)level.restrict_residual(r.data(), kAlone, to.data(), sums.data());
  std::vector<double> expected(count, 0.0);
  for (std::size_t row = 0; row < x.size(); ++row) {
    expected[static_cast<std::size_t>(aggregates.of_row[row])] += ratio(row) * x[row];
  }
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_NEAR(double{sums[static_cast<std::size_t>(to[i])]}, expected[i], 1e-3) << i;
  }

  Buffer<float> y(r.size());
  level.prolong(r.data(), 0.5F, sums.data(), to.data(), y.data());
  for (std::size_t row = 0; row < x.size(); ++row) {
    const auto aggregate = static_cast<std::size_t>(aggregates.of_row[row]);
    const double value = double{sums[static_cast<std::size_t>(to[aggregate])]};
    const double up = 0.5 * x[row] + ratio(row) * value;
    ASSERT_NEAR(double{y[static_cast<std::size_t>(level.place_of_row()[row])]}, up,
                1e-6 * (1 + std::abs(up)))
        << row;
  }
}

// Farther apart than 16 bits can tell.
TEST(MultigridLevel, ReachesFarRows) {
  constexpr std::int64_t kRows = 150'000;
  test::MatrixBuilder builder(kRows);
  test::Random random(8);
  for (std::int64_t i = 0; i + 1 < kRows; ++i) builder.connect(i, i + 1, 1);
  for (int k = 0; k < 3000; ++k) builder.connect(random.below(kRows), random.below(kRows), 0.5);
  for (const std::int64_t gap : {32'760, 32'767, 32'768, 32'776, 65'536}) {
    builder.connect(100, 100 + gap, 1);
    builder.connect(149'000, 149'000 - gap, 1);
  }
  const CsrMatrix a = builder.matrix();
  expect_products(a, test::keys_in_order(kRows));
}

}  // namespace
}  // namespace spindrift
