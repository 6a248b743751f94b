#include "spindrift/scene/build.hpp"

#include <numbers>

namespace spindrift {

namespace {

class ShapeBuilder {
 public:
  explicit ShapeBuilder(const LoadMesh& load_mesh) : load_mesh_(load_mesh) {}

  ShapePtr build(const ShapeSpec& spec) const {
    const Placement placement = to_placement(spec.placement);
    if (const auto* mesh = std::get_if<MeshSpec>(&spec.kind)) return load_mesh_(*mesh, placement);
    return make_placed(std::visit(*this, spec.kind), placement);
  }

  ShapePtr operator()(const BoxSpec& box) const { return make_box(box.min, box.max); }
  ShapePtr operator()(const SphereSpec& ball) const {
    return make_sphere(ball.center, ball.radius);
  }
  ShapePtr operator()(const CylinderSpec& s) const { return make_cylinder(s.from, s.to, s.radius); }
  ShapePtr operator()(const CapsuleSpec& s) const { return make_capsule(s.from, s.to, s.radius); }
  ShapePtr operator()(const ConeSpec& s) const { return make_cone(s.from, s.to, s.radius); }
  ShapePtr operator()(const TorusSpec& torus) const {
    return make_torus(torus.center, torus.axis, torus.radius, torus.tube);
  }
  ShapePtr operator()(const HalfspaceSpec& s) const { return make_halfspace(s.point, s.normal); }
  ShapePtr operator()(const MeshSpec& mesh) const { return load_mesh_(mesh, {}); }

  ShapePtr operator()(const CombinationSpec& spec) const {
    std::vector<ShapePtr> parts;
    for (const ShapeSpec& part : spec.parts) parts.push_back(build(part));
    switch (spec.combination) {
      case Combination::unite:
        return make_union(std::move(parts));
      case Combination::intersect:
        return make_intersection(std::move(parts));
      case Combination::subtract:
        break;
    }
    return make_difference(std::move(parts));
  }

 private:
  const LoadMesh& load_mesh_;
};

}  // namespace

Placement to_placement(const PlacementSpec& spec) {
  Placement placement;
  placement.scale = spec.scale;
  if (spec.rotate.degrees != 0) {
    placement.rotation = Eigen::AngleAxisd(spec.rotate.degrees * std::numbers::pi / 180,
                                           spec.rotate.axis.stableNormalized());
  }
  placement.translation = spec.translate;
  return placement;
}

ShapePtr build_shape(const ShapeSpec& spec, const LoadMesh& load_mesh) {
  return ShapeBuilder(load_mesh).build(spec);
}

Motion build_motion(const MotionSpec& spec) {
  if (const auto* spin = std::get_if<SpinSpec>(&spec.kind)) {
    return Motion::spin({.axis = spin->axis, .center = spin->center, .rpm = spin->rpm});
  }
  std::vector<MotionKey> keys;
  for (const KeyframeSpec& key : std::get<std::vector<KeyframeSpec>>(spec.kind)) {
    keys.push_back({.t = key.t,
                    .axis = key.rotate.axis,
                    .degrees = key.rotate.degrees,
                    .translation = key.translate});
  }
  return Motion::keyframes(keys);
}

}  // namespace spindrift
