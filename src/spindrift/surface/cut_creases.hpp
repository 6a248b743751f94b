// Sharp edges in the cut surface: fans around points on them, joined along them.
#pragma once

#include <span>

#include "spindrift/surface/cut_features.hpp"

namespace spindrift {

// Replaces the triangles of polygons that have a feature by fans around it, flips the edges across
// sharp edges to run along them, and fills in the kinds and the contact vertices. A closed manifold
// stays one.
void make_creases(std::span<const CutPolygon> polygons, std::span<const CutFeature> features,
                  const CutNormals& normals, std::span<const SurfaceKind> kinds, CutSurface& cut);

}  // namespace spindrift
