#include "spindrift/mesh/quality_text.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "spindrift/core/text.hpp"
#include "spindrift/geometry/point_text.hpp"

namespace spindrift {

namespace {

constexpr double kLongestBar = 40;  // characters

std::string place_text(const ExtremeTet& extreme, const char* unit) {
  return fmt::format("{:.4g} {} in tetrahedron {} at {}", extreme.value, unit, extreme.tet,
                     point_text(extreme.barycentre));
}

}  // namespace

std::vector<std::string> histogram_lines(const TetQuality& quality) {
  const auto& bins = quality.dihedrals;
  const std::int64_t most = *std::max_element(bins.begin(), bins.end());
  std::vector<std::string> lines;
  if (most == 0) return lines;
  std::size_t first = 0, last = bins.size() - 1;
  while (bins[first] == 0) ++first;
  while (bins[last] == 0) --last;
  for (std::size_t k = first; k <= last; ++k) {
    // What is there shows, however little it is.
    const double share = static_cast<double>(bins[k]) / static_cast<double>(most);
    const long long length = std::llround(kLongestBar * share);
    const std::string bar(bins[k] > 0 ? std::max(1LL, length) : 0, '#');
    const double from = static_cast<double>(k) * kDihedralBinDegrees;
    std::string line = fmt::format(
        "{:>3.0f} - {:>3.0f}  {:<40}  {:>5.1f} %  {}", from, from + kDihedralBinDegrees, bar,
        100 * static_cast<double>(bins[k]) / (6 * static_cast<double>(quality.tets)),
        with_commas(bins[k]));
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<std::string> quality_lines(const TetQuality& quality, double input_volume) {
  std::vector<std::string> lines;
  std::string volume = fmt::format("volume    {:.6g} m3", quality.volume);
  if (input_volume != 0) {
    volume += fmt::format("; the input has {:.6g} m3 ({:+.2g} %)", input_volume,
                          100 * (quality.volume - input_volume) / input_volume);
  }
  lines.push_back(std::move(volume));
  if (quality.tets == 0) return lines;
  lines.push_back(fmt::format("dihedral  from {:.4g} to {:.4g} degrees", quality.min_dihedral.value,
                              quality.max_dihedral.value));
  lines.push_back("least     " + place_text(quality.min_dihedral, "degrees"));
  lines.push_back("greatest  " + place_text(quality.max_dihedral, "degrees"));
  if (quality.not_positive > 0) {
    std::string wrong = "wrong     " + count_of(quality.not_positive, "tetrahedron", "tetrahedra") +
                        " flat, inside out or not finite";
    if (quality.min_volume.tet >= 0)
      wrong += "; the least has " + place_text(quality.min_volume, "m3");
    lines.push_back(std::move(wrong));
  }
  for (std::string& line : histogram_lines(quality)) lines.push_back("  " + std::move(line));
  return lines;
}

}  // namespace spindrift
