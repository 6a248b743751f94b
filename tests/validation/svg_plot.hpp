// Curves in a frame with axes, as an SVG picture.
#pragma once

#include <string>
#include <vector>

#include "spindrift/core/vec.hpp"

namespace spindrift::validation {

struct Curve {
  std::string label;
  std::vector<Vec2> points{};
  bool is_theory = false;  // thin, dashed, grey
};

struct Plot {
  std::string name;  // of its file, without folder and ending
  std::string title, x_label, y_label;
  std::vector<Curve> curves;
};

// Values at which an axis from `low` to `high` has its marks: about `count` round numbers.
[[nodiscard]] std::vector<double> axis_marks(double low, double high, int count);

// Points that are not finite are left out.
[[nodiscard]] std::string to_svg(const Plot& plot);

}  // namespace spindrift::validation
