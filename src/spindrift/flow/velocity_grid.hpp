// A liquid's velocity around its surface, on a grid: fast to look up, and continued beyond the
// surface into air and solids.
//
// Nodes inside the mesh have the velocity between its vertices, linearly. Nodes of cells with
// boundary vertices that are not inside have velocities continued from these vertices along their
// slopes, within bounds. From there on, layer by layer, nodes have the mean of those known around
// them, closer ones more [in the place of the extrapolation along normals in Losasso et al. 2004,
// which needs nodes in the order of their distances]. Nodes in solids lose what would carry liquid
// deeper into them.
//
// Between nodes the velocity is trilinear, hence continuous across the surface. Uniform velocities
// are exact everywhere.
#pragma once

#include "spindrift/flow/grid_raster.hpp"
#include "spindrift/geometry/fields.hpp"

namespace spindrift {

// All solids as one, if there are any, and outlets. The fields must outlive what is built from
// them.
struct SolidMotion {
  // m, negative inside; in absolute value no more than the true distance. Null: no solids.
  const ScalarField* distance = nullptr;
  const VelocityField* velocity = nullptr;  // null: at rest
  // Where liquid vanishes: m, negative inside. Null: nowhere.
  const ScalarField* outlets = nullptr;
};

enum class GridKind {
  // Velocities never leave the range of those around: for what is carried, which must not grow.
  bounded,
  // At the boundary and beyond they may leave it by twice the range, as linear velocities do, so
  // that surfaces do not lag behind; and nodes are sharpened (grid_layers.hpp). For paths.
  sharp,
};

// Of GridKind::sharp, in ranges of velocities. With more, flat surfaces of linear velocities lag
// just as little.
inline constexpr double kSharpRoom = 2;

struct VelocityGridParams {
  GridKind kind = GridKind::bounded;
  // Of the tetrahedra that nodes are in, 1/s: the grid's cells get it (grid_divergence.hpp). Empty:
  // they are left as they are.
  std::span<const float> divergence = {};
};

// The size of a mesh's finest cells, m.
[[nodiscard]] double finest_cell_size(const TetMesh& mesh, const CellMesh& cells);

// Nodes at multiples of that size, as the corners of the mesh's lattice mostly are; counted from
// the mesh on, wherever it is.
[[nodiscard]] Lattice lattice_around(const TetMesh& mesh, const CellMesh& cells);

// The cell that a point lies in; false if the point is too far away to have one.
[[nodiscard]] bool find_cell(const Lattice& lattice, const Vec3& point, Vec3i& cell);

class VelocityGrid final : public VelocityField {
 public:
  explicit VelocityGrid(GridNodes nodes) : nodes_(std::move(nodes)) {}

  // Beyond the reach, and too deep inside, not a number.
  void evaluate(std::span<const Vec3> points, std::span<Vec3> velocities) const override;

  [[nodiscard]] const Lattice& lattice() const { return nodes_.lattice; }
  [[nodiscard]] const BlockSet& blocks() const { return nodes_.blocks; }
  [[nodiscard]] std::int64_t bytes() const {
    return static_cast<std::int64_t>(nodes_.values.size() * sizeof(Vec3));
  }

 private:
  GridNodes nodes_;
};

// What does not depend on velocities.
struct GridPlaces {
  LocatedNodes nodes;
  BoundaryNodes boundary;

  GridPlaces(const TetMesh& mesh, std::span<const BoundaryVertex> boundary_vertices,
             LocatedNodes located);
};

// A grid for each of `kinds`, all with the same nodes.
[[nodiscard]] std::vector<VelocityGrid> velocity_grids(const TetMesh& mesh,
                                                       const VertexVelocity& at_vertices,
                                                       const GridPlaces& places,
                                                       std::span<const VelocityGridParams> kinds,
                                                       const SolidMotion& solids = {});

}  // namespace spindrift
