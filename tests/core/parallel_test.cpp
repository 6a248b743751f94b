#include "spindrift/core/parallel.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "spindrift/core/parallel_copy.hpp"

#include "support/random.hpp"

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

TEST(Parallel, LimitOfOneRunsInTheCallerAlone) {
  const ThreadLimit limit(1);
  const std::thread::id caller = std::this_thread::get_id();
  std::vector<std::thread::id> ran_in(1000);
  parallel_for_each(
      1000,
      [&](std::int64_t i) { ran_in[static_cast<std::size_t>(i)] = std::this_thread::get_id(); },
      10);
  for (const std::thread::id& id : ran_in) EXPECT_EQ(id, caller);
}

TEST(Parallel, TheLeastLimitHoldsAndEndsWithItsScope) {
  const int before = thread_limit();
  EXPECT_EQ(before, available_threads());
  {
    const ThreadLimit outer(1);
    EXPECT_EQ(thread_limit(), 1);
    const ThreadLimit inner(2);
    EXPECT_EQ(thread_limit(), 1);
  }
  EXPECT_EQ(thread_limit(), before);
}

TEST(Parallel, LoopsMayBeNested) {
  const ThreadLimit limit(4);
  std::vector<std::int64_t> sums(50);
  parallel_for_each(
      50,
      [&](std::int64_t i) {
        sums[static_cast<std::size_t>(i)] = parallel_reduce_chunks(
            i + 1, 3, std::int64_t{0},
            [](std::int64_t begin, std::int64_t end) {
              std::int64_t sum = 0;
              for (std::int64_t k = begin; k < end; ++k) sum += k;
              return sum;
            },
            std::plus<>());
      },
      1);
  for (std::int64_t i = 0; i < 50; ++i) {
    EXPECT_EQ(sums[static_cast<std::size_t>(i)], i * (i + 1) / 2);
  }
}

TEST(Parallel, SortAgreesWithTheStandardOne) {
  test::Random random(5);
  std::vector<std::int64_t> numbers(100'000);
  for (std::int64_t& number : numbers) number = random.below(1000);
  std::vector<std::int64_t> expected = numbers;
  std::sort(expected.begin(), expected.end());
  const ThreadLimit limit(4);
  parallel_sort_total(numbers.begin(), numbers.end());
  EXPECT_EQ(numbers, expected);
}

TEST(Parallel, CopiesAndFillsAllOfAnArray) {
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{200'003}}) {
    std::vector<int> from(count);
    std::iota(from.begin(), from.end(), 5);
    Buffer<int> to = filled_buffer(count, -1);
    EXPECT_EQ(std::count(to.begin(), to.end(), -1), std::ssize(from));
    parallel_copy(from, to);
    EXPECT_TRUE(std::equal(from.begin(), from.end(), to.begin(), to.end()));
    parallel_fill(to, 7);
    EXPECT_EQ(std::count(to.begin(), to.end(), 7), std::ssize(from));
  }
}

}  // namespace
}  // namespace spindrift
