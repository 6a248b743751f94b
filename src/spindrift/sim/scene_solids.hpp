// What a scene's liquid cannot enter.
#pragma once

#include "spindrift/bodies/solids.hpp"
#include "spindrift/scene/scene_shapes.hpp"

namespace spindrift {

// The walls of the domain and the obstacles, with their motions.
[[nodiscard]] Solids scene_solids(const Scene& scene, const SceneShapes& shapes);

}  // namespace spindrift
