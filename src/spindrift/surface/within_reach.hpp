// Places that liquid may come to.
#pragma once

#include <span>

#include "spindrift/levelset/lattice.hpp"

namespace spindrift {

// Throws Error of kind `numerical` if a place is not a number, or absurdly far off the lattice's
// origin. That is a failure of the flow: better to stop than to lose the liquid.
void expect_within_reach(std::span<const Vec3> places, const Lattice& lattice);

}  // namespace spindrift
