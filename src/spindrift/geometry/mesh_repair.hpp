// Safe repair of a triangle mesh: what cannot change the shape is mended, and all of it is
// reported.
#pragma once

#include <string>
#include <vector>

#include "spindrift/geometry/mesh_holes.hpp"
#include "spindrift/geometry/mesh_orientation.hpp"
#include "spindrift/geometry/triangle_mesh.hpp"

namespace spindrift {

struct RepairParams {
  double weld_tolerance = 1e-6;  // share of the mesh's diagonal; only open edges are welded
  HoleParams holes;
};

struct RepairReport {
  std::int64_t welded_vertices = 0;
  std::int64_t removed_collapsed = 0;   // triangles with a repeated vertex
  std::int64_t removed_duplicates = 0;  // copies of triangles
  std::int64_t removed_unused = 0;      // vertices
  OrientationReport orientation;
  HoleReport holes;

  [[nodiscard]] bool changed_anything() const;
  // One sentence for each thing done: "12 vertices welded along open edges", ...
  [[nodiscard]] std::vector<std::string> sentences() const;
};

// Welds open edges (exactly coincident vertices first, then within the tolerance), removes
// collapsed and repeated triangles, makes the triangles face the same way and outwards, and fills
// small holes. A mesh that needs nothing is not touched.
RepairReport repair_mesh(TriangleMesh& mesh, const RepairParams& params = {});

}  // namespace spindrift
