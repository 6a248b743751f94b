#include "spindrift/linear/level_interpolation.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "linear/matrices.hpp"

namespace spindrift {
namespace {

// Rows of a grid with one to `most` sources each, near and far.
Interpolation some_sources(std::int64_t rows, std::int64_t coarse, int most) {
  Interpolation result;
  test::Random random(11);
  result.weight = 0.25;
  result.sources.resize(static_cast<std::size_t>(rows));
  for (std::size_t i = 0; i < result.sources.size(); ++i) {
    result.sources[i].fill(-1);
    for (int k = 0; k < most; ++k) {
      if (random.between(0, 1) < 0.8) {
        result.sources[i][static_cast<std::size_t>(k)] =
            std::min(static_cast<std::int32_t>(random.between(0, static_cast<double>(coarse))),
                     static_cast<std::int32_t>(coarse - 1));
      }
    }
  }
  for (std::int64_t row = 0; row < coarse; ++row) {
    result.matrix.columns.push_back(static_cast<std::int32_t>(row));
    result.matrix.values.push_back(1);
    result.matrix.starts.push_back(row + 1);
  }
  return result;
}

TEST(LevelInterpolation, TransfersAsItsSourcesSay) {
  const test::Grid grid{.n = 24};
  const CsrMatrix a = grid.matrix();
  const RowScaling scaling = scale_rows(a);
  const Aggregates aggregates = aggregate(grid.keys(), 32);
  const Buffer<double> ones(static_cast<std::size_t>(aggregates.count()), 1.0);
  const MultigridLevel level(a, scaling, aggregates, ones, true);
  constexpr std::int64_t kCoarse = 700;
  for (const int most : {3, 4}) {
    const Interpolation sources = some_sources(a.rows(), kCoarse, most);
    test::Random random(5);
    Buffer<double> inverse(kCoarse);
    for (double& v : inverse) v = random.between(0.5, 2);
    LevelInterpolation transfer(level, sources, inverse);
    std::vector<std::int32_t> places(kCoarse);
    for (std::size_t i = 0; i < places.size(); ++i) {
      places[i] = static_cast<std::int32_t>((7 * i) % places.size());
    }

    const std::vector<double> e = test::random_vector(kCoarse, random);
    Buffer<float> coarse(kCoarse);
    for (std::size_t i = 0; i < e.size(); ++i) {
      coarse[static_cast<std::size_t>(places[i])] = static_cast<float>(e[i]);
    }
    const std::vector<double> r = test::random_vector(a.rows(), random);
    Buffer<float> fine(static_cast<std::size_t>(level.places()), 0.0F);
    for (std::size_t i = 0; i < r.size(); ++i) {
      fine[static_cast<std::size_t>(level.place_of_row()[i])] = static_cast<float>(r[i]);
    }
    Buffer<float> y(fine.size());
    transfer.prolong(level, fine.data(), 0.5F, coarse.data(), places.data(), y.data());
    Buffer<float> restricted(kCoarse);
    // Without a step of Jacobi's: P^T r.
    (void)transfer.restrict_residual(level, fine.data(), 0.0F, places.data(), restricted.data());
    std::vector<double> expected(kCoarse, 0.0);
    for (std::size_t i = 0; i < r.size(); ++i) {
      double sum = 0;
      for (const std::int32_t source : sources.sources[i]) {
        if (source < 0) continue;
        const auto s = static_cast<std::size_t>(source);
        const double weight = 0.25 * inverse[s] / scaling.inverse[i];
        sum += weight * e[s];
        expected[s] += weight * r[i];
      }
      ASSERT_NEAR(double{y[static_cast<std::size_t>(level.place_of_row()[i])]}, 0.5 * r[i] + sum,
                  1e-5);
    }
    for (std::size_t s = 0; s < expected.size(); ++s) {
      ASSERT_NEAR(double{restricted[static_cast<std::size_t>(places[s])]}, expected[s], 1e-4);
    }
  }
}

}  // namespace
}  // namespace spindrift
