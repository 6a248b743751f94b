// What leaves a liquid through openings in a step.
//
// The tracker finds liquid where it was a step ago, along the paths. What it no longer finds is
// what ends in an opening when it follows them: that is counted, place by place, outside of
// solids.
#pragma once

#include <span>
#include <vector>

#include "spindrift/bodies/solids.hpp"
#include "spindrift/levelset/lattice.hpp"
#include "spindrift/surface/tracker.hpp"

namespace spindrift {

// A liquid before a step.
struct FlowingLiquid {
  const VelocityField& paths;
  const ScalarField& distance;
  Box3 box;         // of its surface
  double way = 0;   // m, no part of it goes farther
  double dt = 0;    // s
  Lattice lattice;  // of the surface
};

// Negative volumes with the places that they leave, in cubes of a few voxels, through those of the
// edits that take liquid away. What ends in several of them leaves through the first.
[[nodiscard]] std::vector<EditedVolume> outflow(const FlowingLiquid& liquid,
                                                std::span<const SurfaceEdit> edits,
                                                const SolidsAt& solids);

}  // namespace spindrift
