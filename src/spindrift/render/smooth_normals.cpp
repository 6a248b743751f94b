#include "spindrift/render/smooth_normals.hpp"

#include <cmath>
#include <numbers>

#include "spindrift/core/parallel.hpp"
#include "spindrift/core/stable_length.hpp"

namespace spindrift::render_detail {

namespace {

struct Facet {
  Vec3f normal = Vec3f::Zero();
  std::array<float, 3> angle = {0, 0, 0};  // at the corners, rad
};

Facet facet_of(const TriangleMesh& mesh, const Placement& placement, std::int64_t t) {
  std::array<Vec3, 3> x;
  for (int k = 0; k < 3; ++k) x[k] = placement.apply(mesh.corner(t, k));
  const Vec3 cross = (x[1] - x[0]).cross(x[2] - x[0]);
  const double area = stable_length(cross);
  Facet facet;
  if (!(area > 0) || !std::isfinite(area)) return facet;
  facet.normal = (cross / area).cast<float>();
  for (int k = 0; k < 3; ++k) {
    const Vec3 a = x[(k + 1) % 3] - x[k], b = x[(k + 2) % 3] - x[k];
    facet.angle[k] = static_cast<float>(std::atan2(area, a.dot(b)));
  }
  return facet;
}

// The corners at each vertex, as 3 * triangle + k, ascending: those of vertex v are at
// [start[v], start[v + 1]).
struct CornersOfVertices {
  std::vector<std::int64_t> start, corner;
};

CornersOfVertices corners_of_vertices(const TriangleMesh& mesh) {
  CornersOfVertices result;
  result.start.assign(mesh.vertices.size() + 1, 0);
  for (const Triangle& triangle : mesh.triangles) {
    for (const std::int32_t v : triangle) ++result.start[v + 1];
  }
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v) result.start[v + 1] += result.start[v];
  std::vector<std::int64_t> next(result.start.begin(), result.start.end() - 1);
  result.corner.resize(3 * mesh.triangles.size());
  for (std::int64_t t = 0; t < mesh.triangle_count(); ++t) {
    for (int k = 0; k < 3; ++k) result.corner[next[mesh.triangles[t][k]]++] = 3 * t + k;
  }
  return result;
}

}  // namespace

std::vector<CornerNormals> smooth_normals(const TriangleMesh& mesh, const Placement& placement) {
  std::vector<Facet> facets(mesh.triangles.size());
  parallel_for_each(mesh.triangle_count(),
                    [&](std::int64_t t) { facets[t] = facet_of(mesh, placement, t); });
  const CornersOfVertices around = corners_of_vertices(mesh);
  const auto least_cosine = static_cast<float>(std::cos(kCreaseDegrees * std::numbers::pi / 180));
  std::vector<CornerNormals> normals(mesh.triangles.size());
  parallel_for_each(mesh.triangle_count(), [&](std::int64_t t) {
    for (int k = 0; k < 3; ++k) {
      const std::int32_t v = mesh.triangles[t][k];
      Vec3f sum = Vec3f::Zero();
      for (std::int64_t i = around.start[v]; i < around.start[v + 1]; ++i) {
        const Facet& other = facets[around.corner[i] / 3];
        if (other.normal.dot(facets[t].normal) < least_cosine) continue;
        sum += other.angle[around.corner[i] % 3] * other.normal;
      }
      normals[t][k] = sum.stableNormalized();
    }
  });
  return normals;
}

}  // namespace spindrift::render_detail
