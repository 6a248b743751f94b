// Moves bodies of liquid outwards: the distance to a surface that is offset along its normals is
// the distance to the surface itself, less the offset.
#pragma once

#include <span>

#include "spindrift/levelset/mesh_distance.hpp"
#include "spindrift/surface/liquid_components.hpp"

namespace spindrift {

struct BodySurfaces {
  const LiquidComponents& components;
  std::span<const Vec3> positions;  // of the surface's vertices
  const VertexGrid& vertices;
};

// Takes the offset of the closest body, m, from every distance within the band.
void inflate_bodies(const BodySurfaces& bodies, std::span<const double> offsets,
                    BandDistance& distance);

}  // namespace spindrift
