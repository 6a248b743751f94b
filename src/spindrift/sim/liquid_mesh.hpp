// The mesh of a liquid among solids, with all that flow needs of it.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "spindrift/core/stats.hpp"
#include "spindrift/levelset/mesh_distance.hpp"
#include "spindrift/mesh/cell_mesh.hpp"
#include "spindrift/mesh/mesh_faces.hpp"
#include "spindrift/meshing/boundary_tags.hpp"
#include "spindrift/meshing/obstacles.hpp"

namespace spindrift {

// A face of the boundary that lies on neither the liquid's surface nor a solid, but cuts off the
// edge where they meet.
struct MixedFace {
  std::int32_t face = -1;
  Vec3 way_up = Vec3::Zero();  // m, from its middle to the liquid's surface
};

struct LiquidMesh {
  TetMesh tets;
  std::unique_ptr<MeshFaces> faces;  // of `tets`
  CellMesh cells;
  std::vector<MixedFace> mixed;  // tagged as air
  // Faces on solids that let the liquid go, tagged as air, ascending. Before the velocity is
  // projected: those where that is likely.
  std::vector<std::int32_t> released;

  [[nodiscard]] bool is_empty() const { return tets.tets.empty(); }
};

// Tags that a mesh just like this one had after a projection. It was made as if solids held all of
// the liquid: what is air instead is released.
void take_tags(std::span<const FaceTag> tags, LiquidMesh& mesh);

// Both are negative inside. `bound` is no more than the distance, and says where no surface is.
struct LiquidToMesh {
  const ScalarField& distance;
  const ScalarField& bound;
};

// Finest cells of `size` metres at the boundary. `box` fixes the lattice, and encloses the liquid.
[[nodiscard]] std::unique_ptr<LiquidMesh> mesh_liquid(const LiquidToMesh& fields,
                                                      const ScalarField& solids, const Box3& box,
                                                      double size, Stats& stats);

}  // namespace spindrift
