#include "spindrift/levelset/block_set.hpp"

#include <algorithm>
#include <bit>

#include "spindrift/core/parallel.hpp"

namespace spindrift {
namespace {

// Fibonacci hashing: the top bits of the product depend on all bits of the key.
std::uint64_t mixed(std::uint64_t key) { return key * 0x9e3779b97f4a7c15ULL; }

}  // namespace

BlockSet::BlockSet(std::vector<std::uint64_t> keys) : keys_(std::move(keys)) {
  if (!std::is_sorted(keys_.begin(), keys_.end())) parallel_sort_total(keys_.begin(), keys_.end());
  keys_.erase(std::unique(keys_.begin(), keys_.end()), keys_.end());

  const std::uint64_t slots = std::bit_ceil(2 * static_cast<std::uint64_t>(keys_.size()) + 2);
  shift_ = 64 - std::countr_zero(slots);
  slots_.assign(slots, -1);
  for (std::size_t block = 0; block < keys_.size(); ++block) {
    std::uint64_t slot = mixed(keys_[block]) >> shift_;
    while (slots_[slot] >= 0) slot = (slot + 1) & (slots - 1);
    slots_[slot] = static_cast<std::int32_t>(block);
  }
}

std::int32_t BlockSet::find(const Vec3i& block) const {
  if (slots_.empty()) return -1;
  const std::uint64_t key = block_key(block);
  std::uint64_t slot = mixed(key) >> shift_;
  while (slots_[slot] >= 0 && keys_[static_cast<std::size_t>(slots_[slot])] != key) {
    slot = (slot + 1) & (slots_.size() - 1);
  }
  return slots_[slot];
}

std::int32_t BlockSet::previous_in_row(const Vec3i& block) const {
  const auto after = std::lower_bound(keys_.begin(), keys_.end(), block_key(block));
  if (after == keys_.begin()) return -1;
  const auto previous = static_cast<std::int32_t>(after - keys_.begin() - 1);
  const Vec3i found = coordinate(previous);
  return found.y() == block.y() && found.z() == block.z() ? previous : -1;
}

BlockSet::Neighborhood BlockSet::neighborhood(const Vec3i& center) const {
  Neighborhood result;
  std::size_t entry = 0;
  for (int dz = -1; dz <= 1; ++dz) {
    for (int dy = -1; dy <= 1; ++dy) {
      std::int32_t found = -1;
      for (int dx = -1; dx <= 1; ++dx) {
        const Vec3i block = center + Vec3i(dx, dy, dz);
        if (found < 0) {
          found = find(block);
        } else {
          // In scan order it comes next, or not at all.
          ++found;
          const bool is_there =
              found < size() && keys_[static_cast<std::size_t>(found)] == block_key(block);
          if (!is_there) found = -1;
        }
        result[entry++] = found;
      }
    }
  }
  return result;
}

std::vector<std::int32_t> BlockSet::row_starts() const {
  std::vector<std::int32_t> starts;
  for (std::size_t block = 0; block < keys_.size(); ++block) {
    if (block == 0 || keys_[block] >> 21 != keys_[block - 1] >> 21) {
      starts.push_back(static_cast<std::int32_t>(block));
    }
  }
  starts.push_back(static_cast<std::int32_t>(keys_.size()));
  return starts;
}

}  // namespace spindrift
