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

// Also by way of links, and if one or both are not there yet.
[[nodiscard]] inline bool is_same_file(const std::filesystem::path& a,
                                       const std::filesystem::path& b) {
  std::error_code failure;
  if (std::filesystem::equivalent(a, b, failure)) return true;
  // One that is not there yet. A relative one must be made absolute first: it would stay as it is.
  const auto full_a =
      std::filesystem::weakly_canonical(std::filesystem::absolute(a, failure), failure);
  if (failure) return false;
  const auto full_b =
      std::filesystem::weakly_canonical(std::filesystem::absolute(b, failure), failure);
  return !failure && full_a == full_b;
}

// --set changes scenes; with anything else it would be ignored.
inline void refuse_overrides(const std::vector<std::string>& overrides) {
  if (overrides.empty()) return;
  throw InputError({.file = "--set"}, "there is no scene to change", "use --set with a .toml file");
}

}  // namespace spindrift::app
