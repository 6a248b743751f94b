// Which tetrahedra meet at each vertex of a mesh.
#pragma once

#include <span>

#include "spindrift/mesh/tet_mesh.hpp"

namespace spindrift {

struct VertexRings {
  Buffer<std::int32_t> starts{0};  // in `corners`
  Buffer<std::int32_t> corners;    // 4 tet + k for vertex k of the tetrahedron, ascending

  [[nodiscard]] std::span<const std::int32_t> of(std::int64_t vertex) const {
    const auto v = static_cast<std::size_t>(vertex);
    return std::span(corners).subspan(static_cast<std::size_t>(starts[v]),
                                      static_cast<std::size_t>(starts[v + 1] - starts[v]));
  }
};

[[nodiscard]] VertexRings vertex_rings(const TetMesh& mesh);

}  // namespace spindrift
