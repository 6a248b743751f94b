// What a preview picture shows: meshes and shapes with materials, a floor, a camera.
#pragma once

#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "spindrift/bodies/motion.hpp"
#include "spindrift/geometry/shape.hpp"
#include "spindrift/geometry/triangle_mesh.hpp"
#include "spindrift/render/camera.hpp"

namespace spindrift {

// A coloured body under a clear coat that mirrors the surroundings, more at grazing angles; or a
// clear liquid.
struct Material {
  Vec3 color = {0.5, 0.5, 0.5};  // part of the light that the body scatters, linear, 0 to 1
  double reflectance = 0;        // of the coat, looking straight at it; 0: no coat
  double roughness = 0.2;        // of the coat, 0 (mirror) to 1
  // Index of refraction of a clear liquid, above 1, which mirrors and bends light; 0: opaque. A
  // liquid has no colour but what it absorbs.
  double refraction = 0;
  Vec3 absorption = {0, 0, 0};  // 1/m, of a liquid: red, green, blue

  [[nodiscard]] bool is_clear() const { return refraction > 0; }
};

[[nodiscard]] Material liquid_material();     // water
[[nodiscard]] Material solid_material();      // warm grey, matt
[[nodiscard]] Material highlight_material();  // orange: what the viewer should look at

using MeshPtr = std::shared_ptr<const TriangleMesh>;

struct Item {
  std::variant<MeshPtr, ShapePtr> geometry;  // not null; an empty mesh shows nothing
  Material material = solid_material();
  Placement placement = {};
  bool smooth = false;  // meshes: look round; edges sharper than 40 degrees stay
  // Meshes: how far each vertex moves while the shutter is open, in m; none, or one a vertex. The
  // mesh is where it is halfway.
  std::vector<Vec3> motion = {};
  // Where the item as a whole has gone from its placement, at evenly spaced instants from when the
  // shutter opens to when it closes: none, or two to kMostPoses; not together with `motion`.
  static constexpr int kMostPoses = 33;
  std::vector<Pose> path = {};
};

struct Picture {
  std::vector<Item> items;
  Camera camera;
  std::optional<Box3> domain;   // drawn as thin lines; shapes without end are cut off just outside
  std::optional<double> floor;  // height in m of a ground that catches shadows
  Vec3 background = {0.56, 0.60, 0.64};  // linear, 0 to 1; the floor has the same colour
  std::optional<Vec3> sun;  // direction to it; default: over the camera's left shoulder
  // For measurements: light of this radiance from all directions, and no sun.
  std::optional<double> uniform_light;
};

// Encloses the domain and all items, shapes without end cut off as in the picture. Vertices that
// are not finite do not count. Empty if there is nothing to see. Throws InputError if a shape has
// no end and there is no domain.
[[nodiscard]] Box3 bounds(const Picture& picture);

// The item's shape, placed, and cut off just outside the picture's domain if it has no end.
[[nodiscard]] ShapePtr visible_shape(const Picture& picture, const ShapePtr& shape,
                                     const Placement& placement);

}  // namespace spindrift
