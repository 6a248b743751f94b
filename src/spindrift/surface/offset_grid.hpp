// By how much a surface is offset around points: as much as the closest of them says, fading out
// with the distance from it. On a grid, trilinear between its nodes: meshers look at many places
// between the same few points.
#pragma once

#include <span>
#include <vector>

#include "spindrift/geometry/fields.hpp"
#include "spindrift/levelset/block_finder.hpp"
#include "spindrift/levelset/lattice.hpp"

namespace spindrift {

// The blocks of a lattice with nodes within `reach` of places, m.
[[nodiscard]] BlockSet blocks_around(std::span<const Vec3> places, const Lattice& lattice,
                                     double reach);

struct OffsetPoints {
  std::span<const Vec3> places;
  std::span<const double> offsets;  // m, outwards
  double whole = 0, none = 0;       // m: up to where offsets are whole, and where there is none
};

class OffsetGrid {
 public:
  // On the nodes of `lattice`; 0 where that is out of the surface's reach.
  OffsetGrid(const OffsetPoints& points, const ScalarField& liquid, const Lattice& lattice);

  // m, at places that mostly follow each other closely.
  class Reader {
   public:
    explicit Reader(const OffsetGrid& grid) : grid_(grid), blocks_(grid.blocks_) {}
    [[nodiscard]] double operator()(const Vec3& place);
    // At a node of the grid.
    [[nodiscard]] double at_node(const Vec3i& node) {
      const std::int32_t number = blocks_.find(block_of_node(node));
      return number < 0 ? 0 : double{grid_.values_[place_of(number, node)]};
    }

   private:
    const OffsetGrid& grid_;
    BlockFinder blocks_;
  };

 private:
  Lattice lattice_;
  BlockSet blocks_;
  std::vector<float> values_;  // kBlockNodes of each block, m
};

}  // namespace spindrift
