// Cells of one kind with a number each: what the stages of a method look like.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "spindrift/core/vec.hpp"

namespace spindrift {

enum class CellKind { point, line, tetrahedron, hexahedron };

[[nodiscard]] constexpr int corner_count(CellKind kind) {
  switch (kind) {
    case CellKind::point:
      return 1;
    case CellKind::line:
      return 2;
    case CellKind::tetrahedron:
      return 4;
    case CellKind::hexahedron:
      break;
  }
  return 8;
}

struct LabelledCells {
  CellKind kind = CellKind::point;
  std::vector<Vec3> points;           // m
  std::vector<std::int32_t> corners;  // corner_count(kind) of each cell; a hexahedron's go round
                                      // its lower square, then round the upper one
  std::string label;                  // what the numbers are
  std::vector<std::int32_t> labels;   // one for each cell

  [[nodiscard]] std::int64_t count() const { return std::ssize(labels); }
};

}  // namespace spindrift
