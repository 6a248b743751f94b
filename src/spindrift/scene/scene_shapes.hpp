// All shapes of a scene, built.
#pragma once

#include <vector>

#include "spindrift/scene/mesh_library.hpp"
#include "spindrift/scene/scene.hpp"

namespace spindrift {

// In the scene's order; obstacles as drawn, before their motion.
struct SceneShapes {
  std::vector<ShapePtr> bodies, obstacles, sources, sinks;
};
[[nodiscard]] SceneShapes build_scene_shapes(const Scene& scene, MeshLibrary& library);

// Where an obstacle's motion puts it at time t, s.
[[nodiscard]] Placement placement_at(const ObstacleSpec& obstacle, double t);

}  // namespace spindrift
