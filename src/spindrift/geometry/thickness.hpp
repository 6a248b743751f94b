// Where a shape is thin: walls that a mesh of a given size cannot hold.
#pragma once

#include "spindrift/geometry/shape.hpp"

namespace spindrift {

struct ThicknessParams {
  double limit = 0.1;  // m; thicker than this is thick
  int samples = 4096;  // points spread over the surface
};

struct ThicknessReport {
  int samples = 0;            // that reached the surface inside the region
  int thin_samples = 0;       // where a ray straight inwards leaves the shape within the limit
  double thinnest = 0;        // m, among the thin samples
  Vec3 place = Vec3::Zero();  // on the surface, where it is thinnest

  // Tips and sharp edges are thin in a few samples; a wall is thin in many.
  [[nodiscard]] bool has_thin_walls() const {
    return thin_samples >= 3 && 200 * thin_samples >= samples;
  }
};

// Samples the part of the surface inside `region` (finite). Deterministic.
[[nodiscard]] ThicknessReport measure_thickness(const Shape& shape, const Box3& region,
                                                const ThicknessParams& params);

}  // namespace spindrift
