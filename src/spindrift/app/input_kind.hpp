// What a file on the command line is, by its name.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "spindrift/core/error.hpp"
#include "spindrift/io/mesh_file.hpp"

namespace spindrift::app {

[[nodiscard]] inline bool is_scene_path(const std::filesystem::path& path) {
  const std::string extension = path.extension();
  return extension == ".toml" || extension == ".TOML";
}

// --set changes scenes; with anything else it would be ignored.
inline void refuse_overrides(const std::vector<std::string>& overrides) {
  if (overrides.empty()) return;
  throw InputError({.file = "--set"}, "there is no scene to change", "use --set with a .toml file");
}

}  // namespace spindrift::app
