// Points near the nodes of a lattice, for eight nodes at once: those of a cube of two by two by
// two, which have far fewer points within reach than eight in a row.
//
//   const NodePoints points(places, lattice, reach);
//   NodePoints::Block near(points);
//   near.move_to_block(blocks.first_node(b));
//   for (int cube = 0; cube < kBlockCubes; ++cube) {
//     if (!near.move_to(cube)) continue;
//     const Float8 closest = near.closest([&](std::size_t point, Float8 squared) { ... });
//     near.for_each_within(width, [&](std::size_t point, const Lanes3<Float8>& away, ...
//     ... block_values(b)[cube_node(cube, lane)]
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>
#include <vector>

#include "spindrift/core/buffer.hpp"
#include "spindrift/core/simd.hpp"
#include "spindrift/levelset/block_set.hpp"
#include "spindrift/surface/point_tiles.hpp"

namespace spindrift {

inline constexpr int kBlockCubes = kBlockNodes / 8;

// The first of a cube's nodes, from that of its block.
[[nodiscard]] inline Vec3i cube_offset(int cube) {
  return {2 * (cube & 3), 2 * (cube >> 2 & 3), 2 * (cube >> 4)};
}
// One of them, among the nodes of the block.
[[nodiscard]] inline int cube_node(int cube, int lane) {
  return node_in_block(cube_offset(cube)) + (lane & 1) + (lane >> 1 & 1) * kBlockSide +
         (lane >> 2) * kBlockSide * kBlockSide;
}

// Of a block, the values at the nodes of a cube.
[[nodiscard]] inline Float8 load_cube(const float* values, int cube) {
  const float* const first = values + cube_node(cube, 0);
  Float8 v;
  for (int pair = 0; pair < 4; ++pair) {
    __builtin_memcpy(reinterpret_cast<char*>(&v) + 8 * pair,
                     first + (pair & 1) * kBlockSide + (pair >> 1) * kBlockSide * kBlockSide, 8);
  }
  return v;
}
inline void store_cube(float* values, int cube, Float8 v) {
  float* const first = values + cube_node(cube, 0);
  for (int pair = 0; pair < 4; ++pair) {
    __builtin_memcpy(first + (pair & 1) * kBlockSide + (pair >> 1) * kBlockSide * kBlockSide,
                     reinterpret_cast<const char*>(&v) + 8 * pair, 8);
  }
}

class NodePoints {
 public:
  // `reach`: voxels, from nodes.
  NodePoints(std::span<const Vec3> points, const Lattice& lattice, double reach)
      : reach_(static_cast<float>(reach)), tiles_(points, lattice, kBlockSide) {}

  // The points that nodes of one block may have within reach, cube by cube.
  class Block {
   public:
    explicit Block(const NodePoints& all)
        : reach_(all.reach_), tiles_(all.tiles_), near_(all.tiles_, all.reach_) {}

    // `first`: its first node. Blocks that ascend take less time.
    void move_to_block(const Vec3i& first) {
      near_.move_to(block_key(block_of_node(first)));
      std::size_t count = 0;
      const std::size_t room = near_.count() + 7;
      for (Buffer<float>* const axis : {&x_, &y_, &z_, &from_middle_}) axis->resize(room);
      points_.resize(room);
      const auto outside = [](Float8 from_first) {  // how far off the nodes
        return lane_max(lane_max(-from_first, from_first - (kBlockSide - 1)), Float8{});
      };
      for (std::size_t k = 0; k < near_.count(); k += 8) {
        const Lanes3<Float8> place = near_.away(k, Vec3f::Zero());
        const Lanes3<Float8> off = {outside(place.x), outside(place.y), outside(place.z)};
        const Int8 is_near = dot(off, off) < reach_ * reach_;
        // What is beyond the last one is written over.
        const unsigned near = true_lanes(is_near);
        const Int8 places = bit_places(near);
        store8(x_.data() + count, permuted(place.x, places));
        store8(y_.data() + count, permuted(place.y, places));
        store8(z_.data() + count, permuted(place.z, places));
        store8(points_.data() + count,
               std::bit_cast<Int8>(permuted(std::bit_cast<Float8>(near_.numbers(k)), places)));
        count += static_cast<std::size_t>(std::popcount(near));
      }
      points_.resize(count);
      for (std::int32_t& point : points_) point = tiles_.order()[static_cast<std::size_t>(point)];
      const std::size_t whole = (count + 7) / 8 * 8;
      for (Buffer<float>* const axis : {&x_, &y_, &z_}) {
        axis->resize(whole);
        std::fill(axis->begin() + static_cast<std::ptrdiff_t>(count), axis->end(), kFarAway);
      }
      from_middle_.resize(whole);
    }

