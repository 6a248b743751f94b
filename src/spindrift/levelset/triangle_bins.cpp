#include "spindrift/levelset/triangle_bins.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

#include "spindrift/core/parallel.hpp"
#include "spindrift/core/simd.hpp"
#include "spindrift/levelset/block_numbers.hpp"

namespace spindrift {
namespace {

// Thirty-two small numbers, compared at a time.
using Bytes32 = std::int8_t __attribute__((vector_size(32)));
Bytes32 load_bytes(const std::int8_t* from) {
  Bytes32 bytes;
  __builtin_memcpy(&bytes, from, sizeof bytes);
  return bytes;
}
std::uint32_t true_bytes(Bytes32 mask) {
#ifdef __AVX2__
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(reinterpret_cast<__m256i>(mask)));
#else
  std::uint32_t bits = 0;
  for (int k = 0; k < 32; ++k) bits |= static_cast<std::uint32_t>(mask[k] & 1) << k;
  return bits;
#endif
}

// A triangle in one of the blocks that its box touches.
struct Entry {
  std::int32_t triangle = 0;
  std::int32_t block = 0;  // of those that its range of triangles touches
  std::array<std::int8_t, 3> low{}, high{};
};

// The entries of consecutive triangles.
struct Range {
  BlockNumbers blocks;
  std::vector<Entry> entries;

  // The box is rounded outwards to whole nodes. Its highest node belongs to the cells before it as
  // well: a box that ends on the first node of a block does not reach into it.
  void add(const FixedSurface& surface, const Vec3i& base_block, std::int64_t triangle) {
    const FixedPoint a = surface.corner(triangle, 0);
    const FixedPoint b = surface.corner(triangle, 1);
    const FixedPoint c = surface.corner(triangle, 2);
    const int unit = (1 << surface.bits) - 1;
    Vec3i low, high, first, last;
    for (int axis = 0; axis < 3; ++axis) {
      const auto i = static_cast<std::size_t>(axis);
      low[axis] = std::min({a[i], b[i], c[i]}) >> surface.bits;
      high[axis] = (std::max({a[i], b[i], c[i]}) + unit) >> surface.bits;
      first[axis] = low[axis] >> 3;
      last[axis] = std::max(low[axis], high[axis] - 1) >> 3;
    }
    for (int z = first.z(); z <= last.z(); ++z) {
      for (int y = first.y(); y <= last.y(); ++y) {
        for (int x = first.x(); x <= last.x(); ++x) {
          const Vec3i block(x, y, z);
          Entry entry = {.triangle = static_cast<std::int32_t>(triangle),
                         .block = blocks.number(block_key(base_block + block))};
          for (int axis = 0; axis < 3; ++axis) {
            const auto i = static_cast<std::size_t>(axis);
            entry.low[i] = static_cast<std::int8_t>(low[axis] - kBlockSide * block[axis]);
            entry.high[i] = static_cast<std::int8_t>(high[axis] - kBlockSide * block[axis]);
          }
          entries.push_back(entry);
        }
      }
    }
  }
};

}  // namespace

// A counting sort over a few contiguous ranges of triangles: each range knows its places in every
// bin.
TriangleBins bin_triangles(const FixedSurface& surface) {
  TriangleBins bins;
  const Vec3i base_block = block_of_node(surface.base);
  const std::int64_t count = std::ssize(surface.triangles);
  constexpr std::int64_t kRanges = 16;
  const std::int64_t length = std::max<std::int64_t>(1, chunk_count(count, kRanges));
  std::vector<Range> ranges(static_cast<std::size_t>(chunk_count(count, length)));
  parallel_for_chunks(count, length, [&](std::int64_t begin, std::int64_t end) {
    Range& range = ranges[static_cast<std::size_t>(begin / length)];
    range.entries.reserve(static_cast<std::size_t>(3 * (end - begin) / 2));
    for (std::int64_t t = begin; t < end; ++t) range.add(surface, base_block, t);
  });
  std::vector<std::uint64_t> keys;
  for (const Range& range : ranges) {
    keys.insert(keys.end(), range.blocks.keys.begin(), range.blocks.keys.end());
  }
  bins.blocks = BlockSet(std::move(keys));

  // Where the next entry of each range goes, by the range's own numbers of blocks.
  std::vector<std::vector<std::int32_t>> next(ranges.size());
  parallel_for_each(
      std::ssize(ranges),
      [&](std::int64_t r) {
        const Range& range = ranges[static_cast<std::size_t>(r)];
        std::vector<std::int32_t>& counts = next[static_cast<std::size_t>(r)];
        counts.assign(range.blocks.keys.size(), 0);
        for (const Entry& entry : range.entries) ++counts[static_cast<std::size_t>(entry.block)];
      },
      1);
  bins.starts.assign(static_cast<std::size_t>(bins.blocks.size()) + 1, 0);
  for (std::size_t r = 0; r < ranges.size(); ++r) {
    // A bin's entries so far, and those of this range behind them.
    for (std::size_t b = 0; b < next[r].size(); ++b) {
      const std::int32_t block = bins.blocks.find(block_of_key(ranges[r].blocks.keys[b]));
      std::int32_t& size = bins.starts[static_cast<std::size_t>(block) + 1];
      size += std::exchange(next[r][b], size);
    }
  }
  std::partial_sum(bins.starts.begin(), bins.starts.end(), bins.starts.begin());
  const auto total = static_cast<std::size_t>(bins.starts.back());

  bins.triangles.resize(total);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    bins.low[axis].resize(total + TriangleBins::kPadding);
    bins.high[axis].resize(total + TriangleBins::kPadding);
  }
  parallel_for_each(
      std::ssize(ranges),
      [&](std::int64_t r) {
        const Range& range = ranges[static_cast<std::size_t>(r)];
        std::vector<std::int32_t>& places = next[static_cast<std::size_t>(r)];
        for (std::size_t b = 0; b < places.size(); ++b) {
          const std::int32_t block = bins.blocks.find(block_of_key(range.blocks.keys[b]));
          places[b] += bins.starts[static_cast<std::size_t>(block)];
        }
        for (const Entry& entry : range.entries) {
          const auto place =
              static_cast<std::size_t>(places[static_cast<std::size_t>(entry.block)]++);
          bins.triangles[place] = entry.triangle;
          for (std::size_t axis = 0; axis < 3; ++axis) {
            bins.low[axis][place] = entry.low[axis];
            bins.high[axis][place] = entry.high[axis];
          }
        }
      },
      1);
  return bins;
}

