#include "spindrift/levelset/winding_rows.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "spindrift/core/parallel.hpp"

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

// Twice the signed area of (p, q, row) in the y-z plane. The row is taken as moved by (e, e^2) with
// an infinitesimal e, so that the result has a sign even if the row meets the edge. Only an edge of
// no length in this plane has none.
struct EdgeSide {
  std::int64_t area;
  int sign;
};
EdgeSide edge_side(const FixedPoint& p, const FixedPoint& q, std::int64_t y, std::int64_t z) {
  const std::int64_t dy = std::int64_t{q[1]} - p[1];
  const std::int64_t dz = std::int64_t{q[2]} - p[2];
  const std::int64_t area = dy * (z - p[2]) - dz * (y - p[1]);
  const auto sign = [](std::int64_t value) { return (value > 0) - (value < 0); };
  if (area != 0) return {area, sign(area)};
  return {0, dz != 0 ? -sign(dz) : sign(dy)};
}

// Adds the crossings of one triangle with the rows of the block whose first node is `first` (from
// the base).
void add_crossings(const FixedSurface& surface, std::int64_t triangle, const Vec3i& first,
                   Crossings& crossings) {
  const FixedPoint a = surface.corner(triangle, 0);
  const FixedPoint b = surface.corner(triangle, 1);
  const FixedPoint c = surface.corner(triangle, 2);
  const int unit = (1 << surface.bits) - 1;
  const auto first_row = [&](std::size_t axis) {
    const int low = (std::min({a[axis], b[axis], c[axis]}) + unit) >> surface.bits;
    return std::max(low, first[static_cast<int>(axis)]);
  };
  // Rows are moved up by an infinitesimal amount: one that meets the highest corner misses the
  // triangle.
  const auto end_row = [&](std::size_t axis) {
    const int high = (std::max({a[axis], b[axis], c[axis]}) + unit) >> surface.bits;
    return std::min(high, first[static_cast<int>(axis)] + kBlockSide);
  };
  const int y_end = end_row(1);
  const int z_end = end_row(2);
  for (int k = first_row(2); k < z_end; ++k) {
    for (int j = first_row(1); j < y_end; ++j) {
      const std::int64_t y = std::int64_t{j} << surface.bits;
      const std::int64_t z = std::int64_t{k} << surface.bits;
      const EdgeSide ab = edge_side(a, b, y, z);
      const EdgeSide bc = edge_side(b, c, y, z);
      if (ab.sign * bc.sign <= 0) continue;
      const EdgeSide ca = edge_side(c, a, y, z);
      if (ca.sign != ab.sign) continue;
      const auto total = static_cast<double>(ab.area + bc.area + ca.area);
      const double x = (static_cast<double>(bc.area) * a[0] + static_cast<double>(ca.area) * b[0] +
                        static_cast<double>(ab.area) * c[0]) /
                       total;
      // Rounded past the triangle's last node it would be in none of the triangle's bins.
      const double most = std::max({a[0], b[0], c[0]});
      const int node =
          static_cast<int>(std::ceil(std::ldexp(std::min(x, most), -surface.bits))) - first.x();
      if (node < 0 || node >= kBlockSide) continue;
      // A positive area in the y-z plane: the triangle faces +x, and the row leaves.
      crossings.add(node, (j - first.y()) | (k - first.z()) << 3, -ab.sign);
    }
  }
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
