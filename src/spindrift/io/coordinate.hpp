// Which numbers a file may give as a coordinate or a velocity component.
#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>

namespace spindrift {

// Far beyond any scene; areas, volumes and their products still fit a double.
inline constexpr double kLargestCoordinate = 1e15;

// False for NaN and infinities too.
[[nodiscard]] inline bool is_coordinate(double value) {
  return value <= kLargestCoordinate && value >= -kLargestCoordinate;
}

// What is wrong with a `value` that is_coordinate() refuses.
[[nodiscard]] inline std::string not_a_coordinate(std::string_view what, double value) {
  if (value - value == 0) return fmt::format("{} is {:g}, which is beyond 1e15", what, value);
  return fmt::format("{} is {}, not a finite number", what, value);
}

}  // namespace spindrift
