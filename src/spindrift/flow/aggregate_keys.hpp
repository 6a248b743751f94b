// Keys by which the multigrid finds neighbouring unknowns.
#pragma once

#include <span>

#include "spindrift/core/buffer.hpp"
#include "spindrift/core/vec.hpp"

namespace spindrift {

// Morton codes of the cubes of side `side` metres that the points lie in.
[[nodiscard]] Buffer<std::uint64_t> aggregate_keys(std::span<const Vec3> points, double side);

// The side of cubes that hold about `count` of things that take up `volume` each. The median of
// volumes is that of the finest cells: most are.
[[nodiscard]] double aggregate_side(std::span<const double> volumes, double count);

}  // namespace spindrift
