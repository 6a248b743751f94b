// The mesh files of a scene: read once, repaired where that is safe, refused where they are open.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "spindrift/geometry/mesh_check.hpp"
#include "spindrift/geometry/mesh_repair.hpp"
#include "spindrift/scene/build.hpp"

namespace spindrift {

struct LoadedMesh {
  TriangleMesh mesh;               // as repaired
  std::vector<std::string> notes;  // of the reader
  RepairReport repair;
  MeshDefect open;  // edges that are left open after repair; only with fill = "winding"
  Place location;   // of the first use in the scene
};

class MeshLibrary {
 public:
  // Reads the file on first use. Throws InputError: no such file (at the scene's place), damaged
  // file (at the place in it), or not closed after repair and no fill = "winding".
  [[nodiscard]] const LoadedMesh& load(const MeshSpec& spec);

  // Its shape, placed; meshes stay exact under any placement.
  [[nodiscard]] ShapePtr load_shape(const MeshSpec& spec, const Placement& placement);

  // For build_shape; refers to this library.
  [[nodiscard]] LoadMesh loader();

  // By path.
  [[nodiscard]] const std::map<std::string, LoadedMesh>& meshes() const { return meshes_; }

 private:
  std::map<std::string, LoadedMesh> meshes_;
};

}  // namespace spindrift
