// Morton order: cells that are close in space are mostly close in the order.
#pragma once

#include <cstdint>

#include "spindrift/core/vec.hpp"

namespace spindrift {

// The bits of x, y and z in turn, x lowest. Coordinates from -2^20 to 2^20 - 1.
[[nodiscard]] inline std::uint64_t morton_key(const Vec3i& cell) {
  const auto spread = [](int coordinate) {
    auto bits = static_cast<std::uint64_t>(coordinate + (1 << 20)) & 0x1fffff;
    bits = (bits | bits << 32) & 0x001f00000000ffffULL;
    bits = (bits | bits << 16) & 0x001f0000ff0000ffULL;
    bits = (bits | bits << 8) & 0x100f00f00f00f00fULL;
    bits = (bits | bits << 4) & 0x10c30c30c30c30c3ULL;
    return (bits | bits << 2) & 0x1249249249249249ULL;
  };
  return spread(cell.x()) | spread(cell.y()) << 1 | spread(cell.z()) << 2;
}

}  // namespace spindrift
