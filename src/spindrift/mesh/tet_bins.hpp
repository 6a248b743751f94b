// Tetrahedra sorted into bricks of 8 x 8 x 8 cells: those that may contain the centre of a cell,
// and those at the boundary.
#pragma once

#include <cstdint>
#include <span>

#include "spindrift/core/simd.hpp"
#include "spindrift/levelset/block_set.hpp"
#include "spindrift/mesh/tet_neighbors.hpp"

namespace spindrift {

// Cubic cells over a mesh, from (0, 0, 0) on.
struct CellGrid {
  Vec3 origin = Vec3::Zero();  // m
  double size = 1;             // m, of a cell
  double cells_per_metre = 1;
  Vec3 cell_count = Vec3::Zero();

  // In cells. It grows with each coordinate of the point even where it is rounded, so that a point
  // in a box has a cell between those of the box's lowest and highest corner, exactly.
  [[nodiscard]] Vec3 coordinates(const Vec3& point) const {
    return (point - origin) * cells_per_metre;
  }
  [[nodiscard]] Vec3i cell(const Vec3& point) const { return coordinates(point).cast<int>(); }
  [[nodiscard]] Vec3 point(const Vec3& coordinates) const { return origin + size * coordinates; }
  [[nodiscard]] bool has(const Vec3& coordinates) const {
    return (coordinates.array() >= 0).all() && (coordinates.array() < cell_count.array()).all();
  }
};

// The box of a tetrahedron in the coordinates of a grid, the same to the last bit as from
// coordinates(). The last lane means nothing.
struct LaneBox {
  Double4 min, max;
};
[[nodiscard]] inline Double4 lanes_of(const Vec3& v) { return Double4{v.x(), v.y(), v.z(), 0}; }
[[nodiscard]] inline LaneBox grid_box(const CellGrid& grid, const TetMesh& mesh, std::int64_t tet) {
  const Double4 a = lanes_of(mesh.corner(tet, 0));
  const Double4 b = lanes_of(mesh.corner(tet, 1));
  const Double4 c = lanes_of(mesh.corner(tet, 2));
  const Double4 d = lanes_of(mesh.corner(tet, 3));
  const Double4 origin = lanes_of(grid.origin);
  const Double4 scale = splat4(grid.cells_per_metre);
  return {(lane_min(lane_min(a, b), lane_min(c, d)) - origin) * scale,
          (lane_max(lane_max(a, b), lane_max(c, d)) - origin) * scale};
}
// Rounds towards zero.
[[nodiscard]] inline Vec3i whole_cells(Double4 coordinates) {
  using Int4 = std::int32_t __attribute__((vector_size(16)));
  const Int4 cells = __builtin_convertvector(coordinates, Int4);
  return {cells[0], cells[1], cells[2]};
}

struct TetBins {
  CellGrid grid;
  BlockSet bricks;
  Buffer<std::int64_t> starts;  // bin b is [starts[b], starts[b + 1])
  Buffer<std::int32_t> tets;    // of all bins, ascending in each

  [[nodiscard]] std::span<const std::int32_t> bin(std::int64_t brick) const {
    const auto b = static_cast<std::size_t>(brick);
    return {tets.data() + starts[b], tets.data() + starts[b + 1]};
  }
};

// Tetrahedra with a boundary face are in the bins of all bricks that their boxes touch; the others
// in those of the bricks where a box contains the centre of a cell, of 1, 2, 4 or 8 cells of the
// grid a side. Bricks without any are left out: none of their points is in the mesh.
//
// With cells about as long as the tetrahedra, larger if these differ so much that the larger ones
// would fill most bins. The same for any number of threads.
[[nodiscard]] TetBins bin_tets(const TetMesh& mesh, const TetNeighbors& neighbors);

}  // namespace spindrift
