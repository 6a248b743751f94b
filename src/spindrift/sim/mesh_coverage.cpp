#include "spindrift/sim/mesh_coverage.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "spindrift/core/parallel.hpp"
#include "spindrift/geometry/triangle.hpp"
#include "spindrift/surface/point_cubes.hpp"

namespace spindrift {
namespace {

// A share of one in a thousand is then known to a fifth of it.
constexpr std::size_t kMostPoints = 50000;
constexpr std::int64_t kPointsAtOnce = 1024;

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
  std::vector<std::int32_t> tets(points.size());
  parallel_for_chunks(std::ssize(points), kPointsAtOnce, [&](std::int64_t begin, std::int64_t end) {
    const auto from = static_cast<std::size_t>(begin);
    std::vector<Vec3> moved(points.begin() + begin, points.begin() + end);
    for (Vec3& point : moved) point += move;
    locator.find(moved, std::span(tets).subspan(from, moved.size()));
  });
  std::vector<Vec3> left;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (tets[i] < 0) left.push_back(points[i]);
  }
  return left;
}

// The boundary of a mesh, by place.
class Boundary {
 public:
  // For distances up to `reach`.
  Boundary(const TetMesh& mesh, const TetNeighbors& neighbors, double reach) : reach_(reach) {
    std::vector<Vec3> centers;
    double farthest = 0;
    for (std::size_t tet = 0; tet < neighbors.size(); ++tet) {
      for (std::size_t side = 0; side < 4; ++side) {
        if (neighbors[tet][side] >= 0) continue;
        std::array<Vec3, 3> corners;
        for (std::size_t k = 0; k < 3; ++k) {
          const std::int32_t vertex = mesh.tets[tet][k < side ? k : k + 1];
          corners[k] = mesh.vertices[static_cast<std::size_t>(vertex)];
        }
        centers.emplace_back((corners[0] + corners[1] + corners[2]) / 3);
        for (const Vec3& corner : corners) {
          farthest = std::max(farthest, (corner - centers.back()).norm());
        }
        triangles_.push_back(corners);
      }
    }
    cubes_ = PointCubes(centers, {mesh.vertices.front(), reach}, (reach + farthest) / reach);
  }

  [[nodiscard]] bool is_near(const Vec3& point) const {
    bool is_near = false;
    cubes_.for_each_near(point, [&](std::size_t i, double) {
      const auto& [a, b, c] = triangles_[i];
      is_near = is_near || (closest_point_on_triangle(point, a, b, c) - point).norm() <= reach_;
    });
    return is_near;
  }

 private:
  double reach_;
  std::vector<std::array<Vec3, 3>> triangles_;
  PointCubes cubes_{{}, {}, 1};
};

}  // namespace

double share_out_of_reach(const TetMesh& mesh, const TetNeighbors& neighbors,
                          const TetLocator& locator, std::span<const Vec3> points, double reach) {
  const std::size_t stride = points.size() / kMostPoints + 1;
  std::vector<Vec3> outside;
  for (std::size_t i = 0; i < points.size(); i += stride) outside.push_back(points[i]);
  const auto looked_at = static_cast<double>(outside.size());
  if (outside.empty()) return 0;
  // Nearly all are found by looking around them: few are left to be measured.
  outside = still_outside(locator, outside, Vec3::Zero());
  for (const double distance : {0.5 * reach, reach}) {
    for (const Vec3& direction : directions()) {
      outside = still_outside(locator, outside, distance * direction);
    }
  }
  if (outside.empty()) return 0;
  const Boundary boundary(mesh, neighbors, reach);
  std::erase_if(outside, [&](const Vec3& point) { return boundary.is_near(point); });
  return static_cast<double>(outside.size()) / looked_at;
}

}  // namespace spindrift
