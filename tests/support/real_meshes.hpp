// The meshes of Debian's libcgal-demo, which scripts/setup unpacks.
#pragma once

#include <algorithm>
#include <filesystem>
#include <vector>

#include "spindrift/io/mesh_file.hpp"

namespace spindrift::test {

inline std::vector<std::filesystem::path> real_meshes() {
  std::vector<std::filesystem::path> paths;
  const std::filesystem::path root = std::filesystem::path(SPINDRIFT_SOURCE_DIR) / "assets/cgal";
  for (const char* folder : {"meshes", "points_3"}) {
    if (!std::filesystem::exists(root / folder)) continue;
    for (const auto& entry : std::filesystem::directory_iterator(root / folder)) {
      if (is_mesh_path(entry.path())) paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace spindrift::test
