#include "spindrift/render/caustic_map.hpp"

#include <algorithm>
#include <cmath>

namespace spindrift::render_detail {

CausticMap::CausticMap(const Vec2f& low, const Vec2f& high, int cells)
    : low_(low), size_((high - low).maxCoeff() / static_cast<float>(cells)) {
  width_ = std::max(2, static_cast<int>(std::ceil((high.x() - low.x()) / size_)));
  height_ = std::max(2, static_cast<int>(std::ceil((high.y() - low.y()) / size_)));
  light_.assign(static_cast<std::size_t>(width_) * height_, Vec3f::Zero());
}

CausticMap::Corner CausticMap::corner(const Vec2f& place) const {
  const Vec2f at = (place - low_) / size_ - Vec2f::Constant(0.5f);
  const float x = std::floor(at.x()), y = std::floor(at.y());
  return {static_cast<int>(x), static_cast<int>(y), {at.x() - x, at.y() - y}};
}

bool CausticMap::covers(const Vec2f& place) const {
  if (width_ == 0 || !place.allFinite()) return false;
  const Vec2f at = (place - low_) / size_;
  return at.x() >= 0.5f && at.y() >= 0.5f && at.x() < static_cast<float>(width_) - 0.5f &&
         at.y() < static_cast<float>(height_) - 0.5f;
}

void CausticMap::add(const Vec2f& place, const Vec3f& light) {
  if (!covers(place)) return;
  const auto [x, y, part] = corner(place);
  cell(x, y) += (1 - part.x()) * (1 - part.y()) * light;
  cell(x + 1, y) += part.x() * (1 - part.y()) * light;
  cell(x, y + 1) += (1 - part.x()) * part.y() * light;
  cell(x + 1, y + 1) += part.x() * part.y() * light;
}

Vec3f CausticMap::at(const Vec2f& place) const {
  const auto [x, y, part] = corner(place);
  return (1 - part.y()) * ((1 - part.x()) * cell(x, y) + part.x() * cell(x + 1, y)) +
         part.y() * ((1 - part.x()) * cell(x, y + 1) + part.x() * cell(x + 1, y + 1));
}

void CausticMap::finish(float scale) {
  const float per_area = scale / (size_ * size_);
  // A B-spline of five taps, first along one axis, then the other; the edges are repeated.
  constexpr float kMiddle = 3.0f / 8, kNext = 1.0f / 4, kLast = 1.0f / 16;
  for (const bool along_x : {true, false}) {
    const std::vector<Vec3f> from = light_;
    const auto tap = [&](int x, int y, int step) -> const Vec3f& {
      if (along_x) x = std::clamp(x + step, 0, width_ - 1);
      if (!along_x) y = std::clamp(y + step, 0, height_ - 1);
      return from[static_cast<std::size_t>(y) * width_ + x];
    };
    for (int y = 0; y < height_; ++y) {
      for (int x = 0; x < width_; ++x) {
        cell(x, y) = kMiddle * tap(x, y, 0) + kNext * (tap(x, y, -1) + tap(x, y, 1)) +
                     kLast * (tap(x, y, -2) + tap(x, y, 2));
      }
    }
  }
  for (Vec3f& light : light_) light *= per_area;
}

}  // namespace spindrift::render_detail
