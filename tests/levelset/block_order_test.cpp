#include "spindrift/levelset/block_order.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "spindrift/levelset/block_set.hpp"

#include "support/random.hpp"

namespace spindrift {
namespace {

TEST(BlockOrder, IsThatOfKeys) {
  test::Random random(31);
  // On both sides of the origin, where coordinates have the most digits; and as far as they reach.
  for (const double reach : {0.4, 3.0, 70.0, kBlockLimit - 1.0}) {
    std::vector<std::uint64_t> keys;
    for (int i = 0; i < 3000; ++i) {
      const Vec3 place = random.in_box(Box3(Vec3::Constant(-reach), Vec3::Constant(reach)));
      keys.push_back(block_key(place.array().round().cast<int>()));
    }
    const KeyOrder order = block_key_order(keys);
    const KeyOrder expected = key_order(keys);
    EXPECT_TRUE(std::equal(order.keys.begin(), order.keys.end(), expected.keys.begin(),
                           expected.keys.end()));
    EXPECT_TRUE(std::equal(order.indices.begin(), order.indices.end(), expected.indices.begin(),
                           expected.indices.end()));
  }
  EXPECT_TRUE(block_key_order({}).keys.empty());
}

}  // namespace
}  // namespace spindrift
