// Solids as signed distance: primitives, CSG and transforms.
//
//   auto cup = make_difference({make_cylinder(a, b, 1.0), make_cylinder(c, b, 0.9)});
//   double d = cup->distance(x);  // negative inside
//
// Contract of distance(): the sign is right everywhere; the magnitude never exceeds the true
// distance and changes by at most |x - y| between two points (Lipschitz constant 1), so sphere
// tracing and culling by it are safe. It *is* the true distance where is_exact() says so: for all
// primitives, for meshes, and for rigid motions and uniform scalings of these. min and max (CSG)
// keep it exact only near one operand's surface.
#pragma once

#include <memory>
#include <vector>

#include "spindrift/geometry/fields.hpp"

namespace spindrift {

class Shape : public ScalarField {
 public:
  // Signed distance in metres, negative inside.
  [[nodiscard]] virtual double distance(const Vec3& point) const = 0;
  [[nodiscard]] virtual bool is_exact() const { return true; }
  // Encloses the inside; has infinite sides for unbounded shapes.
  [[nodiscard]] virtual Box3 bounds() const = 0;

  void evaluate(std::span<const Vec3> points, std::span<double> values) const override;
};

using ShapePtr = std::shared_ptr<const Shape>;

// Primitives. Lengths in metres; arguments must be finite, sizes positive, axes not zero: the scene
// reader says so to users, here it is asserted.
[[nodiscard]] ShapePtr make_box(const Vec3& min, const Vec3& max);
[[nodiscard]] ShapePtr make_sphere(const Vec3& center, double radius);
[[nodiscard]] ShapePtr make_cylinder(const Vec3& from, const Vec3& to, double radius);
[[nodiscard]] ShapePtr make_capsule(const Vec3& from, const Vec3& to, double radius);
// Base disk of `radius` around `from`, apex at `to`.
[[nodiscard]] ShapePtr make_cone(const Vec3& from, const Vec3& to, double radius);
// Circle of `radius` around `center`, in the plane normal to `axis`, thickened to radius `tube`.
[[nodiscard]] ShapePtr make_torus(const Vec3& center, const Vec3& axis, double radius, double tube);
// The side of the plane away from `normal`.
[[nodiscard]] ShapePtr make_halfspace(const Vec3& point, const Vec3& normal);

// CSG of one or more parts. The difference is the first part without all the others.
[[nodiscard]] ShapePtr make_union(std::vector<ShapePtr> parts);
[[nodiscard]] ShapePtr make_intersection(std::vector<ShapePtr> parts);
[[nodiscard]] ShapePtr make_difference(std::vector<ShapePtr> parts);

// x -> translation + rotation * (scale * x), the scale per axis and positive.
struct Placement {
  Vec3 scale = Vec3::Ones();
  Quat rotation = Quat::Identity();
  Vec3 translation = Vec3::Zero();

  [[nodiscard]] Vec3 apply(const Vec3& x) const {
    return translation + rotation * scale.cwiseProduct(x);
  }
  [[nodiscard]] bool is_identity() const;
};
[[nodiscard]] ShapePtr make_placed(ShapePtr shape, const Placement& placement);

// Unit outward normal (gradient of the distance) by central differences over `step` metres.
[[nodiscard]] Vec3 outward_normal(const Shape& shape, const Vec3& point, double step);

}  // namespace spindrift
