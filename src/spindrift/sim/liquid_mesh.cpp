#include "spindrift/sim/liquid_mesh.hpp"

#include "spindrift/meshing/stuffing.hpp"

namespace spindrift {

std::unique_ptr<LiquidMesh> mesh_liquid(const ScalarField& liquid, const ScalarField& solids,
                                        const Box3& box, double size, Stats& stats) {
  auto made = std::make_unique<LiquidMesh>();
  {
    const auto phase = stats.measure("mesh: stuff");
    made->tets = stuff(WithoutObstacles(liquid, solids), box, {.size = size, .may_be_empty = true});
  }
  if (made->is_empty()) return made;
  TetNeighbors neighbors;
  {
    const auto phase = stats.measure("mesh: neighbours");
    neighbors = find_neighbors(made->tets);
  }
  BoundaryTags tags;
  {
    const auto phase = stats.measure("mesh: fit");
    LiquidBoundary boundary = find_liquid_boundary(made->tets, neighbors, liquid, solids);
    (void)snap_to_obstacles(made->tets, boundary, liquid, solids);
    tags = tag_boundary(made->tets, boundary, liquid, solids);
  }
  made->mixed_faces = std::ssize(tags.mixed);
  const auto phase = stats.measure("mesh: faces");
  made->faces = std::make_unique<MeshFaces>(made->tets, std::move(neighbors));
  made->cells = cell_mesh(made->tets, *made->faces, tags.faces);
  return made;
}

}  // namespace spindrift
