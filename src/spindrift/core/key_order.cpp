#include "spindrift/core/key_order.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "spindrift/core/parallel.hpp"

namespace spindrift {
namespace {

constexpr std::int64_t kChunk = 1 << 16;
constexpr int kMostDigitBits = 12;

struct KeyRange {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max(), greatest = 0;
};

KeyRange range_of(std::span<const std::uint64_t> keys) {
  return parallel_reduce_chunks(
      std::ssize(keys), kChunk, KeyRange(),
      [&](std::int64_t begin, std::int64_t end) {
        KeyRange range;
        for (std::int64_t i = begin; i < end; ++i) {
          range.least = std::min(range.least, keys[static_cast<std::size_t>(i)]);
          range.greatest = std::max(range.greatest, keys[static_cast<std::size_t>(i)]);
        }
        return range;
      },
      [](const KeyRange& a, const KeyRange& b) {
        return KeyRange{std::min(a.least, b.least), std::max(a.greatest, b.greatest)};
      });
}

template <class Key>
struct Keyed {
  Key key;
  std::int32_t index;
};

// A stable sort by one digit.
template <class Key>
void sort_by_digit(const Buffer<Keyed<Key>>& from, int shift, int bits, Buffer<Keyed<Key>>& to) {
  const std::size_t digits = std::size_t{1} << bits;
  const auto digit = [&](const Keyed<Key>& item) {
    return static_cast<std::size_t>(item.key >> shift) & (digits - 1);
  };
  const std::int64_t count = std::ssize(from);
  std::vector<std::vector<std::int32_t>> places(
      static_cast<std::size_t>(chunk_count(count, kChunk)));
  parallel_for_chunks(count, kChunk, [&](std::int64_t begin, std::int64_t end) {
    auto& counts = places[static_cast<std::size_t>(begin / kChunk)];
    counts.assign(digits, 0);
    for (std::int64_t i = begin; i < end; ++i) ++counts[digit(from[static_cast<std::size_t>(i)])];
  });
  std::int32_t next = 0;
  for (std::size_t d = 0; d < digits; ++d) {
    for (auto& counts : places) next += std::exchange(counts[d], next);
  }
  parallel_for_chunks(count, kChunk, [&](std::int64_t begin, std::int64_t end) {
    auto& place = places[static_cast<std::size_t>(begin / kChunk)];
    for (std::int64_t i = begin; i < end; ++i) {
      const Keyed<Key>& item = from[static_cast<std::size_t>(i)];
      to[static_cast<std::size_t>(place[digit(item)]++)] = item;
    }
  });
}

// With keys less the least of them, which has room for `bits`.
template <class Key>
KeyOrder order_of(std::span<const std::uint64_t> keys, std::uint64_t least, int bits) {
  Buffer<Keyed<Key>> items(keys.size());
  Buffer<Keyed<Key>> sorted(keys.size());
  parallel_for_each(std::ssize(keys), [&](std::int64_t i) {
    const auto k = static_cast<std::size_t>(i);
    items[k] = {static_cast<Key>(keys[k] - least), static_cast<std::int32_t>(i)};
  });
  const int passes = (bits + kMostDigitBits - 1) / kMostDigitBits;
  const int digit_bits = (bits + passes - 1) / passes;
  for (int pass = 0; pass < passes; ++pass) {
    sort_by_digit(items, pass * digit_bits, digit_bits, sorted);
    std::swap(items, sorted);
  }
  KeyOrder order;
  order.indices.resize(keys.size());
  order.keys.resize(keys.size());
  parallel_for_each(std::ssize(keys), [&](std::int64_t i) {
    const Keyed<Key>& item = items[static_cast<std::size_t>(i)];
    order.indices[static_cast<std::size_t>(i)] = item.index;
    order.keys[static_cast<std::size_t>(i)] = item.key + least;
  });
  return order;
}

}  // namespace

KeyOrder key_order(std::span<const std::uint64_t> keys) {
  if (std::is_sorted(keys.begin(), keys.end())) {
    KeyOrder order;
    order.indices.resize(keys.size());
    std::iota(order.indices.begin(), order.indices.end(), 0);
    order.keys.assign(keys.begin(), keys.end());
    return order;
  }
  const KeyRange range = range_of(keys);
  const auto bits = static_cast<int>(std::bit_width(range.greatest - range.least));
  // Half the memory to move wherever keys are near each other, as those of a liquid are.
  return bits <= std::numeric_limits<std::uint32_t>::digits
             ? order_of<std::uint32_t>(keys, range.least, bits)
             : order_of<std::uint64_t>(keys, range.least, bits);
}

}  // namespace spindrift
