#include "spindrift/levelset/block_set.hpp"

#include <set>

#include <gtest/gtest.h>

#include "support/random.hpp"

namespace spindrift {
namespace {

TEST(BlockSet, KeysKeepCoordinatesAndScanOrder) {
  const Vec3i lowest = Vec3i::Constant(-kBlockLimit);
  const Vec3i highest = Vec3i::Constant(kBlockLimit - 1);
  for (const Vec3i& block : {Vec3i(0, 0, 0), Vec3i(-1, 2, -3), lowest, highest}) {
    EXPECT_EQ(block_of_key(block_key(block)), block);
  }
  EXPECT_LT(block_key({5, 0, 0}), block_key({-5, 1, 0}));
  EXPECT_LT(block_key({5, 5, 0}), block_key({-5, -5, 1}));
}

TEST(BlockSet, NodesBelongToOneBlockAndNumber) {
  for (const Vec3i& node : {Vec3i(0, 0, 0), Vec3i(-1, 7, 8), Vec3i(-8, -9, 100)}) {
    const Vec3i again = kBlockSide * block_of_node(node) + node_offset(node_in_block(node));
    EXPECT_EQ(again, node);
  }
}

TEST(BlockSet, FindsWhatItHoldsAndNothingElse) {
  test::Random random(7);
  const auto coordinate = [&] { return static_cast<int>(random.below(13)) - 6; };
  std::vector<std::uint64_t> keys;
  std::set<std::uint64_t> expected;
  for (int i = 0; i < 900; ++i) {
    keys.push_back(block_key({coordinate(), coordinate(), coordinate()}));
    expected.insert(keys.back());
  }
  const BlockSet blocks(keys);
  ASSERT_EQ(blocks.size(), std::ssize(expected));
  for (int z = -7; z <= 7; ++z) {
    for (int y = -7; y <= 7; ++y) {
      int previous = -1;
      for (int x = -7; x <= 7; ++x) {
        const Vec3i block(x, y, z);
        EXPECT_EQ(blocks.previous_in_row(block), previous);
        const std::int32_t found = blocks.find(block);
        ASSERT_EQ(found >= 0, expected.contains(block_key(block)));
        if (found < 0) continue;
        EXPECT_EQ(blocks.coordinate(found), block);
        EXPECT_EQ(blocks.neighborhood(blocks.coordinate(found))[13], found);
        EXPECT_EQ(blocks.neighborhood(blocks.coordinate(found))[14],
                  blocks.find(block + Vec3i(1, 0, 0)));
        EXPECT_EQ(blocks.neighborhood(blocks.coordinate(found))[4],
                  blocks.find(block - Vec3i(0, 0, 1)));
        const BlockSet::Neighborhood around = blocks.neighborhood(block);
        for (int k = 0; k < 27; ++k) {
          EXPECT_EQ(around[static_cast<std::size_t>(k)],
                    blocks.find(block + Vec3i(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1)));
        }
        previous = found;
      }
    }
  }
}

TEST(BlockSet, RowsShareYAndZ) {
  const BlockSet blocks({block_key({3, 0, 0}), block_key({1, 0, 0}), block_key({0, 1, 0}),
                         block_key({0, 0, 1}), block_key({9, 0, 1})});
  EXPECT_EQ(blocks.row_starts(), (std::vector<std::int32_t>{0, 2, 3, 5}));
}

TEST(BlockSet, CanBeEmpty) {
  const BlockSet blocks;
  EXPECT_EQ(blocks.find({0, 0, 0}), -1);
  EXPECT_EQ(BlockSet(std::vector<std::uint64_t>{}).find({1, 2, 3}), -1);
  EXPECT_EQ(blocks.previous_in_row({0, 0, 0}), -1);
}

}  // namespace
}  // namespace spindrift
