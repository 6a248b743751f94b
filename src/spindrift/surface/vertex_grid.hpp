// The vertices of a contour, found by where they are.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "spindrift/core/simd.hpp"
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
  std::vector<std::int32_t> starts_;     // the vertices of block b: points_[starts_[b]] and on
  std::vector<Lanes3<Double4>> points_;  // in lattice coordinates; beyond the last, infinity
  std::vector<std::int32_t> order_;      // which vertices they are, four to each of points_
};

}  // namespace spindrift
