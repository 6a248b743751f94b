// A liquid's velocity around its surface, on a grid: fast to look up, and continued beyond the
// surface into air and solids.
//
// Nodes inside the mesh have the velocity between its vertices, linearly. Nodes of cells with
// boundary vertices that are not inside have velocities continued from these vertices along their
// slopes. From there on, layer by layer, nodes have the mean of those known around them, closer
// ones more [in the place of the extrapolation along normals in Losasso et al. 2004, which needs
// nodes in the order of their distances]. Nodes in solids lose what would carry liquid deeper into
// them.
//
// Between nodes the velocity is trilinear, hence continuous across the surface. Uniform velocities
// are exact everywhere.
#pragma once

#include "spindrift/flow/vertex_velocity.hpp"
#include "spindrift/geometry/fields.hpp"
#include "spindrift/levelset/sampled_field.hpp"

namespace spindrift {

// All solids as one, if there are any. The fields must outlive what is built from them.
struct SolidMotion {
  // m, negative inside; in absolute value no more than the true distance. Null: no solids.
  const ScalarField* distance = nullptr;
  const VelocityField* velocity = nullptr;  // null: at rest
};

struct VelocityGridParams {
  double spacing = 0;  // m, of the nodes; 0: the size of the mesh's finest cells
  // m, from the boundary of the mesh, outwards and inwards.
  double reach = 0;
};

// The size of a mesh's finest cells, m.
[[nodiscard]] double finest_cell_size(const TetMesh& mesh, const CellMesh& cells);

class VelocityGrid final : public VelocityField {
 public:
  VelocityGrid(const TetFlow& flow, const VertexVelocity& at_vertices,
               const VelocityGridParams& params, const SolidMotion& solids = {});

  // Beyond the reach, and too deep inside, not a number.
  void evaluate(std::span<const Vec3> points, std::span<Vec3> velocities) const override;

  [[nodiscard]] const Lattice& lattice() const { return lattice_; }
  [[nodiscard]] const BlockSet& blocks() const { return blocks_; }
  [[nodiscard]] std::int64_t bytes() const {
    return static_cast<std::int64_t>(values_.size() * sizeof(Vec3));
  }

 private:
  Lattice lattice_;
  BlockSet blocks_;
  // kBlockNodes for each block, and one that is never used, since four numbers are read at a time.
  Buffer<Vec3> values_;
};

}  // namespace spindrift
