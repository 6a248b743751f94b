// How rough a calm surface is, wavelength by wavelength: the spectrum of its mean curvature.
#pragma once

#include <vector>

#include "spindrift/core/vec.hpp"

namespace spindrift::validation {

// Heights on a grid, row after row, `spacing` metres apart; at least five in both directions.
struct HeightGrid {
  int columns = 0, rows = 0;
  double spacing = 0;
  std::vector<double> heights;
};

struct RoughnessBand {
  double shortest = 0, longest = 0;  // wavelengths, in spacings
  double curvature = 0;              // 1/m, root mean square
};

// Of octaves from two spacings to as long as the grid. Mean curvature is that of second
// differences, developed into cosines without its mean; the bands' squares add up to its mean
// square.
[[nodiscard]] std::vector<RoughnessBand> curvature_spectrum(const HeightGrid& grid);

}  // namespace spindrift::validation
