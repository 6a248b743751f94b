// USD as text: a surface that moves, with velocities, in one file.
//
// The stage has z up and metres, and a time code for every frame. A prim of the scene's name holds
// the mesh "liquid"; its points, velocities (m/s) and faces are sampled at every frame, for the
// triangles change with it. USD blurs such meshes by their velocities.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "spindrift/io/mesh_file.hpp"

namespace spindrift {

struct UsdaStage {
  std::string name;         // of the prim; what USD does not allow in names becomes _
  double fps = 24;          // time codes a second
  int first = 0, last = 0;  // frames
  // The surface of a frame; asked for several times each, as USD wants one attribute after another.
  std::function<MeshFile(int frame)> surface;
};

void write_usda(const std::filesystem::path& path, const UsdaStage& stage);

}  // namespace spindrift
