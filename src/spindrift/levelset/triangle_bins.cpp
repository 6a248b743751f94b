#include "spindrift/levelset/triangle_bins.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "spindrift/core/parallel.hpp"

namespace spindrift {
namespace {

// In nodes from the base, rounded outwards. Small: it is read three times for each triangle.
struct NodeBox {
  std::array<int, 3> low;
  std::array<std::int8_t, 3> size;

  [[nodiscard]] int high(std::size_t axis) const { return low[axis] + size[axis]; }
};

NodeBox node_box(const FixedSurface& surface, std::int64_t triangle) {
  const FixedPoint a = surface.corner(triangle, 0);
  const FixedPoint b = surface.corner(triangle, 1);
  const FixedPoint c = surface.corner(triangle, 2);
  const int unit = (1 << surface.bits) - 1;
  NodeBox box{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    box.low[axis] = std::min({a[axis], b[axis], c[axis]}) >> surface.bits;
    const int high = (std::max({a[axis], b[axis], c[axis]}) + unit) >> surface.bits;
    box.size[axis] = static_cast<std::int8_t>(high - box.low[axis]);
  }
  return box;
}

// Calls visit(block coordinate) for every block that holds a part of the box. The highest node
// belongs to the cells before it as well: a box that ends on the first node of a block does not
// reach into it.
template <class Visit>
void for_each_block(const NodeBox& box, const Vec3i& base_block, const Visit& visit) {
  std::array<int, 3> first{};
  std::array<int, 3> last{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    first[axis] = box.low[axis] >> 3;
    last[axis] = std::max(box.low[axis], box.high(axis) - 1) >> 3;
  }
  for (int z = first[2]; z <= last[2]; ++z) {
    for (int y = first[1]; y <= last[1]; ++y) {
      for (int x = first[0]; x <= last[0]; ++x) visit(Vec3i(base_block + Vec3i(x, y, z)));
    }
  }
}

// Finds blocks; neighbouring triangles mostly ask for the one before again.
class BlockFinder {
 public:
  explicit BlockFinder(const BlockSet& blocks) : blocks_(blocks) {}
  std::size_t find(const Vec3i& block) {
    const std::uint64_t key = block_key(block);
    if (key != key_) {
      key_ = key;
      found_ = static_cast<std::size_t>(blocks_.find(block));
    }
    return found_;
  }

 private:
  const BlockSet& blocks_;
  std::uint64_t key_ = ~std::uint64_t{0};
  std::size_t found_ = 0;
};

// Keys of the blocks that the boxes touch, each once.
std::vector<std::uint64_t> touched_keys(std::span<const NodeBox> boxes, const Vec3i& base_block) {
  std::vector<std::uint64_t> keys;
  std::uint64_t last = ~std::uint64_t{0};
  for (const NodeBox& box : boxes) {
    for_each_block(box, base_block, [&](const Vec3i& block) {
      const std::uint64_t key = block_key(block);
      if (key != last) keys.push_back(last = key);
    });
  }
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

}  // namespace

TriangleBins bin_triangles(const FixedSurface& surface) {
  TriangleBins bins;
  const Vec3i base_block = block_of_node(surface.base);
  const std::int64_t count = std::ssize(surface.triangles);
  std::vector<NodeBox> boxes(static_cast<std::size_t>(count));
  constexpr std::int64_t kKeyChunk = 1 << 13;
  bins.blocks = BlockSet(parallel_reduce_chunks(
      count, kKeyChunk, std::vector<std::uint64_t>{},
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t t = begin; t < end; ++t) {
          boxes[static_cast<std::size_t>(t)] = node_box(surface, t);
        }
        return touched_keys(std::span(boxes).subspan(static_cast<std::size_t>(begin),
                                                     static_cast<std::size_t>(end - begin)),
                            base_block);
      },
      [](std::vector<std::uint64_t> all, const std::vector<std::uint64_t>& part) {
        all.insert(all.end(), part.begin(), part.end());
        return all;
      }));

  // A counting sort over a few contiguous ranges of triangles: each range knows its places in every
  // bin.
  constexpr std::int64_t kRanges = 16;
  const std::int64_t range = std::max<std::int64_t>(1, chunk_count(count, kRanges));
  const std::int64_t ranges = chunk_count(count, range);
  const auto blocks = static_cast<std::size_t>(bins.blocks.size());
  std::vector<std::vector<std::int32_t>> places(static_cast<std::size_t>(ranges));
  parallel_for_chunks(count, range, [&](std::int64_t begin, std::int64_t end) {
    std::vector<std::int32_t>& counts = places[static_cast<std::size_t>(begin / range)];
    counts.assign(blocks, 0);
    BlockFinder finder(bins.blocks);
    for (std::int64_t t = begin; t < end; ++t) {
      for_each_block(node_box(surface, t), base_block,
                     [&](const Vec3i& block) { ++counts[finder.find(block)]; });
    }
  });
  bins.starts.resize(blocks + 1);
  std::int32_t total = 0;
  for (std::size_t b = 0; b < blocks; ++b) {
    bins.starts[b] = total;
    for (std::vector<std::int32_t>& counts : places) {
      const std::int32_t here = counts[b];
      counts[b] = total;
      total += here;
    }
  }
  bins.starts[blocks] = total;

  bins.triangles.resize(static_cast<std::size_t>(total));
  for (std::size_t axis = 0; axis < 3; ++axis) {
    bins.low[axis].resize(static_cast<std::size_t>(total) + TriangleBins::kPadding);
    bins.high[axis].resize(static_cast<std::size_t>(total) + TriangleBins::kPadding);
  }
  parallel_for_chunks(count, range, [&](std::int64_t begin, std::int64_t end) {
    std::vector<std::int32_t>& next = places[static_cast<std::size_t>(begin / range)];
    BlockFinder finder(bins.blocks);
    for (std::int64_t t = begin; t < end; ++t) {
      const NodeBox& box = boxes[static_cast<std::size_t>(t)];
      for_each_block(box, base_block, [&](const Vec3i& block) {
        const std::size_t b = finder.find(block);
        const auto place = static_cast<std::size_t>(next[b]++);
        bins.triangles[place] = static_cast<std::int32_t>(t);
        for (std::size_t axis = 0; axis < 3; ++axis) {
          const int first =
              kBlockSide * (block[static_cast<int>(axis)] - base_block[static_cast<int>(axis)]);
          bins.low[axis][place] = static_cast<std::int8_t>(box.low[axis] - first);
          bins.high[axis][place] = static_cast<std::int8_t>(box.high(axis) - first);
        }
      });
    }
  });
  return bins;
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
