#include "spindrift/geometry/mesh_holes.hpp"

#include <limits>
#include <vector>

#include "spindrift/geometry/mesh_edges.hpp"

namespace spindrift {

namespace {

// Rims as closed walks along the missing side of open edges: against the triangles that are there.
struct Rims {
  std::vector<std::vector<std::int32_t>> simple;
  std::int64_t tangled = 0;
};

Rims find_rims(const TriangleMesh& mesh) {
  constexpr std::int32_t kNone = -1, kTangled = -2;
  std::vector<std::int32_t> next(mesh.vertices.size(), kNone);
  std::vector<char> has_previous(mesh.vertices.size(), 0);
  std::vector<std::int32_t> starts;
  const MeshEdges edges(mesh);
  for (std::int64_t e = 0; e < edges.edge_count(); ++e) {
    const auto uses = edges.uses(e);
    if (uses.size() != 1) continue;
    const EdgeUse& use = uses[0];
    const std::int32_t from = use.is_forward ? use.high : use.low;
    const std::int32_t to = use.is_forward ? use.low : use.high;
    next[from] = next[from] == kNone ? to : kTangled;
    if (has_previous[to]) next[to] = kTangled;
    has_previous[to] = 1;
    starts.push_back(from);
  }
  Rims rims;
  std::vector<char> is_visited(mesh.vertices.size(), 0);
  for (const std::int32_t start : starts) {
    if (is_visited[start]) continue;
    std::vector<std::int32_t> rim;
    std::int32_t v = start;
    while (v >= 0 && !is_visited[v]) {
      is_visited[v] = 1;
      rim.push_back(v);
      v = next[v];
    }
    if (v == start && rim.size() >= 3) {
      rims.simple.push_back(std::move(rim));
    } else {
      ++rims.tangled;
    }
  }
  return rims;
}

// Least-area triangulation of a closed polygon in space, by dynamic programming over its chords.
class LeastAreaFill {
 public:
  LeastAreaFill(const TriangleMesh& mesh, const std::vector<std::int32_t>& rim)
      : mesh_(mesh), rim_(rim), n_(std::ssize(rim)), area_(n_ * n_, 0.0), apex_(n_ * n_, -1) {
    for (std::ptrdiff_t span = 2; span < n_; ++span) {
      for (std::ptrdiff_t i = 0; i + span < n_; ++i) choose_apex(i, i + span);
    }
  }

  void append_triangles(std::vector<Triangle>& triangles) const { append(0, n_ - 1, triangles); }

 private:
  void choose_apex(std::ptrdiff_t i, std::ptrdiff_t j) {
    double best = std::numeric_limits<double>::infinity();
    apex_[i * n_ + j] = i + 1;
    for (std::ptrdiff_t k = i + 1; k < j; ++k) {
      const Vec3& a = mesh_.vertices[rim_[i]];
      const Vec3& b = mesh_.vertices[rim_[k]];
      const Vec3& c = mesh_.vertices[rim_[j]];
      const double area = area_[i * n_ + k] + area_[k * n_ + j] + (b - a).cross(c - a).norm() / 2;
      if (area < best) {
        best = area;
        apex_[i * n_ + j] = k;
      }
    }
    area_[i * n_ + j] = best;
  }

  void append(std::ptrdiff_t i, std::ptrdiff_t j, std::vector<Triangle>& triangles) const {
    if (j - i < 2) return;
    const std::ptrdiff_t k = apex_[i * n_ + j];
    triangles.push_back({rim_[i], rim_[k], rim_[j]});
    append(i, k, triangles);
    append(k, j, triangles);
  }

  const TriangleMesh& mesh_;
  const std::vector<std::int32_t>& rim_;
  std::ptrdiff_t n_;
  std::vector<double> area_;  // least area of the polygon i..j, closed by the chord (i, j)
  std::vector<std::ptrdiff_t> apex_;
};

}  // namespace

HoleReport fill_small_holes(TriangleMesh& mesh, const HoleParams& params) {
  HoleReport report;
  const double widest = params.max_diameter * bounds(mesh).diagonal().norm();
  const Rims rims = find_rims(mesh);
  report.left = rims.tangled;
  std::vector<Triangle> added;
  for (const auto& rim : rims.simple) {
    Box3 box;
    for (const std::int32_t v : rim) box.extend(mesh.vertices[v]);
    if (std::ssize(rim) > params.max_edges || box.diagonal().norm() > widest) {
      ++report.left;
      continue;
    }
    LeastAreaFill(mesh, rim).append_triangles(added);
    ++report.filled;
  }
  report.added_triangles = std::ssize(added);
  mesh.triangles.insert(mesh.triangles.end(), added.begin(), added.end());
  return report;
}

}  // namespace spindrift
