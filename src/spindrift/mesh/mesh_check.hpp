// Whether tetrahedra fit together: the counterpart, for volumes, of geometry/mesh_check.hpp.
//
// Only the indices are looked at. Together with volumes that are all positive (TetQuality) a mesh
// that passes fills its inside without gaps, and without overlaps wherever its boundary has none.
#pragma once

#include <cstdint>

#include "spindrift/geometry/mesh_check.hpp"
#include "spindrift/mesh/tet_mesh.hpp"

namespace spindrift {

struct TetMeshReport {
  std::int64_t vertices = 0, tets = 0;
  std::int64_t faces = 0, boundary_faces = 0;  // a face of two tetrahedra counts once
  std::int64_t unused_vertices = 0;            // of no tetrahedron
  std::int64_t components = 0;                 // of tetrahedra that share faces

  // Places are the middles of what is wrong; of tetrahedra, the first vertex that exists.
  MeshDefect bad_tets;       // name a vertex twice, or one that is not there; left out of the rest
  MeshDefect crowded_faces;  // of more than two tetrahedra
  MeshDefect one_sided_faces;  // of two tetrahedra, both on the same side
  MeshDefect open_edges;       // of the boundary: not walked equally often both ways

  [[nodiscard]] bool is_conforming() const {
    return tets > 0 && bad_tets.count == 0 && crowded_faces.count == 0 &&
           one_sided_faces.count == 0 && open_edges.count == 0;
  }
};

// At most `max_places` places of each kind of defect.
[[nodiscard]] TetMeshReport check_tets(const TetMesh& mesh, int max_places = 5);

}  // namespace spindrift
