// The tetrahedra: of the lattice at the surface, cut by their stencils, and of the larger leaves.
#pragma once

#include "spindrift/meshing/mesh_vertices.hpp"

namespace spindrift {

struct Emission {
  Buffer<Tet> tets;                // brick by brick
  std::int64_t standard_tets = 0;  // with the shapes of the lattice
};

[[nodiscard]] Emission emit_tets(const Octree& tree, const MeshVertices& vertices,
                                 const CutEdges& cuts);

}  // namespace spindrift
