// What a file on the command line is, by its name.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "spindrift/core/error.hpp"
#include "spindrift/core/text.hpp"
#include "spindrift/io/mesh_file.hpp"

namespace spindrift::app {

// In any case, as cameras and old systems write them.
[[nodiscard]] inline bool has_extension(const std::filesystem::path& path,
                                        std::string_view extension) {
  return lower_case(path.extension().string()) == extension;
}

[[nodiscard]] inline bool is_scene_path(const std::filesystem::path& path) {
  return has_extension(path, ".toml");
}

// --set changes scenes; with anything else it would be ignored.
inline void refuse_overrides(const std::vector<std::string>& overrides) {
  if (overrides.empty()) return;
  throw InputError({.file = "--set"}, "there is no scene to change", "use --set with a .toml file");
}

}  // namespace spindrift::app
