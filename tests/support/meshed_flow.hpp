// Liquids with a velocity given by a function.
#pragma once

#include <memory>

#include "spindrift/flow/mesh_velocity.hpp"

#include "support/flow_meshes.hpp"

namespace spindrift::test {

// A mesh with all that refers to it, at one place in memory.
class MeshedFlow {
 public:
  explicit MeshedFlow(TetMesh mesh, std::span<const TaggedFace> boundary = {})
      : mesh_(std::move(mesh)),
        faces_(mesh_, find_neighbors(mesh_)),
        cells_(cell_mesh(mesh_, faces_, boundary)),
        u(mesh_.tets.size(), Vec3::Zero()),
        z(cells_.tags.size(), 0.0) {}
  MeshedFlow(const MeshedFlow&) = delete;
  MeshedFlow& operator=(const MeshedFlow&) = delete;

  // Exact in the barycentres.
  template <class Function>
  void set(const Function& velocity) {
    for (std::size_t t = 0; t < u.size(); ++t) u[t] = velocity(cells_.centers[t]);
    for (std::size_t f = 0; f < z.size(); ++f) {
      z[f] = velocity(cells_.face_centers[f]).dot(cells_.area_vectors[f].normalized());
    }
  }

  [[nodiscard]] const TetMesh& mesh() const { return mesh_; }
  [[nodiscard]] const MeshFaces& faces() const { return faces_; }
  [[nodiscard]] const CellMesh& cells() const { return cells_; }
  [[nodiscard]] TetFlow flow() const { return {mesh_, faces_, cells_, u, z}; }

 private:
  TetMesh mesh_;
  MeshFaces faces_;
  CellMesh cells_;

 public:
  std::vector<Vec3> u;    // m/s in tetrahedra
  std::vector<double> z;  // m/s on faces
};

using MeshedFlowPtr = std::unique_ptr<MeshedFlow>;

// A body in the air.
inline MeshedFlowPtr blob_flow(const Shape& shape, const StuffingParams& params) {
  return std::make_unique<MeshedFlow>(stuff(shape, shape.bounds(), params));
}

// A liquid among obstacles, snapped to them.
inline MeshedFlowPtr pool_flow(const Shape& liquid, const Shape& obstacle, const Box3& box,
                               double size) {
  TetMesh mesh = stuff(WithoutObstacles(liquid, obstacle), box, {.size = size});
  LiquidBoundary boundary = find_liquid_boundary(mesh, find_neighbors(mesh), liquid, obstacle);
  (void)snap_to_obstacles(mesh, boundary, liquid, obstacle);
  const BoundaryTags tags = tag_boundary(mesh, boundary, liquid, obstacle);
  return std::make_unique<MeshedFlow>(std::move(mesh), tags.faces);
}

}  // namespace spindrift::test
