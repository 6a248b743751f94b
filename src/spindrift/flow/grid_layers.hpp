// A VelocityGrid's nodes farther out.
#pragma once

#include "spindrift/flow/velocity_grid.hpp"

namespace spindrift {

// Gives nodes next to known ones the mean of these, so many times.
void add_layers(int count, GridNodes& nodes);

// Nodes that are still unknown are not a number.
void forget_unknown(GridNodes& nodes);

// Nodes in solids move at least as fast out of the solid as the solid itself.
void keep_out_of_solids(const SolidMotion& solids, GridNodes& nodes);

}  // namespace spindrift
