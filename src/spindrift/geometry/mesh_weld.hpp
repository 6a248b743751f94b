// Things that are in a mesh twice: vertices at the same place, triangles over the same vertices.
#pragma once

#include <vector>

#include "spindrift/geometry/triangle_mesh.hpp"

namespace spindrift {

// For every vertex the lowest vertex with exactly the same position.
[[nodiscard]] std::vector<std::int32_t> coincident_vertex_map(const TriangleMesh& mesh);

// Triangles over the same three vertices as an earlier one, in any order, ascending. Triangles with
// a repeated vertex do not count.
[[nodiscard]] std::vector<std::int32_t> duplicate_triangles(const TriangleMesh& mesh);

// Joins the vertices of open edges that lie within `tolerance` of each other (0: at the same
// place). Vertices inside a closed surface stay apart: parts that only touch remain separate.
// Returns the number of vertices that were replaced by another.
std::int64_t weld_open_edges(TriangleMesh& mesh, double tolerance);

// Removes triangles with a repeated vertex and returns their number.
std::int64_t remove_collapsed_triangles(TriangleMesh& mesh);

// Removes copies of triangles; a pair that faces opposite ways encloses nothing and goes
// altogether. Returns the number of removed triangles.
std::int64_t remove_duplicate_triangles(TriangleMesh& mesh);

// Removes vertices that no triangle uses, keeping the order of the others.
std::int64_t remove_unused_vertices(TriangleMesh& mesh);

}  // namespace spindrift
