#include "spindrift/linear/csr_matrix.hpp"

#include <Eigen/Core>
#include <gtest/gtest.h>

#include "spindrift/linear/sparse_product.hpp"

#include "linear/matrices.hpp"

namespace spindrift {
namespace {

Eigen::MatrixXd dense(const CsrMatrix& a, std::int64_t columns) {
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(a.rows(), columns);
  for (std::int64_t row = 0; row < a.rows(); ++row) {
    a.for_row(row, [&](std::int32_t column, double value) { result(row, column) += value; });
  }
  return result;
}

CsrMatrix random_rectangle(std::int64_t rows, std::int64_t columns, test::Random& random) {
  CsrMatrix a;
  for (std::int64_t row = 0; row < rows; ++row) {
    const double filled = row % 7 == 3 ? 0 : random.unit();  // some rows are empty
    for (std::int64_t column = 0; column < columns; ++column) {
      if (random.unit() >= filled) continue;
      a.columns.push_back(static_cast<std::int32_t>(column));
      a.values.push_back(random.between(-1, 1));
    }
    a.starts.push_back(std::ssize(a.columns));
  }
  return a;
}

TEST(CsrMatrix, MultipliesAsADenseMatrixDoes) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    test::Random random(seed);
    const std::int64_t columns = 1 + random.below(60);
    const CsrMatrix a = random_rectangle(1 + random.below(60), columns, random);
    const std::vector<double> x = test::random_vector(columns, random);
    const std::vector<double> y = test::times(a, x);
    const Eigen::VectorXd expected =
        dense(a, columns) * Eigen::Map<const Eigen::VectorXd>(x.data(), std::ssize(x));
    for (std::size_t i = 0; i < y.size(); ++i) {
      EXPECT_NEAR(y[i], expected[static_cast<Eigen::Index>(i)], 1e-14);
    }
  }
}

TEST(CsrMatrix, ProductsAndTransposesAreThoseOfDenseMatrices) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    test::Random random(seed);
    const std::int64_t middle = 1 + random.below(150);
    const std::int64_t columns = 1 + random.below(150);
    const CsrMatrix a = random_rectangle(1 + random.below(60), middle, random);
    const CsrMatrix b = random_rectangle(middle, columns, random);
    const CsrMatrix ab = product(a, b);
    EXPECT_LE((dense(ab, columns) - dense(a, middle) * dense(b, columns)).cwiseAbs().maxCoeff(),
              1e-13);
    for (std::int64_t row = 0; row < ab.rows(); ++row) {
      std::int32_t last = -1;
      ab.for_row(row, [&](std::int32_t column, double) {
        EXPECT_LT(last, column);
        last = column;
      });
    }
    EXPECT_EQ(dense(transposed(b, columns), middle), dense(b, columns).transpose());
  }
}

TEST(CsrMatrix, KnowsItsDiagonal) {
  test::MatrixBuilder builder(3);
  builder.add(0, 1, 5);
  builder.add(1, 1, 2);
  builder.add(2, 0, 7);
  builder.add(2, 2, -3);
  EXPECT_EQ(diagonal(builder.matrix()), (Buffer<double>{0, 2, -3}));
}

TEST(CsrMatrix, KnowsWhetherItIsSymmetric) {
  test::Random random(3);
  CsrMatrix a = test::random_matrix(5000, true, random);
  EXPECT_TRUE(is_symmetric(a));
  EXPECT_TRUE(is_symmetric({}));
  // An entry off the diagonal, of the last row but one.
  const auto first = static_cast<std::size_t>(a.starts[a.starts.size() - 3]);
  ASSERT_NE(a.columns[first], 4998);
  a.values[first] = std::nextafter(a.values[first], 10);
  EXPECT_FALSE(is_symmetric(a));

  test::MatrixBuilder one_sided(2);
  one_sided.add(0, 1, 1);
  EXPECT_FALSE(is_symmetric(one_sided.matrix()));
}

}  // namespace
}  // namespace spindrift
