// The tetrahedra of a frame, cut open by a plane.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "spindrift/io/vtu_read.hpp"

namespace spindrift::app {

// What tetrahedra are coloured by. `size` is the edge of the regular tetrahedron of their volume,
// in m; `angle` the smallest dihedral angle, in degrees.
enum class TetMeasure { size, angle, pressure, speed };
inline constexpr std::array<const char*, 4> kTetMeasures = {"size", "angle", "pressure", "speed"};

class TetView {
 public:
  explicit TetView(TetFile file);

  // Is this known of the tetrahedra?
  [[nodiscard]] bool has(TetMeasure measure) const { return !of(measure).empty(); }

  // What is left without the tetrahedra whose barycentre x has normal . x > offset: "position",
  // three vertices a triangle, and "value" of their tetrahedra; then "worst", twelve vertices for
  // each of the worst tetrahedra, cut away or not. The text says the range of the measure, how many
  // tetrahedra are left, and the angles of the worst.
  [[nodiscard]] std::string cut(const Vec3& normal, double offset, TetMeasure measure) const;

 private:
  [[nodiscard]] const std::vector<float>& of(TetMeasure measure) const {
    return values_[static_cast<std::size_t>(measure)];
  }
  void measure_shapes();
  void measure_arrays(const TetFile& file);
  void find_worst();
  [[nodiscard]] std::vector<std::int64_t> faces_left(
      const std::vector<std::uint8_t>& is_left) const;

  TetMesh mesh_;
  std::vector<std::array<std::int32_t, 4>> neighbors_;  // tetrahedra; -1: none
  std::array<std::vector<float>, kTetMeasures.size()> values_;
  std::vector<float> largest_angle_;  // degrees
  std::vector<std::int32_t> worst_;   // the worst first
};

}  // namespace spindrift::app
