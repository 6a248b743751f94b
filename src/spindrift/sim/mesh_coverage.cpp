#include "spindrift/sim/mesh_coverage.hpp"

#include <vector>

namespace spindrift {
namespace {

constexpr std::size_t kMostPoints = 100000;

// To the faces and the corners of a cube.
std::vector<Vec3> directions() {
  std::vector<Vec3> all;
  for (int n = 0; n < 27; ++n) {
    const Vec3 to(n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1);
    const double length = to.lpNorm<1>();
    if (length == 1 || length == 3) all.push_back(to.normalized());
  }
  return all;
}

// The points that are outside of all tetrahedra when they are moved.
std::vector<Vec3> still_outside(const TetLocator& locator, std::span<const Vec3> points,
                                const Vec3& move) {
  std::vector<Vec3> moved;
  moved.reserve(points.size());
  for (const Vec3& point : points) moved.emplace_back(point + move);
  std::vector<std::int32_t> tets(moved.size());
  locator.find(moved, tets);
  std::vector<Vec3> left;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (tets[i] < 0) left.push_back(points[i]);
  }
  return left;
}

}  // namespace

double share_out_of_reach(const TetLocator& locator, std::span<const Vec3> points, double reach) {
  const std::size_t stride = points.size() / kMostPoints + 1;
  std::vector<Vec3> outside;
  for (std::size_t i = 0; i < points.size(); i += stride) outside.push_back(points[i]);
  const auto looked_at = static_cast<double>(outside.size());
  if (outside.empty()) return 0;
  outside = still_outside(locator, outside, Vec3::Zero());
  for (const double distance : {0.5 * reach, reach}) {
    for (const Vec3& direction : directions()) {
      outside = still_outside(locator, outside, distance * direction);
    }
  }
  return static_cast<double>(outside.size()) / looked_at;
}

}  // namespace spindrift
