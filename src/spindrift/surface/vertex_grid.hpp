// The vertices of a contour, found by where they are.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "spindrift/levelset/block_set.hpp"
#include "spindrift/levelset/lattice.hpp"

namespace spindrift {

class VertexGrid {
 public:
  VertexGrid() = default;
  VertexGrid(const Lattice& lattice, std::span<const Vec3> vertices);

  // The vertex closest to `point`, or -1 if none is within `reach` (lattice units, at most 8).
  [[nodiscard]] std::int32_t closest(const Vec3& point, double reach) const;

  // The vertex on the lattice edge from `node` to the next one along x, or -1.
  [[nodiscard]] std::int32_t on_x_edge(const Vec3i& node) const;

 private:
  Lattice lattice_;
  BlockSet blocks_;
  std::vector<std::int32_t> starts_;  // the vertices of block b are order_[starts_[b]] and on
  std::vector<std::int32_t> order_;
  std::vector<Vec3> points_;  // lattice coordinates of the vertices, in that order
};

}  // namespace spindrift
