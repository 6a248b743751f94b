// What a run will take, guessed before it begins: memory and time, within a factor of two or so.
//
// From the area of the liquid's surface, now and once it lies at the bottom of the domain: both the
// tetrahedra, which are finest at the surface, and the triangles go with area / cell². From how
// fast it may get, falling from its top to the bottom: the number of steps. And from what a
// tetrahedron and a triangle cost, as measured by `spindrift bench frame`.
#pragma once

#include <cstdint>

#include "spindrift/scene/scene_shapes.hpp"

namespace spindrift {

struct RunEstimate {
  double tets = 0, triangles = 0;  // the most of a frame
  double steps = 0;                // of all frames
  std::int64_t peak_bytes = 0;
  double seconds = 0;  // on a machine such as that of docs/performance.md
};

// Of all frames of the scene, with so many threads.
[[nodiscard]] RunEstimate estimate_run(const Scene& scene, const SceneShapes& shapes, int threads);

}  // namespace spindrift
