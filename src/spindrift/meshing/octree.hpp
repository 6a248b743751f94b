// The octree of isosurface stuffing: finest cells at the surface, larger ones inside.
//
// Linear and in Morton order: a sorted list of bricks of 8^3 finest cells, and in each brick one
// bit for every octant that is split. Leaves are at most a brick large. Weakly balanced: leaves
// that share a face or an edge differ by at most one level. Leaves have at least the finest size
// wherever a vertex with a cut edge is near, so that warped vertices belong to lattice tetrahedra
// of the finest level only.
#pragma once

#include "spindrift/geometry/fields.hpp"
#include "spindrift/meshing/brick.hpp"

namespace spindrift {

// The signs of the lattice's vertices in a brick near the surface, and the field there.
struct SurfaceBrick {
  std::array<BlockMask, 2> inside{}, outside{};  // of corners and centres; neither: on the surface
  std::array<BlockMask, 2> marked{};             // on the surface, or with a cut edge
  std::array<std::array<float, kBlockNodes>, 2> values;
};

struct Brick {
  Vec3i place = Vec3i::Zero();
  BlockSet::Neighborhood around{};  // neighbouring bricks; -1: all of it is outside
  std::int32_t surface = -1;        // of the surface bricks; -1: all of it is inside
  // Bit k stands for octant k, x first: of 2 cells a side (4 x 4 x 4 of them), of 4 cells, of 8.
  std::uint64_t split2 = 0;
  std::uint8_t split4 = 0;
  bool split8 = false;
};

struct Octree {
  Vec3 origin = Vec3::Zero();  // m, the first corner of brick 0, 0, 0
  double size = 0;             // m, of the finest cells
  std::vector<Brick> bricks;   // in Morton order
  Buffer<SurfaceBrick> surface_bricks;

  [[nodiscard]] Vec3 position(const Vec3i& brick, const Vec3& units) const {
    return origin + 0.5 * size * (kBrickUnits * brick.cast<double>() + units);
  }
};

// Builds the octree of what lies inside, in `box`.
[[nodiscard]] Octree build_octree(const ScalarField& distance, const Box3& box, double size,
                                  bool uniform);

}  // namespace spindrift
