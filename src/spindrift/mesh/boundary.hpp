// The surface of a tetrahedral mesh.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "spindrift/geometry/triangle_mesh.hpp"
#include "spindrift/mesh/tet_faces.hpp"
#include "spindrift/mesh/tet_mesh.hpp"
#include "spindrift/mesh/tet_neighbors.hpp"

namespace spindrift {

struct TetBoundary {
  TriangleMesh surface;                   // outward, with the vertices that it uses
  std::vector<std::int32_t> mesh_vertex;  // of each vertex of the surface, ascending
};

// The faces of only one tetrahedron, in the order of the tetrahedra.
[[nodiscard]] TetBoundary boundary_of(const TetMesh& mesh);

// These faces, in their order.
[[nodiscard]] TetBoundary surface_of(const TetMesh& mesh, std::span<const FaceId> faces);

// The faces with no neighbour, as 4 tet + side, ascending.
[[nodiscard]] std::vector<std::int32_t> boundary_sides(const TetNeighbors& neighbors);

// The vertices of these faces, each once, ascending.
[[nodiscard]] std::vector<std::int32_t> vertices_of(const TetMesh& mesh,
                                                    std::span<const std::int32_t> sides);

// A mesh without the tetrahedra whose barycentre lies beyond a plane, on the side of `normal`: what
// is left of its boundary, and the faces that came to light. Both outward.
struct CutAway {
  TriangleMesh outer, cut;
  std::vector<FaceId> outer_faces;  // of the triangles of `outer`, ascending
};
[[nodiscard]] CutAway cut_away(const TetMesh& mesh, const Vec3& point, const Vec3& normal);

}  // namespace spindrift
