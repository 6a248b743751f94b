#include "spindrift/geometry/triangle.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace spindrift {

namespace {

Vec3 closest_point_on_segment(const Vec3& p, const Vec3& a, const Vec3& b) {
  const Vec3 along = b - a;
  const double length2 = along.squaredNorm();
  if (length2 == 0) return a;
  return a + std::clamp((p - a).dot(along) / length2, 0.0, 1.0) * along;
}

// Sine of the smallest corner below which a triangle is treated as its three edges: its normal has
// lost half of its digits there.
constexpr double kNeedleSine = 1e-8;

}  // namespace

Vec3 closest_point_on_triangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 ab = b - a, ac = c - a, ap = p - a;
  const Vec3 normal = ab.cross(ac);
  const double normal2 = normal.squaredNorm();
  if (normal2 > kNeedleSine * kNeedleSine * ab.squaredNorm() * ac.squaredNorm()) {
    const double weight_c = normal.dot(ab.cross(ap));
    const double weight_b = normal.dot(ap.cross(ac));
    if (weight_b >= 0 && weight_c >= 0 && weight_b + weight_c <= normal2) {
      return p - (normal.dot(ap) / normal2) * normal;
    }
  }
  const Vec3 candidates[3] = {closest_point_on_segment(p, a, b), closest_point_on_segment(p, b, c),
                              closest_point_on_segment(p, c, a)};
  return *std::min_element(
      std::begin(candidates), std::end(candidates),
      [&](const Vec3& u, const Vec3& v) { return (u - p).squaredNorm() < (v - p).squaredNorm(); });
}

double solid_angle_share(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
  // tan(angle / 2) as a quotient [van Oosterom and Strackee 1983].
  const Vec3 u = a - p, v = b - p, w = c - p;
  const double lu = u.norm(), lv = v.norm(), lw = w.norm();
  const double numerator = u.dot(v.cross(w));
  const double denominator = lu * lv * lw + u.dot(v) * lw + v.dot(w) * lu + w.dot(u) * lv;
  return std::atan2(numerator, denominator) / (2 * std::numbers::pi);
}

}  // namespace spindrift
