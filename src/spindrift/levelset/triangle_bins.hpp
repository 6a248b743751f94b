// The triangles of a surface, sorted into the blocks that their boxes touch.
//
// A bin lists its triangles in ascending order, whatever the number of threads. Beside each one
// stands its box in whole nodes, relative to the block, in bytes: thirty-two of them are compared
// at a time.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "spindrift/core/buffer.hpp"
#include "spindrift/levelset/block_set.hpp"
#include "spindrift/levelset/fixed_surface.hpp"

namespace spindrift {

struct TriangleBins {
  static constexpr std::size_t kPadding =
      32;  // bytes behind the last box, so that loads may go past it

  BlockSet blocks;
  std::vector<std::int32_t> starts;  // bin b is [starts[b], starts[b+1])
  Buffer<std::int32_t> triangles;    // of all bins
  // Lowest and highest corner of the box, rounded outwards, from the first node of the block.
  std::array<Buffer<std::int8_t>, 3> low, high;

  // Appends the triangles of a bin whose boxes have a part between the nodes `least` and `most`
  // (from the first node of the block, less than 100 away). Along the axes of `begins` only those
  // that do not come from the block before: who looks into several bins finds each triangle once if
  // this is set in all but the lowest ones.
  void add_near(std::int32_t bin, const Vec3i& least, const Vec3i& most,
                const Eigen::Array<bool, 3, 1>& begins, std::vector<std::int32_t>& found) const;
};

[[nodiscard]] TriangleBins bin_triangles(const FixedSurface& surface);

// The blocks that have a node within `reach` (at most 8, lattice units) of the box of a triangle.
[[nodiscard]] BlockSet blocks_within(const TriangleBins& bins, float reach);

}  // namespace spindrift
