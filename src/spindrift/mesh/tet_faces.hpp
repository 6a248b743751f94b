// The faces of a tetrahedral mesh, found by sorting them.
//
// Slower than what a mesher knows of its own cells, and independent of it: this is what such code
// is checked against.
#pragma once

#include <cstdint>
#include <span>

#include "spindrift/core/buffer.hpp"
#include "spindrift/geometry/triangle_mesh.hpp"
#include "spindrift/mesh/tet_mesh.hpp"

namespace spindrift {

// Face `side` of a tetrahedron as 4 tet + side.
using FaceId = std::int64_t;

// Its corners, counterclockwise seen from outside the tetrahedron.
[[nodiscard]] inline Triangle face_corners(const TetMesh& mesh, FaceId face) {
  const Tet& tet = mesh.tets[static_cast<std::size_t>(face >> 2)];
  const auto& corners = kTetFaces[static_cast<std::size_t>(face & 3)];
  return {tet[static_cast<std::size_t>(corners[0])], tet[static_cast<std::size_t>(corners[1])],
          tet[static_cast<std::size_t>(corners[2])]};
}

// One side of one tetrahedron, packed: vertices need 31 bits, the face 33.
struct FaceUse {
  std::uint64_t low_middle;  // the vertices of the face, ascending
  std::uint64_t high_face;

  [[nodiscard]] FaceId face() const {
    return static_cast<FaceId>(high_face & ((std::uint64_t{1} << 33) - 1));
  }
  [[nodiscard]] bool has_same_vertices(const FaceUse& other) const {
    return low_middle == other.low_middle && high_face >> 33 == other.high_face >> 33;
  }
  bool operator<(const FaceUse& other) const {
    return low_middle != other.low_middle ? low_middle < other.low_middle
                                          : high_face < other.high_face;
  }
};

// Four uses a tetrahedron, those of the same three vertices beside each other.
[[nodiscard]] Buffer<FaceUse> sorted_face_uses(const TetMesh& mesh);

// Calls visit(uses) for every face: one use on the boundary, two inside.
template <class Visit>
void for_each_face(std::span<const FaceUse> uses, const Visit& visit) {
  for (std::size_t begin = 0; begin < uses.size();) {
    std::size_t end = begin + 1;
    while (end < uses.size() && uses[end].has_same_vertices(uses[begin])) ++end;
    visit(uses.subspan(begin, end - begin));
    begin = end;
  }
}

}  // namespace spindrift
