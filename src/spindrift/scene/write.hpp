// Writes a scene as TOML with every default spelled out: the scene.toml of a cache.
#pragma once

#include <string>

#include "spindrift/scene/scene.hpp"

namespace spindrift {

// Reading the text gives the same scene. Mesh paths are written with their folders, so that the
// text may be stored anywhere.
[[nodiscard]] std::string write_scene(const Scene& scene);

}  // namespace spindrift
