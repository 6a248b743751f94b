#include "spindrift/core/parallel.hpp"

#include <cmath>
#include <cstring>
#include <numeric>

#include <gtest/gtest.h>

namespace spindrift {
namespace {

// A sum whose rounding depends on the order of its terms.
double order_sensitive_sum(int threads) {
  const ThreadLimit limit(threads);
  return parallel_reduce_chunks(
      1'000'003, 1000, 0.0,
      [](std::int64_t begin, std::int64_t end) {
        double sum = 0;
        for (std::int64_t i = begin; i < end; ++i) sum += std::sin(double(i)) * std::exp(i % 40);
        return sum;
      },
      std::plus<>());
}

TEST(Parallel, ReductionHasTheSameBitsForAnyThreadCount) {
  const double one = order_sensitive_sum(1);
  for (int threads : {2, 3, 4, 7}) {
    const double many = order_sensitive_sum(threads);
    EXPECT_EQ(std::memcmp(&one, &many, sizeof one), 0) << threads << " threads";
  }
}

TEST(Parallel, ChunksCoverTheRangeOnceEach) {
  for (std::int64_t count : {0, 1, 7, 8, 9, 1000}) {
    std::vector<int> visits(count, 0);
    parallel_for_chunks(count, 8, [&](std::int64_t begin, std::int64_t end) {
      EXPECT_EQ(begin % 8, 0);
      EXPECT_LE(end - begin, 8);
      for (std::int64_t i = begin; i < end; ++i) ++visits[i];
    });
    for (int v : visits) EXPECT_EQ(v, 1);
  }
}

TEST(Parallel, ExceptionsReachTheCaller) {
  EXPECT_THROW(parallel_for_each(10'000,
                                 [](std::int64_t i) {
                                   if (i == 5000) throw std::runtime_error("stop");
                                 }),
               std::runtime_error);
}

}  // namespace
}  // namespace spindrift
