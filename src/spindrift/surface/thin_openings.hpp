// Thin liquid at sinks and open sides, where it is taken away.
//
// What goes through an opening is known from the flow there. Particles alone would not tell: after
// each step they are put anew to where thin parts are, which is inside of the opening's edge, and
// liquid that moves less than that in a step would never leave.
#pragma once

#include <span>
#include <vector>

#include "spindrift/surface/tracker.hpp"

namespace spindrift {

// Takes away what particles carry of the `outflow` through all edits that take liquid away, and all
// particles and droplets that are in them. Returns what was taken of droplets: of the rest it is
// known already.
[[nodiscard]] std::vector<EditedVolume> take_away(std::span<const SurfaceEdit> edits,
                                                  std::span<const EditedVolume> outflow,
                                                  const Lattice& lattice, MovedThinLiquid& thin);

// Thin parts do not grow into where edits take liquid away.
void stay_out(std::span<const SurfaceEdit> edits, double voxel, ThinLiquid& thin);

}  // namespace spindrift
