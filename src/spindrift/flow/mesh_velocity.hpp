// The velocity of a liquid everywhere: in its mesh, and beyond the surface as far as a step needs.
//
//   const MeshVelocity old({mesh, faces, cells, u, z}, dt);
//   tracker.advance(old.paths(), dt);         // the surface
//   advect(old, new_cells, dt, new_z, new_u);  // the velocity
//
// Two fields. paths(), smooth and fast, moves things: a grid around the surface, and linear between
// the vertices of the mesh deeper inside. values() is what is carried: the chosen interpolant in
// the mesh, blended into a grid in the outer quarter of the tetrahedra at the boundary, and the
// grid outside. Both are continuous across the surface, and equal to the mean velocity of the
// liquid farther out than the grids go. Their grids differ (GridKind).
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "spindrift/core/stats.hpp"
#include "spindrift/flow/mesh_interpolant.hpp"
#include "spindrift/flow/velocity_grid.hpp"
#include "spindrift/mesh/tet_locator.hpp"

namespace spindrift {

struct MeshVelocityParams {
  Interpolant interpolant = Interpolant::vertex_linear;
  VertexVelocityParams vertices;
  // m; of the grids, beyond what the liquid there may move in a step. 0: two of the finest cells.
  double margin = 0;
  // They go no farther than this, in finest cells: what is as fast is not worth a huge grid.
  double greatest_reach = 24;
};

// Of a liquid, weighted by volume, m/s.
[[nodiscard]] Vec3 mean_velocity(const TetFlow& flow);

class MeshVelocity {
 public:
  // For a step of `dt` seconds. What `flow` and `solids` refer to must outlive this. Throws Error
  // of kind `numerical` if a velocity is not finite.
  MeshVelocity(const TetFlow& flow, double dt, const MeshVelocityParams& params = {},
               const SolidMotion& solids = {});
  MeshVelocity(const MeshVelocity&) = delete;
  MeshVelocity& operator=(const MeshVelocity&) = delete;
  ~MeshVelocity();

  [[nodiscard]] const VelocityField& paths() const;
  [[nodiscard]] const VelocityField& values() const;

  [[nodiscard]] const VertexVelocity& at_vertices() const { return at_vertices_; }
  [[nodiscard]] const TetLocator& locator() const { return places_.locator; }
  // Around the surface: of paths(), of values().
  [[nodiscard]] const VelocityGrid& path_grid() const { return grids_[0]; }
  [[nodiscard]] const VelocityGrid& value_grid() const { return grids_[1]; }
  [[nodiscard]] const Vec3& far_velocity() const { return far_; }  // m/s
  [[nodiscard]] const Stats& stats() const { return stats_; }      // seconds of making this

  // What does not depend on velocities.
  struct Places {
    VertexRings rings;
    CornerWeights weights;
    TetLocator locator;
    std::optional<GridPlaces> grid = {};
  };
  [[nodiscard]] const Places& places() const { return places_; }
  [[nodiscard]] const TetFlow& flow() const { return flow_; }

 private:
  class Paths;
  class Values;

  TetFlow flow_;
  Stats stats_;
  Places places_;
  VertexVelocity at_vertices_;
  Vec3 far_;
  std::vector<VelocityGrid> grids_;  // of paths and of values
  std::unique_ptr<Paths> paths_;
  std::unique_ptr<Values> values_;
};

}  // namespace spindrift
