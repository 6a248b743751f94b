// Points on contact lines, where the liquid's surface meets a smooth solid.
#pragma once

#include <vector>

#include "spindrift/surface/cut_samples.hpp"

namespace spindrift {

// Moves points (m) onto both surfaces by the shortest way, as far as that is less than a voxel.
// Where the surfaces touch without crossing there is no line to go to, and a point stays.
void project_to_contact(const CutBounds& bounds, std::vector<Vec3>& points);

}  // namespace spindrift
