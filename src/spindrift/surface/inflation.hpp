// Moves bodies of liquid outwards or inwards: the distance to a surface that is offset along its
// normals is the distance to the surface itself, less the offset.
//
// Inwards only where the liquid is thick: sheets would be eaten up. A surface goes inwards by a
// share of the offset that follows from the distance a little below it.
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

// How far below a surface its thickness is looked at, in lattice units, and the share that a
// surface takes of offsets inwards where the distance there, in lattice units, is this: none of
// sheets of 3 units or less, all of those of 3.8 or more.
inline constexpr double kThicknessDepth = 2;
[[nodiscard]] double thick_share(double distance_below);

// The distance without the offset of the closest body, m, wherever it is within the band.
[[nodiscard]] BandDistance inflated_bodies(const BodySurfaces& bodies,
                                           std::span<const double> offsets,
                                           const BandDistance& distance);

}  // namespace spindrift
