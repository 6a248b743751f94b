#include "spindrift/render/camera.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include <fmt/format.h>

#include "spindrift/core/error.hpp"
#include "spindrift/core/stable_length.hpp"
#include "spindrift/core/text.hpp"

namespace spindrift {

namespace {

constexpr double kLeastFov = 1, kMostFov = 170;  // degrees
// From the middle of the scene to the eye: 30 degrees right of the front, 21 degrees up.
const Vec3 kThreeQuarter = Vec3(0.467, -0.809, 0.358).normalized();
// Room around the box, as a part of the picture's half size.
constexpr double kMargin = 0.07;

constexpr const char* kUsage = "write eye=x,y,z:target=x,y,z:fov=degrees, each part optional";

bool is_finite(const Vec3& v) { return v.allFinite(); }

double half_tangent(double fov_degrees) { return std::tan(fov_degrees * std::numbers::pi / 360); }

// Walks over the text and knows where it is, for the errors.
class CameraText {
 public:
  explicit CameraText(std::string_view text) : text_(text) {}

  CameraWish parse() {
    CameraWish wish;
    for (;;) {
      parse_part(wish);
      if (position_ == text_.size()) return wish;
      ++position_;  // the colon
    }
  }

 private:
  void parse_part(CameraWish& wish) {
    const std::size_t start = position_;
    const std::string_view part = text_.substr(start, text_.find(':', start) - start);
    const std::size_t equals = part.find('=');
    if (part.empty()) fail(start, "a part is empty", kUsage);
    if (equals == std::string_view::npos) {
      fail(start, fmt::format("'{}' has no '='", part), kUsage);
    }
    const std::string key(part.substr(0, equals));
    end_ = start + part.size();
    position_ = start + equals + 1;
    if (key == "eye") {
      set(wish.eye, numbers<3>(key), key, start);
    } else if (key == "target") {
      set(wish.target, numbers<3>(key), key, start);
    } else if (key == "fov") {
      const std::size_t number = position_;
      set(wish.fov_degrees, numbers<1>(key)[0], key, start);
      if (!(*wish.fov_degrees >= kLeastFov && *wish.fov_degrees <= kMostFov)) {
        fail(number, fmt::format("fov is {} degrees", *wish.fov_degrees),
             fmt::format("write an angle from {} to {}", kLeastFov, kMostFov));
      }
    } else {
      const std::array<std::string, 3> keys = {"eye", "target", "fov"};
      const std::string meant = nearest_word(key, keys);
      fail(start, fmt::format("'{}' is not a part of a camera", key),
           meant.empty() ? kUsage : fmt::format("did you mean '{}'?", meant));
    }
  }

  template <class T, class Value>
  void set(std::optional<T>& part, const Value& value, const std::string& key, std::size_t start) {
    if (part) fail(start, fmt::format("'{}' is given twice", key), "leave one of them out");
    part = value;
  }

  template <int kCount>
  Eigen::Matrix<double, kCount, 1> numbers(const std::string& key) {
    Eigen::Matrix<double, kCount, 1> values;
    const std::string advice = kCount == 1 ? fmt::format("write {}=degrees", key)
                                           : fmt::format("write {}=x,y,z in metres", key);
    for (int i = 0; i < kCount; ++i) {
      const std::size_t start = position_;
      const std::size_t comma = std::min(text_.find(',', start), end_);
      const std::string_view word = text_.substr(start, comma - start);
      const auto [last, error] = std::from_chars(word.data(), word.data() + word.size(), values[i]);
      if (word.empty()) fail(start, fmt::format("a number of '{}' is missing", key), advice);
      if (error != std::errc() || last != word.data() + word.size() || !std::isfinite(values[i])) {
        fail(start, fmt::format("'{}' is not a number", word), advice);
      }
      position_ = comma;
      if (i + 1 < kCount) {
        if (position_ == end_) fail(position_, fmt::format("'{}' needs 3 numbers", key), advice);
        ++position_;
      }
    }
    if (position_ != end_) {
      fail(position_, fmt::format("'{}' has too many numbers", key), advice);
    }
    return values;
  }

  [[noreturn]] static void fail(std::size_t position, std::string problem, std::string advice) {
    throw InputError({.file = "--camera", .line = 1, .column = static_cast<int>(position) + 1},
                     std::move(problem), std::move(advice));
  }

