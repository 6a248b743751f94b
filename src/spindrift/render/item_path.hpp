// Where an item that moves as a whole is while the shutter is open (Item::path).
#pragma once

#include <vector>

#include "spindrift/bodies/motion.hpp"

namespace spindrift::render_detail {

// At a time from 0, the shutter opens, to 1, it closes. An empty path is no motion.
[[nodiscard]] Pose pose_at(const std::vector<Pose>& path, double time);

// The same for a point, but straight from pose to pose, as Embree moves vertices.
[[nodiscard]] Vec3 moved(const Vec3& point, const std::vector<Pose>& path, double time);

// Encloses a box all along a path.
[[nodiscard]] Box3 swept_bounds(const Box3& box, const std::vector<Pose>& path);

}  // namespace spindrift::render_detail