    [[nodiscard]] bool is_empty() const { return points_.empty(); }
    // Their indices.
    [[nodiscard]] std::span<const std::int32_t> points() const { return points_; }

    // False if no node of the block's cube has a point within reach. All that follows is for this
    // cube.
    [[nodiscard]] bool move_to(int cube) {
      first_ = cube_offset(cube).cast<float>();
      const Vec3f middle = first_ + Vec3f::Constant(0.5F);
      Float8 least_squared = splat8(kFarAway);
      for (std::size_t k = 0; k < x_.size(); k += 8) {
        const Lanes3<Float8> away = {load8(x_.data() + k) - middle.x(),
                                     load8(y_.data() + k) - middle.y(),
                                     load8(z_.data() + k) - middle.z()};
        const Float8 squared = dot(away, away);
        store8(from_middle_.data() + k, squared);
        least_squared = lane_min(least_squared, squared);
      }
      closest_to_middle_ = std::sqrt(least(least_squared));
      return closest_to_middle_ < reach_ + kHalfDiagonal;
    }

    // visit(index of the point, from it to the nodes, squared distances), in voxels, for all within
    // `reach` of a node, and some beyond.
    template <class Visit>
    void for_each_within(float reach, const Visit& visit) const {
      const float most = std::min(reach, reach_) + kHalfDiagonal;
      const Float8 x = first_.x() + Float8{0, 1, 0, 1, 0, 1, 0, 1};
      const Float8 y = first_.y() + Float8{0, 0, 1, 1, 0, 0, 1, 1};
      const Float8 z = first_.z() + Float8{0, 0, 0, 0, 1, 1, 1, 1};
      for (std::size_t k = 0; k < from_middle_.size(); k += 8) {
        const Int8 is_near = load8(from_middle_.data() + k) < most * most;
        for (unsigned left = true_lanes(is_near); left != 0; left &= left - 1) {
          const std::size_t i = k + static_cast<std::size_t>(std::countr_zero(left));
          const Lanes3<Float8> away = {x - x_[i], y - y_[i], z - z_[i]};
          visit(static_cast<std::size_t>(points_[i]), away,
                away.x * away.x + (away.y * away.y + away.z * away.z));
        }
      }
    }

    // The same for all that may be the closest to one of the nodes.
    template <class Visit>
    void for_each_closest(const Visit& visit) const {
      for_each_within(closest_to_middle_ + kHalfDiagonal, visit);
    }

   private:
    static constexpr float kFarAway = 1e9F;
    // Of a cube, and a little more.
    static constexpr float kHalfDiagonal = 0.86604F;

    float reach_;
    const PointTiles& tiles_;
    NearTile near_;
    Buffer<std::int32_t> points_;
    // From the first node, voxels.
    Buffer<float> x_, y_, z_;
    Vec3f first_ = Vec3f::Zero();  // of the cube's nodes
    Buffer<float> from_middle_;    // of the cube, squared
    float closest_to_middle_ = 0;
  };

 private:
  float reach_;
  PointTiles tiles_;  // as large as blocks
};

}  // namespace spindrift
