// Reads scenes from TOML. Everything that is wrong throws InputError with its place and the fix.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "spindrift/scene/scene.hpp"

namespace spindrift {

// Reads a scene file and the files that it is based on. Each override is `section.key=value`, the
// value in TOML, where plain words need no quotes; entries of lists are counted from 0:
// `obstacle.0.shape.sphere.radius=0.3`. Overrides have the last word, the later ones more so.
[[nodiscard]] Scene load_scene(const std::filesystem::path& path,
                               std::span<const std::string> overrides = {});

// Reads a scene from memory; `name` stands for the file in messages. Touches no files, so that
// `base` is an error and mesh paths stay relative to the current folder.
[[nodiscard]] Scene parse_scene(std::string_view toml, const std::string& name);

// Reads a shape as it stands between the braces of `shape = { ... }`: `sphere = { radius = 1 }`.
[[nodiscard]] ShapeSpec parse_shape(std::string_view inline_syntax);

}  // namespace spindrift
