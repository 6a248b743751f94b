// Points near places, for many more places than points: each cube of a lattice has a list of those
// that may be within reach of a place in it.
//
//   const PointLists points(places, lattice, 2, reach);
//   PointLists::Reader near(points);
//   near.for_each_near(place, [&](std::size_t point, double squared) { ... });
#pragma once

#include <span>
#include <vector>

#include "spindrift/core/buffer.hpp"
#include "spindrift/levelset/block_finder.hpp"
#include "spindrift/levelset/lattice.hpp"

namespace spindrift {

class PointLists {
 public:
  // `side` of the cubes, and `reach`: voxels. Lists are short, and there are not too many, if the
  // side is about half of the reach.
  PointLists(std::span<const Vec3> points, const Lattice& lattice, double side, double reach);

  class Reader {
   public:
    explicit Reader(const PointLists& lists) : lists_(lists), blocks_(lists.blocks_) {}

    // visit(index of the point, squared distance in voxels) for all within reach of a place, m.
    // Places that follow each other closely take less time.
    template <class Visit>
    void for_each_near(const Vec3& place, const Visit& visit) {
      const Vec3 p = lists_.lattice_.to_lattice(place);
      const Vec3i cube = lists_.cube_of(p);
      const std::int32_t block = blocks_.find(block_of_node(cube));
      if (block < 0) return;
      const std::size_t list = place_of(block, cube);
      for (std::size_t k = lists_.starts_[list]; k < lists_.starts_[list + 1]; ++k) {
        const auto i = static_cast<std::size_t>(lists_.points_[k]);
        const double squared = (lists_.places_[i] - p).squaredNorm();
        if (squared < lists_.reach_ * lists_.reach_) visit(i, squared);
      }
    }

   private:
    const PointLists& lists_;
    BlockFinder blocks_;
  };

 private:
  [[nodiscard]] Vec3i cube_of(const Vec3& p) const {
    return (p / side_).array().floor().cast<int>();
  }
  template <class Visit>
  void for_each_cube_near(const Vec3& p, const Visit& visit) const;

  Lattice lattice_;
  double side_;
  double reach_;
  std::vector<Vec3> places_;      // of the points, voxels
  BlockSet blocks_;               // of cubes
  Buffer<std::uint32_t> starts_;  // of the list of each of their cubes
  Buffer<std::int32_t> points_;   // list by list
};

}  // namespace spindrift
