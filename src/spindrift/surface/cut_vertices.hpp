// The vertices of the cut surface on their lattice edges: where the liquid ends, and at what.
#pragma once

#include <cstdint>
#include <vector>

#include "spindrift/surface/cut_samples.hpp"
#include "spindrift/surface/cut_surface.hpp"

namespace spindrift {

// A lattice edge from a node one step up an axis.
struct LatticeEdge {
  Vec3i node;
  int axis;
};

struct CutVertices {
  std::vector<LatticeEdge> edges;
  std::vector<SurfaceKind> kinds;  // air: on the liquid's own surface; solid: on a solid's
};

// Moves the vertices of the samples' contour to the roots of the function that ends the liquid
// first on their edges.
[[nodiscard]] CutVertices place_cut_vertices(const CutSamples& samples, const CutBounds& bounds,
                                             std::vector<Vec3>& vertices);

}  // namespace spindrift
