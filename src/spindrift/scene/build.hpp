// From specs to the things they describe: shapes and motions.
#pragma once

#include <functional>

#include "spindrift/bodies/motion.hpp"
#include "spindrift/geometry/shape.hpp"
#include "spindrift/scene/scene.hpp"

namespace spindrift {

[[nodiscard]] Placement to_placement(const PlacementSpec& spec);

// Loads a mesh and places it, so that meshes stay exact under any placement.
using LoadMesh = std::function<ShapePtr(const MeshSpec&, const Placement&)>;

// The shape that a checked spec describes. What load_mesh throws passes through.
[[nodiscard]] ShapePtr build_shape(const ShapeSpec& spec, const LoadMesh& load_mesh);

[[nodiscard]] Motion build_motion(const MotionSpec& spec);

}  // namespace spindrift