void TriangleBins::add_near(std::int32_t bin, const Vec3i& least, const Vec3i& most,
                            const Eigen::Array<bool, 3, 1>& begins,
                            std::vector<std::int32_t>& found) const {
  const std::int32_t begin = starts[static_cast<std::size_t>(bin)];
  const std::int32_t end = starts[static_cast<std::size_t>(bin) + 1];
  const auto splat = [](int value) { return Bytes32{} + static_cast<std::int8_t>(value); };
  for (std::int32_t i = begin; i < end; i += 32) {
    Bytes32 keep = ~Bytes32{};
    for (int axis = 0; axis < 3; ++axis) {
      const Bytes32 from = load_bytes(low[static_cast<std::size_t>(axis)].data() + i);
      const Bytes32 to = load_bytes(high[static_cast<std::size_t>(axis)].data() + i);
      keep &= (from <= splat(most[axis])) & (to >= splat(least[axis]));
      if (begins[axis]) keep &= from >= splat(0);
    }
    std::uint32_t bits = true_bytes(keep);
    if (end - i < 32) bits &= (std::uint32_t{1} << (end - i)) - 1;
    for (; bits != 0; bits &= bits - 1) {
      const std::int32_t place = i + std::countr_zero(bits);
      found.push_back(triangles[static_cast<std::size_t>(place)]);
    }
  }
}

BlockSet blocks_within(const TriangleBins& bins, float reach) {
  const int nodes = static_cast<int>(std::ceil(reach));
  constexpr std::int64_t kChunk = 256;
  return BlockSet(parallel_reduce_chunks(
      bins.blocks.size(), kChunk, std::vector<std::uint64_t>{},
      [&](std::int64_t begin, std::int64_t end) {
        std::vector<std::uint64_t> keys;
        for (std::int64_t b = begin; b < end; ++b) {
          std::array<int, 3> first{};
          std::array<int, 3> last{};
          const auto from = bins.starts[static_cast<std::size_t>(b)];
          const auto to = bins.starts[static_cast<std::size_t>(b) + 1];
          for (std::size_t axis = 0; axis < 3; ++axis) {
            const int low =
                *std::min_element(bins.low[axis].begin() + from, bins.low[axis].begin() + to);
            const int high =
                *std::max_element(bins.high[axis].begin() + from, bins.high[axis].begin() + to);
            first[axis] = std::max(-1, (low - nodes) >> 3);
            last[axis] = std::min(1, (high + nodes) >> 3);
          }
          const Vec3i center = bins.blocks.coordinate(b);
          for (int z = first[2]; z <= last[2]; ++z) {
            for (int y = first[1]; y <= last[1]; ++y) {
              for (int x = first[0]; x <= last[0]; ++x) {
                keys.push_back(block_key(center + Vec3i(x, y, z)));
              }
            }
          }
        }
        std::sort(keys.begin(), keys.end());
        keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
        return keys;
      },
      [](std::vector<std::uint64_t> all, const std::vector<std::uint64_t>& part) {
        all.insert(all.end(), part.begin(), part.end());
        return all;
      }));
}

}  // namespace spindrift
