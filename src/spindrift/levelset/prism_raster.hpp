// Distances from lattice nodes to a surface, triangle by triangle.
//
// The point of a closed surface that is closest to a node lies in a triangle, on an edge or at a
// corner. From there the node is in a direction d that is a sum of multiples, none of them
// negative, of the normals n_i of the triangles that meet there (or of their opposites). Whatever
// the unit vector N, for one of them d is no farther from n_i than N is: else n_i . (N - d) > 0 for
// all of them, hence d . (N - d) > 0, which no unit vector d fulfils. So a triangle has to be
// measured only at the nodes above and below it, in a prism that leans outwards by the greatest
// angle between its normal and those of its corners: on a smooth surface, a few nodes.
//
// That holds for any N at the corners: the mean normal of the flat triangles there, or that of the
// curved surface. Nothing is searched. For a curved surface each node remembers which triangle is
// the closest, and then takes the distance to the patch that this one carries (curved_patch.hpp).
#pragma once

#include "spindrift/levelset/sampled_field.hpp"
#include "spindrift/levelset/triangle_bins.hpp"
#include "spindrift/levelset/winding_rows.hpp"

namespace spindrift {

// Fills in the values of `field` and which of them are known: distances less than `band` (at most
// 7, lattice units), to float round-off, negative at the nodes `inside`; the others are +band or
// -band. A surface with normals is curved. The surface is closed, and its triangles share their
// corners: distances beyond the rim of an open one, or beside edges whose corners are there twice,
// are too great.
void rasterise_prisms(const FixedSurface& surface, const TriangleBins& bins,
                      const InsideNodes& inside, float band, SampledField& field);

}  // namespace spindrift
