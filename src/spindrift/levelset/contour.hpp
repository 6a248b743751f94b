// The surface where a sampled field is zero, as triangles.
//
// Marching cubes with the table of contour_table.hpp: where all samples around the surface are
// known, the mesh is closed, oriented and manifold, whatever the samples are.
//
// A vertex lies on each lattice edge between an inside node (negative) and an outside one (zero
// counts as outside), where the limited cubic through the samples along the edge's line is zero
// (limited_cubic.hpp): fourth order for a smooth field. Where one of the two outer samples is
// unknown the quadratic through the others takes its place, else the straight line.
#pragma once

#include <cstdint>
#include <vector>

#include "spindrift/geometry/triangle_mesh.hpp"
#include "spindrift/levelset/sampled_field.hpp"

namespace spindrift {

struct Contour {
  TriangleMesh mesh;            // every vertex is used; neighbours in space are close in memory
  std::vector<Vec3f> normals;   // of the vertices: unit, outward, along the gradient of the samples
  std::int64_t open_cells = 0;  // crossed cells left out, a corner not known; 0: the mesh is closed
};

[[nodiscard]] Contour contour(const SampledField& field);

// The unknown corners of cells that are crossed among their known corners: what must be sampled to
// close the contour. Once they are known, others may be missing. Ordered by block key, then by the
// node's number; their blocks need not exist.
[[nodiscard]] std::vector<Vec3i> missing_nodes(const SampledField& field);

}  // namespace spindrift
