// Pieces of surface too small to be liquid: removed, and their volume booked.
#pragma once

#include <vector>

#include "spindrift/geometry/mesh_components.hpp"

namespace spindrift {

struct SpeckReport {
  std::int64_t drops = 0;    // closed pieces of liquid removed
  double drop_volume = 0;    // m^3
  std::int64_t pockets = 0;  // sealed pockets of air filled
  double pocket_volume = 0;  // m^3
};

// Removes the pieces whose volume is less than `least_volume` (m^3) from mesh, normals and pieces.
[[nodiscard]] SpeckReport remove_specks(double least_volume, TriangleMesh& mesh,
                                        std::vector<Vec3f>& normals, MeshComponents& pieces);

}  // namespace spindrift
