// Which way the triangles of a mesh face, and turning them so that they agree.
#pragma once

#include <vector>

#include "spindrift/geometry/mesh_edges.hpp"

namespace spindrift {

struct OrientationReport {
  std::int64_t flipped_triangles = 0;
  std::int64_t conflicting_edges = 0;  // no choice satisfies them: a Möbius band, or a bad junction
  std::int64_t turned_components = 0;  // were inside out as a whole
};

// Makes neighbours across each edge of exactly two triangles face the same way; in each component
// the larger part (by area) keeps its side. Then turns closed components that are inside out.
OrientationReport orient_mesh(TriangleMesh& mesh);

// Closed components with negative volume that are not inside another closed component: an inward
// shell inside a body is a cavity and is meant that way.
[[nodiscard]] std::vector<std::int32_t> inside_out_components(const TriangleMesh& mesh,
                                                              const MeshEdges& edges,
                                                              const EdgeComponents& components);

}  // namespace spindrift
