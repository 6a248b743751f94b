// The liquid's surface where solids are taken away: for output, for volumes, and for the mesher's
// boundary.
//
// The tracked surface runs on into solids. What is left outside them is bounded by air faces, on
// the tracked surface, and solid faces, on the solids; they meet in contact lines. Contouring the
// intersection alone would cut the contact lines off in every cell, and the edges of solids too:
// a tank would hold less than it does. So, as in extended marching cubes [Kobbelt et al. 2001],
// each polygon that one of them runs through gets one more vertex, on all surfaces at once, and the
// edges across the line are flipped to run along it. The result stays closed and manifold.
//
// The steps: signs at lattice nodes (cut_samples), their contour, vertices on its lattice edges
// (cut_vertices), polygons with sharp edges (cut_polygons), the points there (cut_features), and
// the triangles around them (cut_creases).
#pragma once

#include <cstdint>
#include <vector>

#include "spindrift/geometry/fields.hpp"
#include "spindrift/geometry/triangle_mesh.hpp"
#include "spindrift/levelset/mesh_distance.hpp"

namespace spindrift {

enum class SurfaceKind : std::uint8_t { air, solid };

struct CutSurface {
  TriangleMesh mesh;                           // closed, oriented outwards, manifold
  std::vector<SurfaceKind> kinds;              // of the triangles
  std::vector<std::int32_t> contact_vertices;  // those on the contact lines
};

// `liquid`: signed distances around the tracked surface `surface`. `solid`: negative inside solids;
// not more than the distance to them. Only what lies in `box` counts.
[[nodiscard]] CutSurface cut_surface(const TriangleMesh& surface, const BandDistance& liquid,
                                     const ScalarField& solid, const Box3& box);

}  // namespace spindrift
