#include "spindrift/render/item_path.hpp"

#include <algorithm>
#include <cmath>

namespace spindrift::render_detail {

namespace {

// Two poses, and how far from the first to the second.
struct Stretch {
  const Pose& from;
  const Pose& to;
  double part;
};

Stretch stretch_at(const std::vector<Pose>& path, double time) {
  const double at = time * static_cast<double>(path.size() - 1);
  const double first = std::clamp(std::floor(at), 0.0, static_cast<double>(path.size() - 2));
  const auto i = static_cast<std::size_t>(first);
  return {path[i], path[i + 1], at - first};
}

}  // namespace

Pose pose_at(const std::vector<Pose>& path, double time) {
  if (path.empty()) return {};
  const auto [from, to, part] = stretch_at(path, time);
  return {from.rotation.slerp(part, to.rotation),
          (1 - part) * from.translation + part * to.translation};
}

Vec3 moved(const Vec3& point, const std::vector<Pose>& path, double time) {
  if (path.empty()) return point;
  const auto [from, to, part] = stretch_at(path, time);
  return (1 - part) * from.apply(point) + part * to.apply(point);
}

Box3 swept_bounds(const Box3& box, const std::vector<Pose>& path) {
  if (path.empty() || box.isEmpty()) return box;
  Box3 swept;
  double bulge = 0;
  for (std::size_t i = 0; i < path.size(); ++i) {
    // Turning from one pose to the next leaves the straight way by no more than this.
    const double turn = i > 0 ? path[i - 1].rotation.angularDistance(path[i].rotation) : 0;
    for (int k = 0; k < 8; ++k) {
      const Vec3 corner = box.corner(static_cast<Box3::CornerType>(k));
      swept.extend(path[i].apply(corner));
      bulge = std::max(bulge, corner.norm() * (1 - std::cos(turn / 2)));
    }
  }
  return {swept.min() - Vec3::Constant(bulge), swept.max() + Vec3::Constant(bulge)};
}

}  // namespace spindrift::render_detail
