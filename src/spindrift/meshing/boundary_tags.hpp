// Which boundary faces of a liquid's mesh touch air, and which an obstacle.
//
// Air presses on the liquid; solids hold it. A face is air if all its vertices lie on the liquid's
// surface, and solid if all lie on the obstacle. Mixed faces are left where the two meet between
// vertices: they cut the edge of the liquid off, and lie in neither surface. Were they air [as in
// Chentanez 2007, section 3.3.1], a pool at rest would begin to flow there, since the pressure at
// their middles is not the air's. They are solid here, and counted.
#pragma once

#include <cstdint>
#include <vector>

#include "spindrift/geometry/fields.hpp"
#include "spindrift/mesh/face_tags.hpp"
#include "spindrift/meshing/liquid_boundary.hpp"

namespace spindrift {

struct BoundaryTags {
  std::vector<TaggedFace> faces;    // in the order of the boundary
  std::vector<std::int32_t> mixed;  // indices of those of `faces` that are mixed; tagged solid
  std::int64_t air_faces = 0, solid_faces = 0;
  double air_area = 0, solid_area = 0, mixed_area = 0;  // m^2; the solid area has the mixed one
};

// After snap_to_obstacles(), with the same boundary and fields.
[[nodiscard]] BoundaryTags tag_boundary(const TetMesh& mesh, const LiquidBoundary& boundary,
                                        const ScalarField& liquid, const ScalarField& obstacle);

}  // namespace spindrift
