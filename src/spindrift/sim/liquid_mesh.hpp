// The mesh of a liquid among solids, with all that flow needs of it.
#pragma once

#include <memory>

#include "spindrift/core/stats.hpp"
#include "spindrift/mesh/cell_mesh.hpp"
#include "spindrift/mesh/mesh_faces.hpp"
#include "spindrift/meshing/boundary_tags.hpp"
#include "spindrift/meshing/obstacles.hpp"

namespace spindrift {

struct LiquidMesh {
  TetMesh tets;
  std::unique_ptr<MeshFaces> faces;  // of `tets`
  CellMesh cells;
  std::int64_t mixed_faces = 0;

  [[nodiscard]] bool is_empty() const { return tets.tets.empty(); }
};

// Finest cells of `size` metres at the boundary. `box` fixes the lattice, and encloses the liquid.
[[nodiscard]] std::unique_ptr<LiquidMesh> mesh_liquid(const ScalarField& liquid,
                                                      const ScalarField& solids, const Box3& box,
                                                      double size, Stats& stats);

}  // namespace spindrift
