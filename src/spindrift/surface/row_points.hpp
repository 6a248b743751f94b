// Points near the nodes of a lattice, for the eight nodes of a block's row at once.
//
//   const RowPoints points(places, lattice, reach);
//   RowPoints::Block near(points, blocks.first_node(b));
//   near.for_each_near_row(y, z, [&](std::size_t point, const Lanes3<Float8>& away, Float8 squared)
//   ...
#pragma once

#include <span>
#include <vector>

#include "spindrift/core/simd.hpp"
#include "spindrift/surface/point_cubes.hpp"

namespace spindrift {

class RowPoints {
 public:
  // `reach`: voxels, from nodes. Refers to the points.
  RowPoints(std::span<const Vec3> points, const Lattice& lattice, double reach)
      : points_(points),
        lattice_(lattice),
        reach_(static_cast<float>(reach)),
        cubes_(points, lattice, reach + kHalfDiagonal) {}

  // The points that nodes of one block may have within reach.
  class Block {
   public:
    Block(const RowPoints& all, const Vec3i& first) : reach_(all.reach_) {
      const Vec3 middle = first.cast<double>().array() + kMiddle;
      all.cubes_.for_each_near(all.lattice_.position(middle), [&](std::size_t i, double) {
        const Vec3 p = all.lattice_.to_lattice(all.points_[i]) - first.cast<double>();
        near_.push_back({i, p.cast<float>()});
      });
    }

    [[nodiscard]] bool is_empty() const { return near_.empty(); }

    // visit(index of the point, from it to the nodes, squared distances), in voxels, for all within
    // reach of the row's line.
    template <class Visit>
    void for_each_near_row(int y, int z, const Visit& visit) const {
      const Float8 x = {0, 1, 2, 3, 4, 5, 6, 7};
      for (const Near& near : near_) {
        const float dy = static_cast<float>(y) - near.place.y();
        const float dz = static_cast<float>(z) - near.place.z();
        const float beside = dy * dy + dz * dz;
        if (beside >= reach_ * reach_) continue;
        const Float8 dx = x - near.place.x();
        visit(near.point, Lanes3<Float8>{dx, splat8(dy), splat8(dz)}, dx * dx + beside);
      }
    }

   private:
    struct Near {
      std::size_t point;
      Vec3f place;  // from the first node, voxels
    };
    float reach_;
    std::vector<Near> near_;
  };

 private:
  static constexpr double kMiddle = 0.5 * (kBlockSide - 1);
  static constexpr double kHalfDiagonal = 1.7321 * kMiddle;

  std::span<const Vec3> points_;
  Lattice lattice_;
  float reach_;
  PointCubes cubes_;
};

}  // namespace spindrift
