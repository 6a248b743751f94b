// How large the separate bodies of a liquid are where solids are cut away.
#pragma once

#include <cstdint>
#include <vector>

#include "spindrift/surface/contouring_tracker.hpp"
#include "spindrift/surface/cut_surface.hpp"

namespace spindrift {

struct BodySize {
  double volume = 0;          // m^3
  double air_area = 0;        // m^2, of its surface towards air
  double thick_area = 0;      // m^2, of that: by the shares it takes of offsets inwards
  Vec3 place = Vec3::Zero();  // m, the middle of its surface
  // The first of the bodies that it shares pieces of the cut surface with, which may join what the
  // tracked one keeps apart, or comes near. The volume of such a piece is that of the body with
  // most of it.
  std::int32_t group = 0;
};

// Of the components, by index. The components are those of the tracked surface, with its
// vertices and distance. Parts of the cut surface without a vertex near it, around obstacles deep
// in the liquid or in its walls, count towards the smallest body whose box holds them.
[[nodiscard]] std::vector<BodySize> body_sizes(const CutSurface& cut,
                                               const ContouringTracker& tracker);
// Their volumes alone, m^3, for less.
[[nodiscard]] std::vector<double> body_volumes(const CutSurface& cut,
                                               const ContouringTracker& tracker);

}  // namespace spindrift
