// Combinations and transforms of shapes.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "spindrift/core/error.hpp"
#include "spindrift/geometry/shape.hpp"

namespace spindrift {

namespace {

enum class Operation { unite, intersect, subtract };

class CombinedShape final : public Shape {
 public:
  CombinedShape(Operation operation, std::vector<ShapePtr> parts)
      : operation_(operation), parts_(std::move(parts)) {
    SPINDRIFT_ASSERT(!parts_.empty());
    if (operation_ == Operation::unite && parts_.size() >= kManyParts) {
      for (const ShapePtr& part : parts_) reaches_.push_back(reach_of(*part));
    }
  }

  double distance(const Vec3& point) const override {
    double result = parts_.front()->distance(point);
    for (std::size_t i = 1; i < parts_.size(); ++i) {
      result = combine(result, parts_[i]->distance(point));
    }
    return result;
  }

  void evaluate(std::span<const Vec3> points, std::span<double> values) const override {
    if (!reaches_.empty()) {
      evaluate_many(points, values);
      return;
    }
    parts_.front()->evaluate(points, values);
    std::vector<double> other(points.size());
    for (std::size_t i = 1; i < parts_.size(); ++i) combine_with(i, points, values, other);
  }

  bool is_exact() const override { return parts_.size() == 1 && parts_.front()->is_exact(); }

  Box3 bounds() const override {
    Box3 box = parts_.front()->bounds();
    for (std::size_t i = 1; i < parts_.size(); ++i) {
      const Box3 part = parts_[i]->bounds();
      if (operation_ == Operation::unite && !part.isEmpty()) box.extend(part);
      if (operation_ == Operation::intersect) box = box.intersection(part);
    }
    return box.isEmpty() ? Box3() : box;  // parts that do not meet leave an inverted box behind
  }

 private:
  static constexpr std::size_t kManyParts = 8;
  static constexpr std::size_t kGroup = 16;  // points that are culled together

  // No point outside of it is nearer to the part than to this box. Where distances are bounds only,
  // that does not hold: everything.
  static Box3 reach_of(const Shape& part) {
    const Box3 box = part.bounds();
    if (part.is_exact() && !box.isEmpty()) return box;
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    return {Vec3::Constant(-kInfinity), Vec3::Constant(kInfinity)};
  }

  // A lower bound of what a part with this reach gives in the box, less its round-off.
  static double least_distance(const Box3& box, const Box3& reach) {
    const Vec3 gap = (box.min() - reach.max()).cwiseMax(reach.min() - box.max()).cwiseMax(0);
    const double largest =
        std::max({box.min().cwiseAbs().maxCoeff(), box.max().cwiseAbs().maxCoeff(),
                  reach.min().cwiseAbs().maxCoeff(), reach.max().cwiseAbs().maxCoeff()});
    if (!std::isfinite(largest)) return -largest;
    return gap.norm() * (1 - 1e-12) - 1e-12 * largest;
  }

  void combine_with(std::size_t part, std::span<const Vec3> points, std::span<double> values,
                    std::vector<double>& other) const {
    parts_[part]->evaluate(points, other);
    for (std::size_t k = 0; k < points.size(); ++k) values[k] = combine(values[k], other[k]);
  }

  // The union of many parts: for a group of points that are near each other, parts that are
  // farther than the nearest known one cannot change the minimum, not in one bit.
  void evaluate_many(std::span<const Vec3> points, std::span<double> values) const {
    std::vector<double> least(parts_.size()), other;
    for (std::size_t begin = 0; begin < points.size(); begin += kGroup) {
      const std::size_t count = std::min(kGroup, points.size() - begin);
      const auto group = points.subspan(begin, count);
      const auto results = values.subspan(begin, count);
      other.resize(count);
      Box3 box;
      for (const Vec3& point : group) box.extend(point);
      for (std::size_t i = 0; i < parts_.size(); ++i) least[i] = least_distance(box, reaches_[i]);
      // Of the parts that are anywhere in particular, to begin with a small minimum.
      const auto is_nearer = [](double a, double b) {
        return std::isfinite(a) && (!std::isfinite(b) || a < b);
      };
      const auto nearest = std::min_element(least.begin(), least.end(), is_nearer) - least.begin();
      parts_[nearest]->evaluate(group, results);
      double farthest = *std::max_element(results.begin(), results.end());
      for (std::size_t i = 0; i < parts_.size(); ++i) {
        if (std::cmp_equal(i, nearest) || least[i] > farthest) continue;
        combine_with(i, group, results, other);
        farthest = *std::max_element(results.begin(), results.end());
      }
    }
  }

