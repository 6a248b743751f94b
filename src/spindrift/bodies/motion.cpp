#include "spindrift/bodies/motion.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "spindrift/core/error.hpp"
#include "spindrift/core/stable_length.hpp"

namespace spindrift {

namespace {

constexpr double kRadiansPerDegree = std::numbers::pi / 180;

Vec3 unit(const Vec3& axis) {
  const double length = stable_length(axis);
  SPINDRIFT_ASSERT(length > 0 && std::isfinite(length));
  return axis / length;
}

Quat turn(const Vec3& unit_axis, double angle) { return Quat(Eigen::AngleAxisd(angle, unit_axis)); }

// +1 or -1 if two unit axes lie on the same line, otherwise 0.
int alignment(const Vec3& a, const Vec3& b) {
  constexpr double kSameAxis = 1e-9;  // sine of the angle between axes that are written alike
  if (a.cross(b).norm() > kSameAxis) return 0;
  return a.dot(b) > 0 ? 1 : -1;
}

}  // namespace

Motion::Segment Motion::between(const MotionKey& from, const MotionKey& to) {
  const double seconds = to.t - from.t;
  const double angle_from = from.degrees * kRadiansPerDegree;
  const double angle_to = to.degrees * kRadiansPerDegree;
  const Vec3 axis_from = unit(from.axis), axis_to = unit(to.axis);

  Segment segment;
  segment.begin = segment.epoch = from.t;
  segment.origin = from.translation;
  segment.drift = (to.translation - from.translation) / seconds;
  const int aligned = alignment(axis_from, axis_to);
  if (aligned != 0 || angle_from == 0 || angle_to == 0) {
    segment.axis = angle_to == 0 ? axis_from : axis_to;
    const double same_sense = aligned == -1 && angle_to != 0 ? -1 : 1;
    segment.angle = same_sense * angle_from;
    segment.rate = (angle_to - segment.angle) / seconds;
    return segment;
  }
  segment.base = turn(axis_from, angle_from);
  const Eigen::AngleAxisd step(turn(axis_to, angle_to) * segment.base.conjugate());
  segment.axis = unit(step.axis());
  segment.rate = step.angle() / seconds;
  return segment;
}

Motion Motion::keyframes(const std::vector<MotionKey>& keys) {
  SPINDRIFT_ASSERT(!keys.empty());
  Motion motion;
  for (std::size_t i = 0; i + 1 < keys.size(); ++i) {
    SPINDRIFT_ASSERT(keys[i].t < keys[i + 1].t);
    motion.segments_.push_back(between(keys[i], keys[i + 1]));
  }
  const MotionKey& last = keys.back();
  Segment rest;
  rest.begin = rest.epoch = last.t;
  rest.axis = unit(last.axis);
  rest.angle = last.degrees * kRadiansPerDegree;
  rest.origin = last.translation;
  motion.segments_.push_back(rest);
  return motion;
}

Motion Motion::spin(const SpinMotion& spin) {
  Segment segment;
  segment.begin = -std::numeric_limits<double>::infinity();
  segment.axis = unit(spin.axis);
  segment.rate = spin.rpm * 2 * std::numbers::pi / 60;
  segment.pivot = spin.center;
  segment.origin = spin.center;
  Motion motion;
  motion.segments_.push_back(segment);
  return motion;
}

const Motion::Segment* Motion::segment_at(double t) const {
  const auto after =
      std::upper_bound(segments_.begin(), segments_.end(), t,
                       [](double time, const Segment& segment) { return time < segment.begin; });
  return after == segments_.begin() ? nullptr : &*std::prev(after);
}

Pose Motion::pose(double t) const {
  if (segments_.empty()) return {};
  const Segment* found = segment_at(t);
  const Segment& segment = found ? *found : segments_.front();
  const double since = found ? t - segment.epoch : 0;
  Pose pose;
  pose.rotation = turn(segment.axis, segment.angle + since * segment.rate) * segment.base;
  pose.translation = segment.origin + since * segment.drift - pose.rotation * segment.pivot;
  return pose;
}

Vec3 Motion::velocity_in(const Segment& segment, const Vec3& point, double t) {
  const Vec3 center = segment.origin + (t - segment.epoch) * segment.drift;
  return segment.drift + segment.rate * segment.axis.cross(point - center);
}

Vec3 Motion::velocity(const Vec3& point, double t) const {
  const Segment* segment = segment_at(t);
  return segment ? velocity_in(*segment, point, t) : Vec3::Zero();
}

double Motion::max_speed(const Box3& box, double t0, double t1) const {
  if (box.isEmpty()) return 0;
  SPINDRIFT_ASSERT(box.min().allFinite() && box.max().allFinite() && t0 <= t1);
  // Within a segment the velocity is affine in the point and in t, so that its norm is convex: the
  // greatest speed is found at a corner of the box at one end of the time span.
  double greatest = 0;
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    const Segment& segment = segments_[i];
    const double begin = std::max(t0, segment.begin);
    const double end = i + 1 < segments_.size() ? std::min(t1, segments_[i + 1].begin) : t1;
    if (begin > end) continue;
    for (int corner = 0; corner < 8; ++corner) {
      const Vec3 point = box.corner(static_cast<Box3::CornerType>(corner));
      greatest = std::max({greatest, velocity_in(segment, point, begin).norm(),
                           velocity_in(segment, point, end).norm()});
    }
  }
  return greatest;
}

bool Motion::moves() const {
  return std::any_of(segments_.begin(), segments_.end(), [](const Segment& segment) {
    return segment.rate != 0 || segment.drift != Vec3::Zero();
  });
}

}  // namespace spindrift
