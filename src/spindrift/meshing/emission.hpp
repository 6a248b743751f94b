// The tetrahedra: of the lattice at the surface, cut by their stencils, and of the larger leaves.
#pragma once

#include "spindrift/meshing/mesh_vertices.hpp"

namespace spindrift {

struct Emission {
  Buffer<Tet> tets;  // brick by brick
  Buffer<ShapeCode> shapes;
};

[[nodiscard]] Emission emit_tets(const Octree& tree, const MeshVertices& vertices,
                                 const CutEdges& cuts);

}  // namespace spindrift
