// Liquid that flies into a solid within one step.
//
// A step may be longer than the way to a wall. What would be beyond the wall at its end is cut off
// there, and would be lost: up to a cell or two of every wave that hits something. In truth it
// stops and spreads. So its volume is measured, where it is, and put back as a divergence of the
// cells there in the next projection, which makes them spread.
#pragma once

#include <vector>

#include "spindrift/bodies/solids.hpp"
#include "spindrift/core/buffer.hpp"
#include "spindrift/levelset/block_set.hpp"
#include "spindrift/levelset/lattice.hpp"
#include "spindrift/mesh/cell_mesh.hpp"
#include "spindrift/surface/tracker.hpp"

namespace spindrift {

// In a block of the lattice.
struct SolidImpact {
  Vec3i block = Vec3i::Zero();
  double volume = 0;  // m^3
};

// What the flow carries from outside of solids into them in a step of dt. `liquid` is the surface
// before it.
[[nodiscard]] std::vector<SolidImpact> find_impacts(const Tracker& liquid, const Lattice& lattice,
                                                    const VelocityField& paths, double dt,
                                                    const SolidsAt& before, const SolidsAt& after);

// Adds what makes the cells around the impacts give their volume off in `dt`: 1/s. Returns the
// volume of those with cells around them, m^3.
double spread_impacts(const std::vector<SolidImpact>& impacts, const Lattice& lattice,
                      const CellMesh& cells, double dt, std::span<double> divergence);

}  // namespace spindrift
