// Closing small holes with triangles over the vertices of their rims.
#pragma once

#include "spindrift/geometry/triangle_mesh.hpp"

namespace spindrift {

struct HoleParams {
  int max_edges = 64;          // longest rim
  double max_diameter = 0.05;  // widest hole, as a share of the mesh's diagonal
};

struct HoleReport {
  std::int64_t filled = 0;  // holes
  std::int64_t added_triangles = 0;
  std::int64_t left = 0;  // rims that were too long, too wide or not simple
};

// Fills each simple rim with the triangulation of least area [Barequet and Sharir 1995]. A rim is
// simple if each of its vertices has one open edge in and one out. Large openings are left alone:
// a cup is not a hole.
HoleReport fill_small_holes(TriangleMesh& mesh, const HoleParams& params = {});

}  // namespace spindrift
