// What a tetrahedron of the lattice becomes, given which of its vertices are inside, on the surface
// or outside [Labelle & Shewchuk 2007, figure 3; Chentanez 2007, section 3.3].
//
// The four tetrahedra around the edge between two neighbouring centres stand for all: tet k of axis
// a is (c0, c1, v_k, v_k+1), where c0 is the centre of a cell, c1 the next one along the axis, and
// v the corners of the square between them, counterclockwise about the axis. Its long edges are c0
// c1 and v_k v_k+1.
#pragma once

#include <array>
#include <cstdint>

#include "spindrift/mesh/lattice_shapes.hpp"
#include "spindrift/mesh/tet_mesh.hpp"
#include "spindrift/meshing/brick.hpp"

namespace spindrift {

// Signs of vertices.
enum VertexSign : std::uint8_t { kOutside = 0, kOnSurfaceSign = 1, kInside = 2 };

// An edge of the lattice: its type, and the index of its owner from the lower cell.
struct LatticeEdge {
  int type;
  Vec3i owner;
};

struct Stencil {
  int count = 0;
  // Vertices: 0 to 3 those of the tetrahedron, 4 + e the cut point of edge e.
  std::array<std::array<std::uint8_t, 4>, 3> tets{};
};

class StencilTable {
 public:
  [[nodiscard]] static const StencilTable& instance();

  // signs: of vertices 0 to 3, with weights 1, 3, 9, 27.
  [[nodiscard]] const Stencil& stencil(int axis, int k, int signs) const {
    return stencils_[static_cast<std::size_t>((4 * axis + k) * 81 + signs)];
  }
  [[nodiscard]] const LatticeEdge& edge(int axis, int k, int e) const {
    return edges_[static_cast<std::size_t>((4 * axis + k) * 6 + e)];
  }

 private:
  StencilTable();
  std::array<Stencil, 12 * 81> stencils_;
  std::array<LatticeEdge, 12 * 6> edges_;
};

}  // namespace spindrift
