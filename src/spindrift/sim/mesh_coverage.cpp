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

// Every n-th vertex, moved inwards by `way`, m: along the normal of one of its triangles.
std::vector<Vec3> just_inside(const TriangleMesh& surface, std::size_t stride, double way) {
  std::vector<std::int32_t> triangle_of(surface.vertices.size(), -1);
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
    for (const std::int32_t v : surface.triangles[t]) {
      triangle_of[static_cast<std::size_t>(v)] = static_cast<std::int32_t>(t);
    }
  }
  std::vector<Vec3> places;
  for (std::size_t v = 0; v < surface.vertices.size(); v += stride) {
    places.push_back(surface.vertices[v]);
    if (triangle_of[v] < 0) continue;
    const auto& [a, b, c] = surface.triangles[static_cast<std::size_t>(triangle_of[v])];
    const auto corner = [&](std::int32_t k) {
      return surface.vertices[static_cast<std::size_t>(k)];
    };
    const Vec3 normal = (corner(b) - corner(a)).cross(corner(c) - corner(a));
    if (normal.norm() > 0) places.back() -= way * normal.normalized();
  }
  return places;
}

// The tetrahedra that places are in; negative: none.
std::vector<std::int32_t> tets_of(const TetLocator& locator, std::span<const Vec3> places) {
  std::vector<std::int32_t> tets(places.size());
  parallel_for_chunks(std::ssize(places), kPointsAtOnce, [&](std::int64_t begin, std::int64_t end) {
    const auto from = static_cast<std::size_t>(begin);
    const auto count = static_cast<std::size_t>(end - begin);
    locator.find(places.subspan(from, count), std::span(tets).subspan(from, count));
  });
  return tets;
}

// The points that are outside of all tetrahedra when they are moved.
std::vector<Vec3> still_outside(const TetLocator& locator, std::span<const Vec3> points,
                                const Vec3& move) {
  std::vector<Vec3> moved(points.begin(), points.end());
  for (Vec3& point : moved) point += move;
  const std::vector<std::int32_t> tets = tets_of(locator, moved);
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
                          const TetLocator& locator, const TriangleMesh& surface, double reach) {
  // Nearly all are found by looking below the surface, most others by looking around: few are left
  // to be measured.
  const std::size_t stride = surface.vertices.size() / kMostPoints + 1;
  const std::vector<std::int32_t> below =
      tets_of(locator, just_inside(surface, stride, 0.5 * reach));
  if (below.empty()) return 0;
  std::vector<Vec3> outside;
  for (std::size_t i = 0; i < below.size(); ++i) {
    if (below[i] < 0) outside.push_back(surface.vertices[stride * i]);
  }
  outside = still_outside(locator, outside, Vec3::Zero());
  for (const double distance : {0.5 * reach, reach}) {
    for (const Vec3& direction : directions()) {
      outside = still_outside(locator, outside, distance * direction);
    }
  }
  if (outside.empty()) return 0;
  const Boundary boundary(mesh, neighbors, reach);
  std::erase_if(outside, [&](const Vec3& point) { return boundary.is_near(point); });
  return static_cast<double>(outside.size()) / static_cast<double>(below.size());
}

}  // namespace spindrift
