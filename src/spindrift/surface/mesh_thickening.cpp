#include "spindrift/surface/mesh_thickening.hpp"

#include <algorithm>
#include <cmath>

namespace spindrift {
namespace {

// Of the radius: up to where the offset is whole, and from where on there is none.
constexpr double kWhole = 1.4;
constexpr double kNone = 2.8;

}  // namespace

void MeshThickened::evaluate(std::span<const Vec3> points, std::span<double> values) const {
  liquid_.evaluate(points, values);
  if (cubes_.is_empty()) return;
  const double reach = params_.support * params_.support;
  for (std::size_t p = 0; p < points.size(); ++p) {
    // Far out only the sign counts, and that the value is no more than the distance.
    if (values[p] > kNone * params_.radius) {
      values[p] -= params_.radius;
      continue;
    }
    double sum = 0;
    double offset = 0;
    double closest = reach;
    cubes_.for_each_near(points[p], [&](std::size_t i, double voxels) {
      const double squared = voxels * voxel_ * voxel_;
      const double share = 1 - squared / reach;
      const double weight = share * share * share;
      sum += weight;
      offset += weight * std::max(0.0, params_.radius - cubes_.particles()[i].radius);
      closest = std::min(closest, squared);
    });
    if (!(sum > 0)) continue;
    const double far = std::sqrt(closest) / params_.radius;
    values[p] -= std::clamp((kNone - far) / (kNone - kWhole), 0.0, 1.0) * offset / sum;
  }
}

}  // namespace spindrift
