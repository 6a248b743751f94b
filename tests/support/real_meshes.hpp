// The meshes of Debian's libcgal-demo, which scripts/setup unpacks.
#pragma once

#include <algorithm>
#include <filesystem>
#include <vector>

#include "spindrift/core/error.hpp"
#include "spindrift/geometry/mesh_check.hpp"
#include "spindrift/geometry/mesh_repair.hpp"
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

// Calls visit(mesh, name) for those that are closed, after repair; returns how many there are.
template <class Visit>
int for_each_closed_mesh(const Visit& visit) {
  int closed = 0;
  for (const auto& path : real_meshes()) {
    TriangleMesh mesh;
    try {
      mesh = read_mesh(path).mesh;
    } catch (const InputError&) {
      continue;  // point clouds
    }
    (void)repair_mesh(mesh);
    if (!check_mesh(mesh, {.find_self_intersections = false}).is_closed()) continue;
    if (bounds(mesh).sizes().maxCoeff() <= 0) continue;
    ++closed;
    visit(mesh, path.filename().string());
  }
  return closed;
}

}  // namespace spindrift::test
