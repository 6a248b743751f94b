// The grammar of shapes, and of what moves them.
#include <array>

#include <fmt/format.h>

#include "spindrift/scene/grammar.hpp"

namespace spindrift {

namespace {

void point(Visitor& v, const Key& key, Vec3& value) { vec3(v, key, value, {.range = any("m")}); }

void direction(Visitor& v, const Key& key, Vec3& value) {
  vec3(v, key, value, {.range = any(""), .is_direction = true});
}

void radius(Visitor& v, const Key& key, double& value) { v.number(key, value, above(0, "m")); }

void describe(Visitor& v, BoxSpec& box) {
  point(v, {"min", "lower corner", true}, box.min);
  point(v, {"max", "upper corner", true}, box.max);
  require_order(v, box.min, box.max);
}

void describe(Visitor& v, SphereSpec& sphere) {
  point(v, {"center", "its middle"}, sphere.center);
  radius(v, {"radius", "its radius", true}, sphere.radius);
}

void describe_axial(Visitor& v, AxialSpec& spec, const char* from, const char* to,
                    const char* radius_meaning) {
  point(v, {"from", from}, spec.from);
  point(v, {"to", to, true}, spec.to);
  v.require((spec.to - spec.from).norm() > kSmallestLength, {"to", "from"},
            "to is the same point as from", "write two different ends");
  radius(v, {"radius", radius_meaning, true}, spec.radius);
}

void describe(Visitor& v, CylinderSpec& spec) {
  describe_axial(v, spec, "middle of one flat end", "middle of the other", "its radius");
}

void describe(Visitor& v, CapsuleSpec& spec) {
  describe_axial(v, spec, "centre of one round end", "centre of the other", "its radius");
}

void describe(Visitor& v, ConeSpec& spec) {
  describe_axial(v, spec, "middle of the base", "the tip", "radius of the base");
}

void describe(Visitor& v, TorusSpec& torus) {
  point(v, {"center", "its middle"}, torus.center);
  direction(v, {"axis", "it is round about this direction; any length"}, torus.axis);
  radius(v, {"radius", "from the middle to the middle of the tube", true}, torus.radius);
  radius(v, {"tube", "radius of the tube", true}, torus.tube);
}

void describe(Visitor& v, HalfspaceSpec& halfspace) {
  point(v, {"point", "a point of the plane"}, halfspace.point);
  direction(v, {"normal", "points out of the solid; any length"}, halfspace.normal);
}

void describe(Visitor& v, MeshSpec& mesh) {
  v.locate(mesh.location);
  v.file({"file", "a mesh file (OBJ, PLY, OFF, STL), relative to the scene file", true}, mesh.file);
  static const std::array<std::string, 2> kWords = {"closed", "winding"};
  choice(v,
         {"fill",
          "`closed`: a mesh with holes is an error; `winding`: holes are closed by the "
          "winding number"},
         mesh.fill, kWords);
}

template <class T>
Visitor::Alternative kind(Visitor& v, ShapeSpec& shape, const char* name, const char* meaning) {
  return {name, std::holds_alternative<T>(shape.kind), [&v, &shape, name, meaning] {
            if (!std::holds_alternative<T>(shape.kind)) shape.kind.template emplace<T>();
            T& spec = std::get<T>(shape.kind);
            v.table({name, meaning}, [&] { describe(v, spec); });
          }};
}

Visitor::Alternative combination(Visitor& v, ShapeSpec& shape, Combination operation,
                                 const char* name, const char* meaning) {
  const auto* current = std::get_if<CombinationSpec>(&shape.kind);
  const bool is_active = current && current->combination == operation;
  return {name, is_active, [&v, &shape, operation, name, meaning] {
            auto* spec = std::get_if<CombinationSpec>(&shape.kind);
            if (!spec || spec->combination != operation) {
              spec = &shape.kind.emplace<CombinationSpec>();
              spec->combination = operation;
            }
            list(v, {.name = name, .meaning = meaning, .type = "shape"}, spec->parts, 1);
          }};
}

void describe(Visitor& v, PlacementSpec& placement) {
  vec3(v, {"scale", "made larger or smaller about the origin: one number, or one per axis"},
       placement.scale, {.range = between(1e-6, 1e6, ""), .takes_number = true});
  table(v, {.name = "rotate", .meaning = "then turned about the origin", .type = "rotation"},
        placement.rotate);
  point(v, {"translate", "then moved"}, placement.translate);
}

void describe(Visitor& v, KeyframeSpec& key) {
  v.number({"t", "time of this pose", true}, key.t, any("s"));
  table(v, {.name = "rotate", .meaning = "turned about the origin", .type = "rotation"},
        key.rotate);
  point(v, {"translate", "then moved"}, key.translate);
}

void describe(Visitor& v, SpinSpec& spin) {
  direction(v, {"axis", "turns about this direction, as a right-handed screw"}, spin.axis);
  point(v, {"center", "a point of the axis"}, spin.center);
  v.number({"rpm", "turns per minute; negative: the other way round", true}, spin.rpm,
           between(-1e5, 1e5, "1/min"));
}

void describe_keyframes(Visitor& v, std::vector<KeyframeSpec>& keys) {
  v.list({"keyframes", "poses at increasing times; held before the first and after the last"}, 1,
         keys.size(), [&](std::size_t i) {
           if (i == keys.size()) keys.emplace_back();
           describe(v, keys[i]);
           if (i == 0) return;
           v.require(keys[i].t > keys[i - 1].t, {"t"},
                     fmt::format("t is {}, not after the keyframe before, which is at {}",
                                 keys[i].t, keys[i - 1].t),
                     "write the keyframes in increasing order of t");
         });
}

}  // namespace

void require_order(Visitor& v, const Vec3& min, const Vec3& max) {
  for (int axis = 0; axis < 3; ++axis) {
    v.require(max[axis] > min[axis], {"max", "min"},
              fmt::format("max is {} along {}, not above min, which is {}", max[axis], "xyz"[axis],
                          min[axis]),
              "write the lower corner as min and the upper corner as max");
  }
}

void describe(Visitor& v, RotationSpec& rotation) {
  direction(v, {"axis", "turned about this direction, as a right-handed screw; any length"},
            rotation.axis);
  v.number({"degrees", "by this angle"}, rotation.degrees, any("degrees"));
}

void describe(Visitor& v, ShapeSpec& shape) {
  v.locate(shape.location);
  const std::array<Visitor::Alternative, 11> kinds = {
      kind<BoxSpec>(v, shape, "box", "a box along the axes"),
      kind<SphereSpec>(v, shape, "sphere", "a ball"),
      kind<CylinderSpec>(v, shape, "cylinder", "a cylinder with flat ends"),
      kind<CapsuleSpec>(v, shape, "capsule", "a cylinder with round ends beyond `from` and `to`"),
      kind<ConeSpec>(v, shape, "cone", "a cone"),
      kind<TorusSpec>(v, shape, "torus", "a ring"),
      kind<HalfspaceSpec>(v, shape, "halfspace", "all that is on one side of a plane"),
      kind<MeshSpec>(v, shape, "mesh", "the inside of a mesh from a file"),
      combination(v, shape, Combination::unite, "union", "what is in any of these shapes"),
      combination(v, shape, Combination::intersect, "intersect", "what is in all of these shapes"),
      combination(v, shape, Combination::subtract, "subtract",
                  "what is in the first of these shapes and in none of the others"),
  };
  v.one_of(kinds);
  describe(v, shape.placement);
}

void describe(Visitor& v, MotionSpec& motion) {
  v.locate(motion.location);
  using Keys = std::vector<KeyframeSpec>;
  const auto keyframes = [&] {
    if (!std::holds_alternative<Keys>(motion.kind)) motion.kind.emplace<Keys>();
    describe_keyframes(v, std::get<Keys>(motion.kind));
  };
  const auto spin = [&] {
    if (!std::holds_alternative<SpinSpec>(motion.kind)) motion.kind.emplace<SpinSpec>();
    SpinSpec& spec = std::get<SpinSpec>(motion.kind);
    v.table({"spin", "turning at constant speed, from the obstacle as drawn at t = 0"},
            [&] { describe(v, spec); });
  };
  v.one_of(std::array<Visitor::Alternative, 2>{
      {{"keyframes", std::holds_alternative<Keys>(motion.kind), keyframes},
       {"spin", std::holds_alternative<SpinSpec>(motion.kind), spin}}});
}

}  // namespace spindrift
