// The edges of a triangle mesh and who uses them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "spindrift/geometry/triangle_mesh.hpp"

namespace spindrift {

// One side of one triangle: from corner `side` to the next one.
struct EdgeUse {
  std::int32_t low, high;  // the edge's vertices, low <= high
  std::int32_t triangle;
  std::int8_t side;  // 0, 1, 2
  bool is_forward;   // the triangle walks from low to high
};

// All sides of all triangles, sorted by edge, then by triangle and side.
class MeshEdges {
 public:
  explicit MeshEdges(const TriangleMesh& mesh);

  [[nodiscard]] std::int64_t edge_count() const { return std::ssize(first_) - 1; }
  // The uses of one edge: one on a border, two inside a manifold mesh.
  [[nodiscard]] std::span<const EdgeUse> uses(std::int64_t edge) const {
    return std::span(uses_).subspan(first_[edge], first_[edge + 1] - first_[edge]);
  }

 private:
  std::vector<EdgeUse> uses_;
  std::vector<std::int64_t> first_;  // index of each edge's first use, and one past the last
};

// Times the triangles walk the edge forwards minus backwards. A mesh whose edges all balance bounds
// a solid: its winding number is a whole number everywhere off the surface.
[[nodiscard]] int edge_balance(std::span<const EdgeUse> uses);

// Connected components of triangles: two are neighbours if they share an edge.
struct EdgeComponents {
  std::vector<std::int32_t> of_triangle;
  std::int32_t count = 0;  // numbered by their lowest triangle
};
[[nodiscard]] EdgeComponents find_components(const TriangleMesh& mesh, const MeshEdges& edges);

}  // namespace spindrift
