// What a file on the command line is, by its name.
#pragma once

#include <filesystem>

#include "spindrift/io/mesh_file.hpp"

namespace spindrift::app {

[[nodiscard]] inline bool is_scene_path(const std::filesystem::path& path) {
  return path.extension() == ".toml";
}

}  // namespace spindrift::app
