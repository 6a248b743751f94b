// Points as one says them.
#pragma once

#include <string>

#include <fmt/format.h>

#include "spindrift/core/vec.hpp"

namespace spindrift {

// "(1, 2, 3)" with up to five digits each.
[[nodiscard]] inline std::string point_text(const Vec3& v) {
  return fmt::format("({:.5g}, {:.5g}, {:.5g})", v.x(), v.y(), v.z());
}

}  // namespace spindrift
