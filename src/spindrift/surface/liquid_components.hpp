// The separate bodies of liquid that a surface encloses, and which of them were which a step ago.
//
// A body has one outer surface and perhaps sealed pockets of air, whose surfaces count towards it.
// Bodies keep their numbers as they move; where they merge or split, the largest keeps the number
// and the others know their parents.
#pragma once

#include <cstdint>
#include <vector>

#include "spindrift/geometry/fields.hpp"
#include "spindrift/geometry/mesh_components.hpp"
#include "spindrift/levelset/sampled_field.hpp"
#include "spindrift/surface/vertex_grid.hpp"

namespace spindrift {

struct LiquidComponent {
  std::int64_t id = 0;
  double volume = 0;                  // m^3, without the pockets
  double area = 0;                    // m^2, with that of the pockets
  std::int64_t pockets = 0;           // of air, sealed
  std::vector<std::int64_t> parents;  // ids a step ago of the liquid that is in it; ascending
};

struct LiquidComponents {
  std::vector<LiquidComponent> components;
  std::vector<std::int32_t> of_vertex;  // index of the component
  std::int64_t next_id = 0;             // the first number that was never used
};

// `pieces` of the surface `mesh`, which is a contour of `samples`, gathered to bodies; all are new.
[[nodiscard]] LiquidComponents liquid_components(const TriangleMesh& mesh,
                                                 const MeshComponents& pieces,
                                                 const SampledField& samples,
                                                 const VertexGrid& vertices);

// Gives `now` the numbers and parents that follow from the motion of the surface by `velocity` for
// `dt`.
struct SurfaceAt {
  const TriangleMesh& mesh;
  const VertexGrid& vertices;
};
void match_components(const LiquidComponents& before, const SurfaceAt& old_surface,
                      LiquidComponents& now, const SurfaceAt& new_surface,
                      const VelocityField& velocity, double dt);

}  // namespace spindrift
