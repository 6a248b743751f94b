// Light that arrives on a rectangle of the floor, counted in cells.
#pragma once

#include <vector>

#include "spindrift/render/sampling.hpp"

namespace spindrift::render_detail {

class CausticMap {
 public:
  CausticMap() = default;
  // About `cells` along the longer side.
  CausticMap(const Vec2f& low, const Vec2f& high, int cells);

  // Shares `light` out among the four nearest cells; what falls beside the map is lost.
  void add(const Vec2f& place, const Vec3f& light);
  // Light per area, times `scale`, smoothed over two cells: what few samples leave uneven.
  void finish(float scale);

  [[nodiscard]] bool covers(const Vec2f& place) const;
  // After finish(), where it covers.
  [[nodiscard]] Vec3f at(const Vec2f& place) const;

 private:
  // The cell left of and below a place, and how far from its middle, 0 to 1.
  struct Corner {
    int x, y;
    Vec2f part;
  };
  [[nodiscard]] Corner corner(const Vec2f& place) const;
  [[nodiscard]] Vec3f& cell(int x, int y) {
    return light_[static_cast<std::size_t>(y) * width_ + x];
  }
  [[nodiscard]] const Vec3f& cell(int x, int y) const {
    return light_[static_cast<std::size_t>(y) * width_ + x];
  }

  Vec2f low_ = Vec2f::Zero();
  float size_ = 1;  // of a cell
  int width_ = 0, height_ = 0;
  std::vector<Vec3f> light_;
};

}  // namespace spindrift::render_detail
