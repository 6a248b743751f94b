#include "spindrift/levelset/block_order.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "spindrift/core/parallel.hpp"
#include "spindrift/levelset/block_set.hpp"

namespace spindrift {
namespace {

constexpr std::int64_t kChunk = 1 << 14;

struct BlockRange {
  Vec3i low = Vec3i::Constant(kBlockLimit);
  Vec3i high = Vec3i::Constant(-kBlockLimit);
};

BlockRange range_of(std::span<const std::uint64_t> keys) {
  return parallel_reduce_chunks(
      std::ssize(keys), kChunk, BlockRange(),
      [&](std::int64_t begin, std::int64_t end) {
        BlockRange range;
        for (std::int64_t i = begin; i < end; ++i) {
          const Vec3i block = block_of_key(keys[static_cast<std::size_t>(i)]);
          range.low = range.low.cwiseMin(block);
          range.high = range.high.cwiseMax(block);
        }
        return range;
      },
      [](const BlockRange& a, const BlockRange& b) {
        return BlockRange{a.low.cwiseMin(b.low), a.high.cwiseMax(b.high)};
      });
}

}  // namespace

KeyOrder block_key_order(std::span<const std::uint64_t> keys) {
  if (keys.empty()) return {};
  const BlockRange range = range_of(keys);
  const auto bits = [&](int axis) {
    return static_cast<int>(
        std::bit_width(static_cast<unsigned>(range.high[axis] - range.low[axis])));
  };
  const int to_y = bits(0);
  const int to_z = to_y + bits(1);
  std::vector<std::uint64_t> shorter(keys.size());
  parallel_for_each(std::ssize(keys), [&](std::int64_t n) {
    const auto i = static_cast<std::size_t>(n);
    const Vec3i from_low = block_of_key(keys[i]) - range.low;
    const auto part = [&](int axis) { return static_cast<std::uint64_t>(from_low[axis]); };
    shorter[i] = part(0) | part(1) << to_y | part(2) << to_z;
  });
  KeyOrder order = key_order(shorter);
  parallel_for_each(std::ssize(keys), [&](std::int64_t n) {
    const auto i = static_cast<std::size_t>(n);
    order.keys[i] = keys[static_cast<std::size_t>(order.indices[i])];
  });
  return order;
}

}  // namespace spindrift