  std::string_view text_;
  std::size_t position_ = 0, end_ = 0;
};

// Coordinates of the box's corners along the camera's axes, from `origin`.
Eigen::Matrix<double, 3, 8> seen_corners(const Box3& box, const Vec3& origin,
                                         const CameraAxes& axes) {
  Eigen::Matrix<double, 3, 8> seen;
  for (int i = 0; i < 8; ++i) {
    const Vec3 offset = box.corner(static_cast<Box3::CornerType>(i)) - origin;
    seen.col(i) = Vec3(offset.dot(axes.right), offset.dot(axes.up), offset.dot(axes.forward));
  }
  return seen;
}

// Least distance from the target at which all corners are inside the picture.
double framing_distance(const Eigen::Matrix<double, 3, 8>& seen, double tan_x, double tan_y) {
  double distance = 0;
  for (int i = 0; i < 8; ++i) {
    const Vec3 c = seen.col(i);
    distance =
        std::max({distance, std::abs(c.x()) / tan_x - c.z(), std::abs(c.y()) / tan_y - c.z()});
  }
  return distance;
}

// A box that can be framed: never empty, never without size.
Box3 framed_box(const Box3& bounds) {
  const bool usable = !bounds.isEmpty() && is_finite(bounds.min()) && is_finite(bounds.max());
  const Vec3 center = usable ? Vec3(bounds.center()) : Vec3::Zero();
  const double least = 1e-14 * center.cwiseAbs().maxCoeff();
  if (usable && bounds.sizes().maxCoeff() > least) return bounds;
  const double half = std::max(0.5, 1e3 * least);
  return {center - Vec3::Constant(half), center + Vec3::Constant(half)};
}

}  // namespace

CameraWish parse_camera(std::string_view text) { return CameraText(text).parse(); }

CameraAxes camera_axes(const Camera& camera) {
  const Location where{.file = "camera"};
  if (!is_finite(camera.eye) || !is_finite(camera.target)) {
    throw InputError(where, "eye or target is not finite", "write three numbers in metres");
  }
  if (!(camera.fov_degrees >= kLeastFov && camera.fov_degrees <= kMostFov)) {
    throw InputError(where, fmt::format("fov is {} degrees", camera.fov_degrees),
                     fmt::format("write an angle from {} to {}", kLeastFov, kMostFov));
  }
  const Vec3 view = camera.target - camera.eye;
  const double length = stable_length(view);
  // Closer than rounding lets the direction be known.
  const double least =
      16 * std::numeric_limits<double>::epsilon() *
      std::max(camera.eye.cwiseAbs().maxCoeff(), camera.target.cwiseAbs().maxCoeff());
  if (!(length > least)) {
    throw InputError(where, "eye and target are the same point", "move one of them");
  }
  CameraAxes axes;
  axes.forward = view / length;
  const bool vertical = axes.forward.head<2>().norm() < 1e-6;
  axes.right = axes.forward.cross(vertical ? Vec3::UnitY() : Vec3::UnitZ()).normalized();
  axes.up = axes.right.cross(axes.forward);
  return axes;
}

Camera complete_camera(const CameraWish& wish, const Box3& bounds, double aspect) {
  SPINDRIFT_ASSERT(aspect > 0);
  const Box3 box = framed_box(bounds);
  Camera camera;
  camera.fov_degrees = wish.fov_degrees.value_or(camera.fov_degrees);
  camera.target = wish.target.value_or(Vec3(box.center()));
  if (wish.eye) {
    camera.eye = *wish.eye;
    return camera;
  }
  const double tan_y = half_tangent(camera.fov_degrees) * (1 - kMargin);
  const double tan_x = tan_y * aspect;
  camera.eye = camera.target + kThreeQuarter * box.sizes().norm();
  const CameraAxes axes = camera_axes(camera);
  // Perspective makes the near side of a centred box the larger one; a few steps centre its
  // outline.
  constexpr int kSteps = 8;
  for (int step = 0;; ++step) {
    const auto seen = seen_corners(box, camera.target, axes);
    const double distance = framing_distance(seen, tan_x, tan_y);
    camera.eye = camera.target - distance * axes.forward;
    if (wish.target || step == kSteps) return camera;
    const Eigen::Array<double, 1, 8> depth = seen.row(2).array() + distance;
    const Eigen::Array<double, 1, 8> x = seen.row(0).array() / depth,
                                     y = seen.row(1).array() / depth;
    camera.target +=
        distance / 2 *
        ((x.minCoeff() + x.maxCoeff()) * axes.right + (y.minCoeff() + y.maxCoeff()) * axes.up);
  }
}

Camera frame_camera(const Box3& bounds, double aspect) {
  return complete_camera({}, bounds, aspect);
}

}  // namespace spindrift
