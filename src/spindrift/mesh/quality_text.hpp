// The quality of a mesh in words and bars, for people.
#pragma once

#include <string>
#include <vector>

#include "spindrift/mesh/quality.hpp"

namespace spindrift {

// A line each of volume, the range of angles and where its ends are, what is wrong, and a histogram
// of the angles. `input_volume`, in m^3, is what the mesh should fill; 0: not known.
[[nodiscard]] std::vector<std::string> quality_lines(const TetQuality& quality,
                                                     double input_volume = 0);

// One line for each bin from the first to the last that is not empty; none for an empty mesh.
[[nodiscard]] std::vector<std::string> histogram_lines(const TetQuality& quality);

}  // namespace spindrift
