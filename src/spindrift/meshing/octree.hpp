// The octree of isosurface stuffing: finest cells at the surface, larger ones inside.
//
// Linear and in Morton order: a sorted list of bricks of 8^3 finest cells, and in each brick one
// bit for every octant that is split. Leaves are at most a brick large. Weakly balanced: leaves
// that share a face or an edge differ by at most one level. Leaves have at least the finest size
// wherever a vertex with a cut edge is near, so that warped vertices belong to lattice tetrahedra
// of the finest level only.
#pragma once

#include "spindrift/core/parallel.hpp"
#include "spindrift/geometry/fields.hpp"
#include "spindrift/meshing/brick.hpp"
#include "spindrift/meshing/volume.hpp"

namespace spindrift {

// The signs of the lattice's vertices in a brick near the surface.
struct SurfaceBrick {
  std::array<BlockMask, 2> inside{}, outside{};  // of corners and centres; neither: on the surface
  std::array<BlockMask, 2> marked{};             // on the surface, or with a cut edge
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

// The brick that holds a place, in half cells from the first corner of a brick no more than one
// brick away. -1: it is all outside.
[[nodiscard]] inline std::int32_t brick_at(const Brick& brick, const Vec3i& units) {
  static_assert(kBrickUnits == 16);
  const int neighbor = 13 + (units.x() >> 4) + 3 * (units.y() >> 4) + 9 * (units.z() >> 4);
  return brick.around[static_cast<std::size_t>(neighbor)];
}

// A vertex seen from a brick: whose it is, and where there.
struct Site {
  std::int32_t brick;
  Sublattice lattice;
  int node;
};
[[nodiscard]] inline Site site_at(const Brick& brick, const Vec3i& units) {
  return {brick_at(brick, units), static_cast<Sublattice>(units.x() & 1),
          node_in_block({units.x() >> 1, units.y() >> 1, units.z() >> 1})};
}

// Calls visit(brick) for every brick near the surface, in parallel.
template <class Visit>
void for_each_surface_brick(const Octree& tree, std::int64_t at_once, const Visit& visit) {
  parallel_for_each(
      std::ssize(tree.bricks),
      [&](std::int64_t b) {
        const Brick& brick = tree.bricks[static_cast<std::size_t>(b)];
        if (brick.surface >= 0) visit(brick);
      },
      at_once);
}

// Calls visit(low, side) for the leaves of a brick larger than the finest, in half cells from its
// first corner, in Morton order.
template <class Visit>
void for_each_larger_leaf(const Brick& brick, const Visit& visit) {
  if (!brick.split8) {
    visit(Vec3i(0, 0, 0), 16);
    return;
  }
  for (int o = 0; o < 8; ++o) {
    const Vec3i low = 8 * Vec3i(o & 1, o >> 1 & 1, o >> 2);
    if ((brick.split4 >> o & 1) == 0) {
      visit(low, 8);
      continue;
    }
    for (int p = 0; p < 8; ++p) {
      const Vec3i at = low + 4 * Vec3i(p & 1, p >> 1 & 1, p >> 2);
      const int octant = at.x() / 4 + at.y() + 4 * at.z();
      if ((brick.split2 >> octant & 1) == 0) visit(at, 4);
    }
  }
}

struct OctreeParams {
  bool uniform = false;                 // all cells are finest
  const ScalarField* sizing = nullptr;  // m, leaves inside are not larger; none: as they come
};

// Builds the octree of what lies inside a volume. Throws InputError if the surface leaves the grid.
[[nodiscard]] Octree build_octree(Volume& volume, const BrickGrid& grid,
                                  const OctreeParams& params);

}  // namespace spindrift
