// What `spindrift render` shows of its input: a picture without its camera, and the camera that its
// maker wished for.
#pragma once

#include <string>
#include <vector>

#include "spindrift/cache/cache_reader.hpp"
#include "spindrift/render/picture.hpp"

namespace spindrift::app {

struct View {
  Picture picture;
  CameraWish camera;
};

struct Looks {
  bool smooth = false;  // meshes look round
  bool water = false;   // what is given as a mesh or a shape is water
  double shutter = 0;   // s; what moves is blurred over it
};

// A mesh, a scene or a shape.
[[nodiscard]] View view_of(const std::string& input, const Looks& looks,
                           const std::vector<std::string>& overrides);

// The liquid of a frame, which looks round, among the obstacles where they are then.
[[nodiscard]] View view_of_frame(const CacheReader& cache, int frame, const Looks& looks);

}  // namespace spindrift::app
