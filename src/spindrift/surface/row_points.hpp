// Points near the nodes of a lattice, for the eight nodes of a block's row at once.
//
//   const RowPoints points(places, lattice, reach);
//   RowPoints::Block near(points, blocks.first_node(b));
//   near.for_each_near_row(y, z, [&](std::size_t point, const Lanes3<Float8>& away, Float8 squared)
//   ...
#pragma once

#include <bit>
#include <span>
#include <vector>

#include "spindrift/core/simd.hpp"
#include "spindrift/levelset/block_set.hpp"
#include "spindrift/surface/point_tiles.hpp"

namespace spindrift {

class RowPoints {
 public:
  // `reach`: voxels, from nodes.
  RowPoints(std::span<const Vec3> points, const Lattice& lattice, double reach)
      : reach_(static_cast<float>(reach)), tiles_(points, lattice, kBlockSide) {}

  // The points that nodes of one block may have within reach.
  class Block {
   public:
    // `first`: its first node.
    Block(const RowPoints& all, const Vec3i& first) : reach_(all.reach_) {
      NearTile near(all.tiles_, all.reach_);
      near.move_to(block_key(block_of_node(first)));
      const auto outside = [](Float8 from_first) {  // how far off the nodes
        return lane_max(lane_max(-from_first, from_first - (kBlockSide - 1)), Float8{});
      };
      for (std::size_t k = 0; k < near.count(); k += 8) {
        const Lanes3<Float8> place = near.away(k, Vec3f::Zero());
        const Lanes3<Float8> off = {outside(place.x), outside(place.y), outside(place.z)};
        const Int8 is_near = dot(off, off) < reach_ * reach_;
        for (unsigned left = true_lanes(is_near); left != 0; left &= left - 1) {
          const int lane = std::countr_zero(left);
          const auto n =
              static_cast<std::size_t>(near.numbers()[k + static_cast<std::size_t>(lane)]);
          points_.push_back(static_cast<std::size_t>(all.tiles_.order()[n]));
          x_.push_back(place.x[lane]);
          y_.push_back(place.y[lane]);
          z_.push_back(place.z[lane]);
        }
      }
      const std::size_t whole = (points_.size() + 7) / 8 * 8;
      x_.resize(whole, 1e9F);  // far away
      y_.resize(whole, 1e9F);
      z_.resize(whole, 1e9F);
    }

    [[nodiscard]] bool is_empty() const { return points_.empty(); }
    // Their indices.
    [[nodiscard]] std::span<const std::size_t> points() const { return points_; }

    // visit(index of the point, from it to the nodes, squared distances), in voxels, for all within
    // reach of the row's line, or of the part of it between two nodes.
    template <class Visit>
    void for_each_near_row(int y, int z, const Visit& visit) const {
      for_each_near_row(0, kBlockSide - 1, y, z, visit);
    }
    template <class Visit>
    void for_each_near_row(int from, int to, int y, int z, const Visit& visit) const {
      const Float8 x = {0, 1, 2, 3, 4, 5, 6, 7};
      for (std::size_t first = 0; first < y_.size(); first += 8) {
        const Float8 dy = static_cast<float>(y) - load8(y_.data() + first);
        const Float8 dz = static_cast<float>(z) - load8(z_.data() + first);
        const Float8 beside = dy * dy + dz * dz;
        const Float8 at = load8(x_.data() + first);
        const Float8 ahead = lane_max(lane_max(static_cast<float>(from) - at, Float8{}),
                                      at - static_cast<float>(to));
        const Int8 is_near = beside + ahead * ahead < reach_ * reach_;
        for (unsigned near = true_lanes(is_near); near != 0; near &= near - 1) {
          const auto lane = static_cast<std::size_t>(std::countr_zero(near));
          const Float8 dx = x - x_[first + lane];
          visit(points_[first + lane], Lanes3<Float8>{dx, splat8(dy[lane]), splat8(dz[lane])},
                dx * dx + beside[lane]);
        }
      }
    }

   private:
    float reach_;
    std::vector<std::size_t> points_;
    // From the first node, voxels.
    std::vector<float> x_, y_, z_;
  };

 private:
  float reach_;
  PointTiles tiles_;  // as large as blocks
};

}  // namespace spindrift
