#include "spindrift/render/sphere_trace.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace spindrift::render_detail {

std::optional<Arrival> sphere_trace(const Shape& shape, const Vec3& origin, const Vec3& direction,
                                    const Span& span, double unit) {
  const double arrival = kArrival * unit;
  const bool inside = shape.distance(origin + span.begin * direction) < 0;
  const auto room_at = [&](double t) {
    const double distance = shape.distance(origin + t * direction);
    return inside ? -distance : distance;
  };
  // Along a flat wall the distance stays small for long. The least step grows by this factor a
  // step, so that every ray ends after some 400 steps; only rays that have already grazed for 200
  // steps may jump over something as large as a pixel.
  constexpr double kGrowth = 1.03;
  double t = span.begin, least_step = arrival;
  double room = room_at(t), before = t;
  while (room >= arrival) {
    before = t;
    t += std::max(room, least_step);
    if (t > span.end) return std::nullopt;
    least_step *= kGrowth;
    room = room_at(t);
  }
  // A least step may have gone through the surface: halve it until it has not.
  while (room < 0 && t - before > arrival) {
    const double middle = (before + t) / 2;
    const double room_there = room_at(middle);
    if (room_there >= arrival) {
      before = middle;
    } else {
      t = middle;
      room = room_there;
    }
  }
  return Arrival{t, inside};
}

std::optional<Span> clip_ray(const Box3& box, const Vec3& origin, const Vec3& direction) {
  Span span{0, std::numeric_limits<double>::infinity()};
  for (int axis = 0; axis < 3; ++axis) {
    const double low = box.min()[axis] - origin[axis], high = box.max()[axis] - origin[axis];
    if (direction[axis] == 0) {
      if (low > 0 || high < 0) return std::nullopt;
      continue;
    }
    const double a = low / direction[axis], b = high / direction[axis];
    span.begin = std::max(span.begin, std::min(a, b));
    span.end = std::min(span.end, std::max(a, b));
  }
  if (span.begin > span.end) return std::nullopt;
  return span;
}

}  // namespace spindrift::render_detail
