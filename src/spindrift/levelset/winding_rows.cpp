#include "spindrift/levelset/winding_rows.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "spindrift/core/parallel.hpp"
#include "spindrift/levelset/line_crossing.hpp"

namespace spindrift {
namespace {

constexpr int kLines = kBlockSide * kBlockSide;  // rows of nodes in a block

// A small number for each line of a block, line y + 8 z.
using LineNumbers = std::array<std::int16_t, kLines>;

// The changes of the winding number at the nodes of a block.
struct Crossings {
  std::array<LineNumbers, kBlockSide> at{};  // at each x
  bool none = true;

  void add(int x, int line, int change) {
    std::int16_t& number = at[static_cast<std::size_t>(x)][static_cast<std::size_t>(line)];
    number = static_cast<std::int16_t>(number + change);
    none = false;
  }
};

// Adds the crossings of one triangle with the rows of the block whose first node is `first` (from
// the base).
void add_crossings(const FixedSurface& surface, std::int64_t triangle, const Vec3i& first,
                   Crossings& crossings) {
  // x from the base: so it is rounded alike for every block.
  SeenTriangle seen;
  for (int k = 0; k < 3; ++k) {
    const FixedPoint p = surface.corner(triangle, k);
    seen[static_cast<std::size_t>(k)] = {p[1] - (std::int64_t{first.y()} << surface.bits),
                                         p[2] - (std::int64_t{first.z()} << surface.bits), p[0]};
  }
  const LineRange rows = {.first = 0, .end = kBlockSide, .step = 1};
  for_each_crossing(seen, surface.bits, rows, [&](int y, int z, const LineCrossing& crossing) {
    const int node = static_cast<int>(std::ceil(std::ldexp(crossing.w, -surface.bits))) - first.x();
    if (node < 0 || node >= kBlockSide) return;
    // A row leaves through a triangle that faces along it.
    crossings.add(node, y | z << 3, -crossing.facing);
  });
}

// The nodes of a block are crossed by triangles of its own bin, and by those of the bin before it
// in x that end between its last cell layer's nodes and ours.
void block_crossings(const FixedSurface& surface, const TriangleBins& bins, const Vec3i& block,
                     Crossings& crossings) {
  const Vec3i first = kBlockSide * block - surface.base;
  if (const std::int32_t bin = bins.blocks.find(block); bin >= 0) {
    for (std::int32_t i = bins.starts[static_cast<std::size_t>(bin)];
         i < bins.starts[static_cast<std::size_t>(bin) + 1]; ++i) {
      add_crossings(surface, bins.triangles[static_cast<std::size_t>(i)], first, crossings);
    }
  }
  if (const std::int32_t bin = bins.blocks.find(block - Vec3i(1, 0, 0)); bin >= 0) {
    for (std::int32_t i = bins.starts[static_cast<std::size_t>(bin)];
         i < bins.starts[static_cast<std::size_t>(bin) + 1]; ++i) {
      // Higher ones are in our own bin too.
      if (bins.high[0][static_cast<std::size_t>(i)] != kBlockSide) continue;
      add_crossings(surface, bins.triangles[static_cast<std::size_t>(i)], first, crossings);
    }
  }
}

// Steps through a block in x. `winding` holds the numbers before it, and then those behind it.
BlockMask step_through(const Crossings& crossings, LineNumbers& winding) {
  // A mask has one byte for each line, in which bit x stands for node x.
  static_assert(std::endian::native == std::endian::little);
  std::array<std::uint8_t, kLines> inside{};
  if (crossings.none) {
    for (std::size_t i = 0; i < kLines; ++i) inside[i] = winding[i] > 0 ? 0xff : 0;
    return std::bit_cast<BlockMask>(inside);
  }
  for (std::size_t x = 0; x < kBlockSide; ++x) {
    for (std::size_t i = 0; i < kLines; ++i) {
      winding[i] = static_cast<std::int16_t>(winding[i] + crossings.at[x][i]);
      inside[i] = static_cast<std::uint8_t>(inside[i] | (winding[i] > 0 ? 1U << x : 0U));
    }
  }
  return std::bit_cast<BlockMask>(inside);
}

}  // namespace

InsideNodes inside_nodes(const FixedSurface& surface, const TriangleBins& bins,
                         const BlockSet& blocks) {
  InsideNodes inside;
  inside.masks.resize(static_cast<std::size_t>(blocks.size()));
  const std::vector<std::int32_t> rows = blocks.row_starts();
  constexpr std::int64_t kRowsAtOnce = 4;
  inside.open_rows = parallel_reduce_chunks(
      std::ssize(rows) - 1, kRowsAtOnce, std::int64_t{0},
      [&](std::int64_t begin, std::int64_t end) {
        std::int64_t open = 0;
        for (std::int64_t row = begin; row < end; ++row) {
          LineNumbers winding{};
          for (std::int32_t block = rows[static_cast<std::size_t>(row)];
               block < rows[static_cast<std::size_t>(row) + 1]; ++block) {
            Crossings crossings;
            block_crossings(surface, bins, blocks.coordinate(block), crossings);
            inside.masks[static_cast<std::size_t>(block)] = step_through(crossings, winding);
          }
          open += std::count_if(winding.begin(), winding.end(), [](int w) { return w != 0; });
        }
        return open;
      },
      [](std::int64_t a, std::int64_t b) { return a + b; });
  return inside;
}

}  // namespace spindrift
