// What solids let a velocity be where the liquid touches them.
#pragma once

#include <span>

#include "spindrift/core/vec.hpp"

namespace spindrift {

// A face of the boundary at a solid.
struct SolidFace {
  Vec3 area;               // m^2, along the normal
  double normal_velocity;  // of the solid, m/s
};

// The velocity closest to `velocity` that moves with the solid across each face, and slides along
// it. Faces whose normals are close to each other are one curved wall, with their mean normal;
// others are walls that meet in an edge or a corner and all hold. Where they contradict each other
// (the apex of a cone), the squares of what they miss are least.
[[nodiscard]] Vec3 with_free_slip(const Vec3& velocity, std::span<const SolidFace> faces);

}  // namespace spindrift
