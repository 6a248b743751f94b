// Points near places, for many more places than points: each cube of a lattice has a list of those
// that may be within reach of a place in it.
//
//   const PointLists points(places, lattice, 2, reach);
//   PointLists::Reader near(points);
//   near.for_each_near(points.find(place), [&](std::size_t point, double squared) { ... });
//   const double squared = near.closest(points.find(place));
//
// Several kinds of points with the same lattice and side share what find() says.
#pragma once

#include <algorithm>
#include <limits>
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

  struct Place {
    Vec3 p;      // voxels
    Vec3i cube;  // that it is in
  };
  [[nodiscard]] Place find(const Vec3& place) const {
    const Vec3 p = lattice_.to_lattice(place);
    return {p, cube_of(p)};
  }

  class Reader {
   public:
    explicit Reader(const PointLists& lists) : lists_(lists), blocks_(lists.blocks_) {}

    // visit(index of the point, squared distance in voxels) for all within reach of a place.
    // Places that follow each other closely take less time.
    template <class Visit>
    void for_each_near(const Place& place, const Visit& visit) {
      for_each_listed(place, [&](std::size_t i, double squared) {
        if (squared < lists_.reach_ * lists_.reach_) visit(i, squared);
      });
    }

    // The squared distance, voxels, of the closest one within reach; infinite if there is none.
    [[nodiscard]] double closest(const Place& place) {
      constexpr double kInfinite = std::numeric_limits<double>::infinity();
      double least = kInfinite;
      for_each_listed(place,
                      [&](std::size_t, double squared) { least = std::min(least, squared); });
      return least < lists_.reach_ * lists_.reach_ ? least : kInfinite;
    }

   private:
    // Some are out of reach.
    template <class Visit>
    void for_each_listed(const Place& place, const Visit& visit) {
      const std::int32_t block = blocks_.find(block_of_node(place.cube));
      if (block < 0) return;
      const std::size_t list = place_of(block, place.cube);
      const std::size_t end = lists_.starts_[list + 1];
      for (std::size_t k = lists_.starts_[list]; k < end; ++k) {
        const auto i = static_cast<std::size_t>(lists_.points_[k]);
        visit(i, (lists_.places_[i] - place.p).squaredNorm());
      }
    }

    const PointLists& lists_;
    BlockFinder blocks_;
  };

 private:
  [[nodiscard]] Vec3i cube_of(const Vec3& p) const {
    return (p * per_voxel_).array().floor().cast<int>();
  }
  struct Range {
    Vec3i low, high;
  };
  [[nodiscard]] Range range_around(const Vec3& p) const;
  void add_lists_of(const Vec3& p, BlockFinder& finder, std::vector<std::uint32_t>& lists) const;

  Lattice lattice_;
  double side_;
  double per_voxel_;  // 1 / side
  double reach_;
  std::vector<Vec3> places_;      // of the points, voxels
  BlockSet blocks_;               // of cubes
  Buffer<std::uint32_t> starts_;  // of the list of each of their cubes
  Buffer<std::int32_t> points_;   // list by list
};

}  // namespace spindrift
