#include "spindrift/scene/mesh_library.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "spindrift/core/text.hpp"
#include "spindrift/geometry/mesh_check.hpp"
#include "spindrift/geometry/mesh_shape.hpp"
#include "spindrift/geometry/point_text.hpp"
#include "spindrift/io/mesh_file.hpp"

namespace spindrift {

namespace {

void refuse_missing(const MeshSpec& spec, const std::string& path) {
  std::error_code failure;  // a path that cannot be followed names no file either
  if (std::filesystem::exists(path, failure)) return;
  std::string advice = "check the path: it is relative to the folder of the scene that names it";
  if (path.find("assets/cgal/") != std::string::npos) {
    advice = "run scripts/setup, which unpacks the example meshes";
  }
  throw InputError(spec.location, fmt::format("there is no mesh file {}", path), advice);
}

LoadedMesh read_and_repair(const MeshSpec& spec, const std::string& path) {
  refuse_missing(spec, path);
  MeshFile file = read_mesh(path);
  LoadedMesh loaded;
  loaded.mesh = std::move(file.mesh);
  loaded.notes = std::move(file.notes);
  loaded.location = spec.location;
  loaded.repair = repair_mesh(loaded.mesh);
  if (loaded.mesh.triangles.empty()) {
    throw InputError(spec.location,
                     fmt::format("nothing is left of {} after its collapsed and zero-thickness "
                                 "triangles are removed",
                                 path),
                     "use a mesh that encloses a volume");
  }
  return loaded;
}

void refuse_open(const MeshSpec& spec, const std::string& path, const LoadedMesh& loaded) {
  if (loaded.open.count == 0 || spec.fill == MeshFill::winding) return;
  throw InputError(spec.location,
                   fmt::format("{} is not closed: {} left after safe repair, the first at {}", path,
                               count_of(loaded.open.count, "open edge is", "open edges are"),
                               point_text(loaded.open.places.front())),
                   "close it in your modelling tool, or write fill = \"winding\" beside the file");
}

}  // namespace

const LoadedMesh& MeshLibrary::load(const MeshSpec& spec) {
  const std::string path = spec.file.resolved();
  auto found = meshes_.find(path);
  if (found == meshes_.end()) {
    LoadedMesh loaded = read_and_repair(spec, path);
    loaded.open = check_mesh(loaded.mesh, {.find_self_intersections = false}).unbalanced_edges;
    found = meshes_.emplace(path, std::move(loaded)).first;
  }
  refuse_open(spec, path, found->second);
  return found->second;
}

ShapePtr MeshLibrary::load_shape(const MeshSpec& spec, const Placement& placement) {
  TriangleMesh mesh = load(spec).mesh;
  for (Vec3& vertex : mesh.vertices) vertex = placement.apply(vertex);
  return make_mesh_shape(mesh);
}

LoadMesh MeshLibrary::loader() {
  return [this](const MeshSpec& spec, const Placement& placement) {
    return load_shape(spec, placement);
  };
}

}  // namespace spindrift
