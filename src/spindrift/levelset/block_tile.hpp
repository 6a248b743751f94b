// The 2 x 2 x 2 nodes of a tile in their block, in the lanes of a vector.
//
// Lane k lies up along x, y, z where bit 0, 1, 2 of k is set.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <limits>

#include "spindrift/core/simd.hpp"
#include "spindrift/levelset/block_set.hpp"

namespace spindrift {

inline constexpr Float8 kLaneX = {0, 1, 0, 1, 0, 1, 0, 1};
inline constexpr Float8 kLaneY = {0, 0, 1, 1, 0, 0, 1, 1};
inline constexpr Float8 kLaneZ = {0, 0, 0, 0, 1, 1, 1, 1};

class BlockTile {
 public:
  // `low`: its first node in the block.
  explicit BlockTile(const Vec3i& low)
      : first_(node_in_block(low)), z_(static_cast<std::size_t>(low.z())), shift_(first_ & 63) {}

  // The values, with a minus at the nodes of the mask.
  [[nodiscard]] Float8 negated(Float8 values, const BlockMask& mask) const {
    constexpr Int8 kBit = {1, 2, 4, 8, 16, 32, 64, 128};
    constexpr Int8 kSign = Int8{} + std::numeric_limits<std::int32_t>::min();
    const std::uint64_t low = mask[z_] >> shift_;
    const std::uint64_t high = mask[z_ + 1] >> shift_;
    const std::uint64_t bits =
        (low & 3) | (low >> 6 & 12) | (high & 3) << 4 | (high >> 6 & 12) << 4;
    const Int8 is_negative = ((Int8{} + static_cast<std::int32_t>(bits)) & kBit) != Int8{};
    return std::bit_cast<Float8>(std::bit_cast<Int8>(values) ^ (is_negative & kSign));
  }

  void add(Int8 lanes, BlockMask& mask) const {
    const std::uint64_t bits = true_lanes(lanes);
    mask[z_] |= ((bits & 3) | (bits & 12) << 6) << shift_;
    mask[z_ + 1] |= ((bits >> 4 & 3) | (bits >> 4 & 12) << 6) << shift_;
  }

  void store(Float8 values, float* block) const {
    const auto pairs = std::bit_cast<std::array<std::array<float, 2>, 4>>(values);
    float* to = block + first_;
    __builtin_memcpy(to, &pairs[0], sizeof pairs[0]);
    __builtin_memcpy(to + 8, &pairs[1], sizeof pairs[1]);
    __builtin_memcpy(to + 64, &pairs[2], sizeof pairs[2]);
    __builtin_memcpy(to + 72, &pairs[3], sizeof pairs[3]);
  }

 private:
  int first_;
  std::size_t z_;
  int shift_;
};

}  // namespace spindrift
