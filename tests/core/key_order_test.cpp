#include "spindrift/core/key_order.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "spindrift/core/parallel.hpp"

#include "support/random.hpp"

namespace spindrift {
namespace {

void expect_stable_order(const std::vector<std::uint64_t>& keys) {
  std::vector<std::int32_t> expected(keys.size());
  std::iota(expected.begin(), expected.end(), 0);
  std::stable_sort(expected.begin(), expected.end(), [&](std::int32_t a, std::int32_t b) {
    return keys[static_cast<std::size_t>(a)] < keys[static_cast<std::size_t>(b)];
  });
  for (const int threads : {1, 2}) {
    const ThreadLimit limit(threads);
    const KeyOrder order = key_order(keys);
    ASSERT_TRUE(
        std::equal(expected.begin(), expected.end(), order.indices.begin(), order.indices.end()));
    for (std::size_t i = 0; i < keys.size(); ++i) {
      ASSERT_EQ(order.keys[i], keys[static_cast<std::size_t>(expected[i])]);
    }
  }
}

TEST(KeyOrder, IsThatOfAStableSort) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    test::Random random(seed);
    // From keys that are nearly all alike to keys of all bits; some more than a chunk.
    const std::uint64_t mask = kMost >> (2 * seed);
    std::vector<std::uint64_t> keys(
        static_cast<std::size_t>(random.below(seed % 5 == 0 ? 200'000 : 3'000)));
    for (std::uint64_t& key : keys) {
      const auto high = static_cast<std::uint64_t>(random.below(1 << 30));
      const auto low = static_cast<std::uint64_t>(random.below(1 << 30));
      key = (high << 34 | low) & mask;
    }
    expect_stable_order(keys);
  }
}

TEST(KeyOrder, OfFewKeysAndOfTheGreatestOnes) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  expect_stable_order({});
  expect_stable_order({7});
  expect_stable_order({kMost, 0, kMost - 1, 0, kMost});
  expect_stable_order({kMost, kMost - 1, kMost - 2});
  expect_stable_order({1, 1, 2, 3, 3, 8});
}

}  // namespace
}  // namespace spindrift
