// Another velocity in the mesh of a MeshVelocity, for looking at, without a step.
//
//   PresentVelocity now(ahead, cell_velocity, solids);
//   now.evaluate(surface.vertices, velocities);
//
// It is what paths() of a MeshVelocity would be, without a correction of divergence, and as smooth
// inside as the paper's velocity (no residuals are put back): nothing is carried along it. Only
// nodes and vertices that are asked for get a value, so that a surface costs what lies around it.
#pragma once

#include <optional>

#include "spindrift/flow/mesh_velocity.hpp"
#include "spindrift/flow/node_sets.hpp"

namespace spindrift {

class PresentVelocity {
 public:
  // All must outlive this; what `other` knows of the mesh, and what does not depend on velocities,
  // is taken from it. Throws Error of kind `numerical` if a velocity is not finite.
  PresentVelocity(const MeshVelocity& other, std::span<const Vec3> cell_velocity,
                  const SolidMotion& solids);

  // In parallel; the same bits for any number of threads, and whatever was asked for before.
  void evaluate(std::span<const Vec3> points, std::span<Vec3> velocities);
  // The same at some nodes of a lattice: `values` has kBlockNodes for each block.
  void evaluate_at_nodes(const Lattice& lattice, const BlockSet& blocks, const NodeSet& nodes,
                         std::span<Vec3f> values);

 private:
  [[nodiscard]] NodeSet cells_of(std::span<const Vec3> points) const;
  // The grid of paths, with the corners of these cells; others hold anything.
  [[nodiscard]] VelocityGrid grid_at(const NodeSet& cells);
  // Returns corners_of_nodes().
  [[nodiscard]] Buffer<std::int32_t> add_vertices_at(const LocatedNodes& located,
                                                     const NodeSet& nodes);
  [[nodiscard]] const Vec3& far_velocity();
  void evaluate_in_mesh(std::span<const Vec3> points, std::span<Vec3> velocities);

  const MeshVelocity::Places& places_;
  const LocatedNodes& nodes_;
  TetFlow flow_;
  SolidMotion solids_;
  SomeVertexVelocities at_vertices_;
  std::optional<Vec3> far_;  // once it is wanted
};

}  // namespace spindrift
