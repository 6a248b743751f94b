// Which tetrahedron a point lies in.
//
//   const TetLocator locator(mesh, neighbors);
//   locator.find(points, tets);  // -1: outside
//
// Down an octree to a cell, then from face to face towards the point [Chentanez 2007, section
// 3.3.2]. Where a walk ends at the boundary it proves nothing, as meshes are not convex; the answer
// then follows from the boundary faces that touch the cell (docs/methods/meshing.md).
//
// The answer is exact: the lowest of the tetrahedra that contain the point, faces included, and -1
// only if there is none. It does not depend on the way that led there: alone, with any hint or
// among others, with any number of threads. The mesh must be conforming and must not overlap
// itself. Tetrahedra that are flat contain nothing; points that are not finite are outside.
#pragma once

#include <cstdint>
#include <span>

#include "spindrift/mesh/location_bricks.hpp"

namespace spindrift {

struct TetWalk;

class TetLocator {
 public:
  // Both must outlive the locator. `neighbors` as from find_neighbors().
  TetLocator(const TetMesh& mesh, const TetNeighbors& neighbors)
      : mesh_(&mesh), neighbors_(&neighbors), bricks_(mesh, neighbors) {}

  [[nodiscard]] std::int32_t find(const Vec3& point) const;

  // Faster if the point is close to tetrahedron `hint`; -1: no hint.
  [[nodiscard]] std::int32_t find(const Vec3& point, std::int32_t hint) const;

  // Many at once, in parallel; points in any order. `tets` gets an answer for each point.
  void find(std::span<const Vec3> points, std::span<std::int32_t> tets) const;

  // Memory of its own.
  [[nodiscard]] std::int64_t bytes() const { return bricks_.bytes(); }

 private:
  using Place = LocationBricks::Place;
  struct Crossings;

  [[nodiscard]] std::int32_t find_at(const Vec3& point, const Place& place) const;
  // After a walk from the cell's seed.
  [[nodiscard]] std::int32_t find_after(const TetWalk& walk, const Vec3& point,
                                        const Place& place) const;
  // After a walk from the seed that got stuck, or where there is no seed.
  [[nodiscard]] std::int32_t find_without_seed(const Vec3& point, const Place& place) const;
  // For a point on a face of `tet`: the lowest tetrahedron around it.
  [[nodiscard]] std::int32_t lowest_around(const Vec3& point, std::int32_t tet,
                                           const Place& place) const;
  // How often the way from the centre of the cell to the point crosses the boundary.
  [[nodiscard]] Crossings count_crossings(const Vec3& point, const Place& place) const;
  // Looks at all tetrahedra that touch the cell.
  [[nodiscard]] std::int32_t search(const Vec3& point, const Place& place) const;
  // Points by their numbers in `order`: several walks at a time, as each step waits for memory.
  void find_together(std::span<const Vec3> points, std::span<const Place> places,
                     std::span<const std::int32_t> order, std::span<std::int32_t> tets) const;

  const TetMesh* mesh_;
  const TetNeighbors* neighbors_;
  LocationBricks bricks_;
};

}  // namespace spindrift
