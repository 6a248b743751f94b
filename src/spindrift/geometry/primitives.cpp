// Exact signed distances of the primitive shapes.
#include <algorithm>
#include <cmath>
#include <limits>

#include "spindrift/core/error.hpp"
#include "spindrift/core/stable_length.hpp"
#include "spindrift/geometry/shape.hpp"

namespace spindrift {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class BoxShape final : public Shape {
 public:
  BoxShape(const Vec3& min, const Vec3& max) : center_((min + max) / 2), half_((max - min) / 2) {}

  double distance(const Vec3& point) const override {
    const Vec3 q = (point - center_).cwiseAbs() - half_;
    return q.cwiseMax(0).norm() + std::min(q.maxCoeff(), 0.0);
  }
  Box3 bounds() const override { return {center_ - half_, center_ + half_}; }

 private:
  Vec3 center_, half_;
};

class SphereShape final : public Shape {
 public:
  SphereShape(const Vec3& center, double radius) : center_(center), radius_(radius) {}

  double distance(const Vec3& point) const override { return (point - center_).norm() - radius_; }
  Box3 bounds() const override {
    return {center_ - Vec3::Constant(radius_), center_ + Vec3::Constant(radius_)};
  }

 private:
  Vec3 center_;
  double radius_;
};

class CapsuleShape final : public Shape {
 public:
  CapsuleShape(const Vec3& from, const Vec3& to, double radius)
      : from_(from), along_(to - from), radius_(radius) {}

  double distance(const Vec3& point) const override {
    const Vec3 offset = point - from_;
    const double t = std::clamp(offset.dot(along_) / along_.squaredNorm(), 0.0, 1.0);
    return (offset - t * along_).norm() - radius_;
  }
  Box3 bounds() const override {
    Box3 box(from_);
    box.extend(from_ + along_);
    return {box.min() - Vec3::Constant(radius_), box.max() + Vec3::Constant(radius_)};
  }

 private:
  Vec3 from_, along_;
  double radius_;
};

// A convex profile in the (radius, height) half-plane, turned around an axis. The profile is an
// open polyline from the axis to the axis, counter-clockwise, so that the inside is on its left.
class RevolvedShape final : public Shape {
 public:
  RevolvedShape(const Vec3& origin, const Vec3& unit_axis, std::vector<Vec2> profile)
      : origin_(origin), axis_(unit_axis), profile_(std::move(profile)) {}

  double distance(const Vec3& point) const override {
    const Vec3 offset = point - origin_;
    const double height = offset.dot(axis_);
    const Vec2 p((offset - height * axis_).norm(), height);
    double nearest = kInfinity;     // squared distance to the profile
    double outermost = -kInfinity;  // greatest signed distance over the edges' lines
    for (std::size_t i = 0; i + 1 < profile_.size(); ++i) {
      const Vec2 edge = profile_[i + 1] - profile_[i];
      const Vec2 q = p - profile_[i];
      const double t = std::clamp(q.dot(edge) / edge.squaredNorm(), 0.0, 1.0);
      nearest = std::min(nearest, (q - t * edge).squaredNorm());
      outermost = std::max(outermost, q.x() * edge.y() - q.y() * edge.x());
    }
    return std::copysign(std::sqrt(nearest), outermost);
  }

  Box3 bounds() const override {
    Box3 box;
    for (const Vec2& p : profile_) {
      const Vec3 center = origin_ + p.y() * axis_;
      // Half extents of a disk with this normal.
      const Vec3 half = p.x() * (Vec3::Ones() - axis_.cwiseAbs2()).cwiseMax(0).cwiseSqrt();
      box.extend(center - half);
      box.extend(center + half);
    }
    return box;
  }

 private:
  Vec3 origin_, axis_;
  std::vector<Vec2> profile_;
};

class TorusShape final : public Shape {
 public:
  TorusShape(const Vec3& center, const Vec3& unit_axis, double radius, double tube)
      : center_(center), axis_(unit_axis), radius_(radius), tube_(tube) {}

  double distance(const Vec3& point) const override {
    const Vec3 offset = point - center_;
    const double height = offset.dot(axis_);
    const double from_circle = (offset - height * axis_).norm() - radius_;
    return std::sqrt(from_circle * from_circle + height * height) - tube_;
  }
  Box3 bounds() const override {
    const Vec3 half = radius_ * (Vec3::Ones() - axis_.cwiseAbs2()).cwiseMax(0).cwiseSqrt() +
                      Vec3::Constant(tube_);
    return {center_ - half, center_ + half};
  }

 private:
  Vec3 center_, axis_;
  double radius_, tube_;
};

class HalfspaceShape final : public Shape {
 public:
  HalfspaceShape(const Vec3& point, const Vec3& unit_normal)
      : point_(point), normal_(unit_normal) {}

  double distance(const Vec3& point) const override { return normal_.dot(point - point_); }
  Box3 bounds() const override {
    Box3 box(Vec3::Constant(-kInfinity), Vec3::Constant(kInfinity));
    for (int axis = 0; axis < 3; ++axis) {
      if (normal_[axis] == 1) box.max()[axis] = point_[axis];
      if (normal_[axis] == -1) box.min()[axis] = point_[axis];
    }
    return box;
  }

 private:
  Vec3 point_, normal_;
};

bool is_positive(double value) { return value > 0 && std::isfinite(value); }

Vec3 unit(const Vec3& direction) {
  const double length = stable_length(direction);
  SPINDRIFT_ASSERT(is_positive(length));
  return direction / length;
}

}  // namespace

void Shape::evaluate(std::span<const Vec3> points, std::span<double> values) const {
  for (std::size_t i = 0; i < points.size(); ++i) values[i] = distance(points[i]);
}

ShapePtr make_box(const Vec3& min, const Vec3& max) {
  SPINDRIFT_ASSERT((max - min).minCoeff() > 0 && (max - min).allFinite());
  return std::make_shared<BoxShape>(min, max);
}

ShapePtr make_sphere(const Vec3& center, double radius) {
  SPINDRIFT_ASSERT(is_positive(radius));
  return std::make_shared<SphereShape>(center, radius);
}

ShapePtr make_cylinder(const Vec3& from, const Vec3& to, double radius) {
  SPINDRIFT_ASSERT(is_positive(radius));
  const double height = (to - from).norm();
  const std::vector<Vec2> profile = {{0, 0}, {radius, 0}, {radius, height}, {0, height}};
  return std::make_shared<RevolvedShape>(from, unit(to - from), profile);
}

ShapePtr make_capsule(const Vec3& from, const Vec3& to, double radius) {
  SPINDRIFT_ASSERT(is_positive(radius) && is_positive((to - from).norm()));
  return std::make_shared<CapsuleShape>(from, to, radius);
}

ShapePtr make_cone(const Vec3& from, const Vec3& to, double radius) {
  SPINDRIFT_ASSERT(is_positive(radius));
  const std::vector<Vec2> profile = {{0, 0}, {radius, 0}, {0, (to - from).norm()}};
  return std::make_shared<RevolvedShape>(from, unit(to - from), profile);
}

ShapePtr make_torus(const Vec3& center, const Vec3& axis, double radius, double tube) {
  SPINDRIFT_ASSERT(is_positive(radius) && is_positive(tube));
  return std::make_shared<TorusShape>(center, unit(axis), radius, tube);
}

ShapePtr make_halfspace(const Vec3& point, const Vec3& normal) {
  return std::make_shared<HalfspaceShape>(point, unit(normal));
}

}  // namespace spindrift
