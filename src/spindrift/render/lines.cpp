#include "spindrift/render/lines.hpp"

#include <algorithm>
#include <cmath>

namespace spindrift::render_detail {

namespace {

constexpr double kWidth = 1.3;  // pixels, at a height of 540
constexpr float kOpacity = 0.75f, kHidden = 0.10f;
constexpr double kNear = 1e-3;  // nearest part shown, local units
// Lines on a surface are in front of it: local units.
constexpr double kBias = 4e-3;

// A place in the picture, in pixels, and the inverse of its depth along the view direction, which
// is linear along a line.
struct Projected {
  Vec2 place;
  double inverse_depth;
};

class LineDrawer {
 public:
  LineDrawer(const View& view, const Vec3f& color, std::vector<Pixel>& pixels)
      : view_(view),
        color_(color),
        pixels_(pixels),
        half_width_(kWidth / 2 * std::max(1.0, view.height / 540.0)),
        coverage_(pixels.size(), 0.0f) {}

  void add(Vec3 a, Vec3 b) {
    const double za = (a - view_.eye).dot(view_.forward), zb = (b - view_.eye).dot(view_.forward);
    if (za < kNear && zb < kNear) return;
    if (za < kNear) a = b + (zb - kNear) / (zb - za) * (a - b);
    if (zb < kNear) b = a + (za - kNear) / (za - zb) * (b - a);
    draw(project(a), project(b));
  }

  // Edges that meet in a pixel cover it once.
  void finish() {
    for (std::size_t i = 0; i < pixels_.size(); ++i) {
      const float c = coverage_[i];
      if (c <= 0) continue;
      Pixel& pixel = pixels_[i];
      pixel.rest = (1 - c) * pixel.light() + c * color_;
      pixel.sun.setZero();
      pixel.sky.setZero();
    }
  }

 private:
  Projected project(const Vec3& p) const {
    const Vec3 offset = p - view_.eye;
    const double depth = offset.dot(view_.forward);
    const double x = offset.dot(view_.right) / view_.right.squaredNorm() / depth;
    const double y = offset.dot(view_.up) / view_.up.squaredNorm() / depth;
    return {{(x + 1) / 2 * view_.width, (1 - y) / 2 * view_.height}, 1 / depth};
  }

  void draw(const Projected& a, const Projected& b) {
    const Vec2 along = b.place - a.place;
    // Walk the longer axis and cover a few pixels across.
    const int major = std::abs(along.x()) >= std::abs(along.y()) ? 0 : 1, minor = 1 - major;
    const int limit[2] = {view_.width, view_.height};
    const double low = std::min(a.place[major], b.place[major]) - half_width_;
    const double high = std::max(a.place[major], b.place[major]) + half_width_;
    const int begin = static_cast<int>(std::clamp(std::floor(low), 0.0, double(limit[major])));
    const int end = static_cast<int>(std::clamp(std::ceil(high), 0.0, double(limit[major])));
    const double reach = 2 * half_width_ + 2;
    for (int i = begin; i < end; ++i) {
      const double t = std::abs(along[major]) > 0
                           ? std::clamp((i + 0.5 - a.place[major]) / along[major], 0.0, 1.0)
                           : 0.0;
      const double middle = a.place[minor] + t * along[minor];
      const double first = std::clamp(std::floor(middle - reach), 0.0, double(limit[minor]));
      const double last = std::clamp(std::ceil(middle + reach), 0.0, double(limit[minor]));
      for (int j = static_cast<int>(first); j < static_cast<int>(last); ++j) {
        cover(major == 0 ? i : j, major == 0 ? j : i, a, b);
      }
    }
  }

  void cover(int x, int y, const Projected& a, const Projected& b) {
    const Vec2 center(x + 0.5, y + 0.5), along = b.place - a.place;
    const double length2 = along.squaredNorm();
    const double t =
        length2 > 0 ? std::clamp((center - a.place).dot(along) / length2, 0.0, 1.0) : 0.0;
    const double distance = (a.place + t * along - center).norm();
    const auto inside = static_cast<float>(std::clamp(half_width_ + 0.5 - distance, 0.0, 1.0));
    if (inside <= 0) return;
    const double depth = 1 / (a.inverse_depth + t * (b.inverse_depth - a.inverse_depth));
    const double along_ray = depth / view_.ray(center.x(), center.y()).dot(view_.forward);
    const std::size_t i = static_cast<std::size_t>(y) * view_.width + x;
    const bool hidden = pixels_[i].depth > 0 && pixels_[i].depth < along_ray - kBias;
    coverage_[i] = std::max(coverage_[i], inside * (hidden ? kHidden : kOpacity));
  }

  const View& view_;
  Vec3f color_;
  std::vector<Pixel>& pixels_;
  double half_width_;
  std::vector<float> coverage_;
};

}  // namespace

void draw_box(const Box3& box, const View& view, const Vec3f& color, std::vector<Pixel>& pixels) {
  LineDrawer drawer(view, color, pixels);
  // Corners are numbered by bits, x lowest; edges join those that differ in one bit.
  for (int corner = 0; corner < 8; ++corner) {
    for (int axis = 0; axis < 3; ++axis) {
      if ((corner >> axis & 1) != 0) continue;
      drawer.add(box.corner(static_cast<Box3::CornerType>(corner)),
                 box.corner(static_cast<Box3::CornerType>(corner | 1 << axis)));
    }
  }
  drawer.finish();
}

}  // namespace spindrift::render_detail
