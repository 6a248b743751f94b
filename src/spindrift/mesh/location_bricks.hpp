// What point location keeps of a mesh: for every cell, a tetrahedron to start from and the boundary
// faces in reach.
//
// An octree of two levels: bricks, found by their coordinates, and in each 1, 2, 4 or 8 cells along
// an axis. Where no boundary comes near there are about as many cells as the tetrahedra ask for;
// elsewhere the most. The centre of a cell is in the tetrahedron that is its seed, or outside if it
// has none. A cell that no boundary face touches is all inside or all outside, like its centre.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "spindrift/mesh/tet_bins.hpp"
#include "spindrift/mesh/tet_neighbors.hpp"

namespace spindrift {

class LocationBricks {
 public:
  LocationBricks() = default;
  LocationBricks(const TetMesh& mesh, const TetNeighbors& neighbors);

  // A cell, by the number of its brick and its own in there.
  struct Place {
    std::int32_t brick = -1;  // -1: no cell
    std::int32_t cell = 0;
  };
  // Of any point, finite or not. Faster if it is in brick `last`; -1: any.
  [[nodiscard]] Place place_of(const Vec3& point, std::int32_t last = -1) const;

  [[nodiscard]] std::int64_t brick_count() const { return std::ssize(bricks_); }

  // A tetrahedron that contains the centre of the cell; -1: the centre is outside.
  [[nodiscard]] std::int32_t seed(const Place& place) const {
    return seeds_[static_cast<std::size_t>(brick(place).first_seed + place.cell)];
  }
  // The boundary faces that touch the cell, and perhaps some more, as 4 tet + side.
  [[nodiscard]] std::span<const std::int32_t> boundary_faces(const Place& place) const {
    if (brick(place).first_start < 0) return {};
    const std::uint32_t* start = &starts_[static_cast<std::size_t>(brick(place).first_start)];
    return {faces_.data() + start[place.cell], faces_.data() + start[place.cell + 1]};
  }
  [[nodiscard]] Vec3 center(const Place& place) const;

  // Whether a box touches the cell. At least the boxes that have a point in the cell do.
  [[nodiscard]] bool touches(const Vec3& min, const Vec3& max, const Place& place) const;

  [[nodiscard]] std::int64_t bytes() const;

 private:
  struct Brick {
    std::int64_t first_seed = 0;
    std::int64_t first_start = -1;  // -1: no boundary face is near
    int shift = 0;                  // cells are 2^shift cells of the grid long
  };
  struct Part;

  [[nodiscard]] const Brick& brick(const Place& place) const {
    return bricks_[static_cast<std::size_t>(place.brick)];
  }
  [[nodiscard]] Vec3i cell_in_brick(const Place& place) const;

  CellGrid grid_;
  BlockSet set_;
  std::vector<Brick> bricks_;
  Buffer<std::int32_t> seeds_;
  Buffer<std::uint32_t> starts_;  // in `faces_`, one more than cells in each brick that has any
  Buffer<std::int32_t> faces_;
};

}  // namespace spindrift
