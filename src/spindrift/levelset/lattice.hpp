// A cubic lattice in space: nodes with integer coordinates, `spacing` apart.
//
// Lengths in lattice units are multiples of the spacing. Cell (i, j, k) is the cube whose lowest
// node is (i, j, k).
#pragma once

#include "spindrift/core/vec.hpp"

namespace spindrift {

struct Lattice {
  Vec3 origin = Vec3::Zero();  // position of node (0, 0, 0), m
  double spacing = 1;          // m

  [[nodiscard]] Vec3 position(const Vec3& lattice_point) const {
    return origin + spacing * lattice_point;
  }
  [[nodiscard]] Vec3 position(const Vec3i& node) const {
    return position(Vec3(node.cast<double>()));
  }
  [[nodiscard]] Vec3 to_lattice(const Vec3& position) const {
    return (position - origin) / spacing;
  }
};

}  // namespace spindrift