  double combine(double a, double b) const {
    switch (operation_) {
      case Operation::unite:
        return std::min(a, b);
      case Operation::intersect:
        return std::max(a, b);
      case Operation::subtract:
        break;
    }
    return std::max(a, -b);
  }

  Operation operation_;
  std::vector<ShapePtr> parts_;
  std::vector<Box3> reaches_;  // of unions of many parts
};

class PlacedShape final : public Shape {
 public:
  PlacedShape(ShapePtr shape, const Placement& placement)
      : shape_(std::move(shape)),
        placement_(placement),
        inverse_rotation_(placement.rotation.toRotationMatrix().transpose()),
        smallest_scale_(placement.scale.minCoeff()) {
    SPINDRIFT_ASSERT(smallest_scale_ > 0 && placement.scale.allFinite());
  }

  double distance(const Vec3& point) const override {
    return smallest_scale_ * shape_->distance(to_local(point));
  }

  void evaluate(std::span<const Vec3> points, std::span<double> values) const override {
    std::vector<Vec3> local(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) local[i] = to_local(points[i]);
    shape_->evaluate(local, values);
    for (double& value : values) value *= smallest_scale_;
  }

  bool is_exact() const override {
    return shape_->is_exact() && placement_.scale.maxCoeff() == smallest_scale_;
  }

  Box3 bounds() const override {
    const Box3 local = shape_->bounds();
    if (local.isEmpty()) return local;
    if (!local.min().allFinite() || !local.max().allFinite()) {
      constexpr double kInfinity = std::numeric_limits<double>::infinity();
      return {Vec3::Constant(-kInfinity), Vec3::Constant(kInfinity)};
    }
    Box3 box;
    for (int corner = 0; corner < 8; ++corner) {
      box.extend(placement_.apply(local.corner(static_cast<Box3::CornerType>(corner))));
    }
    return box;
  }

 private:
  Vec3 to_local(const Vec3& point) const {
    return (inverse_rotation_ * (point - placement_.translation)).cwiseQuotient(placement_.scale);
  }

  ShapePtr shape_;
  Placement placement_;
  Mat3 inverse_rotation_;
  double smallest_scale_;
};

}  // namespace

bool Placement::is_identity() const {
  return scale == Vec3::Ones() && translation == Vec3::Zero() &&
         rotation.coeffs() == Quat::Identity().coeffs();
}

ShapePtr make_union(std::vector<ShapePtr> parts) {
  return std::make_shared<CombinedShape>(Operation::unite, std::move(parts));
}

ShapePtr make_intersection(std::vector<ShapePtr> parts) {
  return std::make_shared<CombinedShape>(Operation::intersect, std::move(parts));
}

ShapePtr make_difference(std::vector<ShapePtr> parts) {
  return std::make_shared<CombinedShape>(Operation::subtract, std::move(parts));
}

ShapePtr make_placed(ShapePtr shape, const Placement& placement) {
  if (placement.is_identity()) return shape;
  return std::make_shared<PlacedShape>(std::move(shape), placement);
}

Vec3 outward_normal(const Shape& shape, const Vec3& point, double step) {
  std::array<Vec3, 6> samples;
  samples.fill(point);
  std::array<double, 6> values{};
  for (int axis = 0; axis < 3; ++axis) {
    samples[2 * axis][axis] -= step;
    samples[2 * axis + 1][axis] += step;
  }
  shape.evaluate(samples, values);
  const Vec3 gradient(values[1] - values[0], values[3] - values[2], values[5] - values[4]);
  const double length = gradient.norm();
  return length > 0 ? Vec3(gradient / length) : Vec3::UnitZ();
}

}  // namespace spindrift
