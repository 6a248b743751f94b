// The preflight doctor of scenes: what would go wrong in the night, said before it starts.
#pragma once

#include <string>
#include <vector>

#include "spindrift/scene/scene_shapes.hpp"

namespace spindrift {

enum class Severity { note, warning };

// Errors are not findings: reading the scene or its meshes has thrown them already.
struct Finding {
  Severity severity;
  Location location;
  std::string problem, advice;
};

struct SceneReport {
  std::vector<Finding> findings;  // in the order of the scene
  double liquid_volume = 0;  // m^3 at the start, inside the domain and outside obstacles; sampled
};

// Looks for: liquid, sources or probes outside the domain or inside obstacles; bodies and sources
// too small and walls too thin for the finest cells; obstacles that never come in; sources that
// never run; meshes that were mended or enclose nothing.
[[nodiscard]] SceneReport examine_scene(const Scene& scene, const SceneShapes& shapes,
                                        const MeshLibrary& library);

}  // namespace spindrift
