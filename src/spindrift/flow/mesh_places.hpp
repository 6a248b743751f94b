// What is needed to find velocities in a mesh, whichever they are: made once for all of its
// velocities, at whatever instants.
#pragma once

#include "spindrift/flow/vertex_rings.hpp"
#include "spindrift/mesh/mesh_faces.hpp"
#include "spindrift/mesh/tet_locator.hpp"

namespace spindrift {

struct MeshPlaces {
  VertexRings rings;
  TetLocator locator;

  // Both must outlive this.
  MeshPlaces(const TetMesh& mesh, const MeshFaces& faces)
      : rings(vertex_rings(mesh)), locator(mesh, faces.neighbors()) {}
};

}  // namespace spindrift
