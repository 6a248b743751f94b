// What moving obstacles cut off a liquid.
//
// Pressure pushes liquid out of their way, but not all of it: where there is no room between an
// obstacle and a wall, or where it turns farther in a step than velocities say. Per node of the
// lattice,
//
//   cut = max(0, liquid that the flow brings there - room that solids leave there)
//
// both as shares of the cube around the node. Liquid that moves with the solid is not cut.
#pragma once

#include "spindrift/bodies/solids.hpp"
#include "spindrift/levelset/lattice.hpp"

namespace spindrift {

// The liquid before a step, and how it moves in it.
struct LiquidStep {
  const ScalarField& distance;  // m
  const VelocityField& paths;
  double dt = 0;  // s
};

// m^3, in `box`. `speed`: of the solids there, m/s.
[[nodiscard]] double cut_by_obstacles(const LiquidStep& liquid, const SolidsAt& before,
                                      const SolidsAt& after, const Box3& box, double speed,
                                      const Lattice& lattice);

}  // namespace spindrift
