#include "spindrift/geometry/mesh_weld.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include "spindrift/core/parallel.hpp"
#include "spindrift/geometry/mesh_edges.hpp"

namespace spindrift {

namespace {

bool has_repeated_vertex(const Triangle& t) { return t[0] == t[1] || t[1] == t[2] || t[2] == t[0]; }

// The vertices in ascending order, and whether that is an even permutation of the triangle.
struct SortedTriangle {
  Triangle vertices;
  bool is_even;
  std::int32_t triangle;
};

SortedTriangle sorted(const TriangleMesh& mesh, std::int32_t t) {
  SortedTriangle result{mesh.triangles[t], true, t};
  Triangle& v = result.vertices;
  for (const auto& [i, j] : {std::pair{0, 1}, {1, 2}, {0, 1}}) {
    if (v[i] > v[j]) {
      std::swap(v[i], v[j]);
      result.is_even = !result.is_even;
    }
  }
  return result;
}

// All triangles without repeated vertices, those over the same vertices next to each other.
std::vector<SortedTriangle> group_by_vertices(const TriangleMesh& mesh) {
  std::vector<SortedTriangle> groups;
  groups.reserve(mesh.triangles.size());
  for (std::int32_t t = 0; t < mesh.triangle_count(); ++t) {
    if (!has_repeated_vertex(mesh.triangles[t])) groups.push_back(sorted(mesh, t));
  }
  parallel_sort_total(groups.begin(), groups.end(),
                      [](const SortedTriangle& a, const SortedTriangle& b) {
                        return std::tie(a.vertices, a.triangle) < std::tie(b.vertices, b.triangle);
                      });
  return groups;
}

void keep_triangles(TriangleMesh& mesh, const std::vector<char>& is_kept) {
  std::size_t end = 0;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    if (is_kept[t]) mesh.triangles[end++] = mesh.triangles[t];
  }
  mesh.triangles.resize(end);
}

// Finds earlier points near a new one through a grid of cells of twice the tolerance.
class NearbyPoints {
 public:
  NearbyPoints(const TriangleMesh& mesh, double tolerance)
      : mesh_(mesh), tolerance_(tolerance), cell_(2 * tolerance) {}

  // The lowest earlier vertex within the tolerance, or `vertex` itself, which is then remembered.
  std::int32_t find_or_add(std::int32_t vertex) {
    const Vec3& p = mesh_.vertices[vertex];
    std::int32_t best = vertex;
    // Cells are wider than the reach, so on each axis the two ends of it lie in all cells to visit.
    const Eigen::Array3d low = ((p.array() - tolerance_) / cell_).floor();
    const Eigen::Array3d high = ((p.array() + tolerance_) / cell_).floor();
    for (int corner = 0; corner < 8; ++corner) {
      const auto found = cells_.find(key((corner & 1) != 0 ? high.x() : low.x(),
                                         (corner & 2) != 0 ? high.y() : low.y(),
                                         (corner & 4) != 0 ? high.z() : low.z()));
      if (found == cells_.end()) continue;
      for (const std::int32_t other : found->second) {
        if (other < best && (mesh_.vertices[other] - p).norm() <= tolerance_) best = other;
      }
    }
    if (best == vertex) {
      const Eigen::Array3d own = (p.array() / cell_).floor();
      cells_[key(own.x(), own.y(), own.z())].push_back(vertex);
    }
    return best;
  }

 private:
  // Cells may share a key: distances decide.
  static std::uint64_t key(double x, double y, double z) {
    std::uint64_t hash = 0;
    for (const double value : {x, y, z}) {
      std::uint64_t bits = 0;
      const double plus_zero = value + 0.0;
      std::memcpy(&bits, &plus_zero, sizeof bits);
      hash = (hash ^ bits) * 0x9e3779b97f4a7c15u;
      hash ^= hash >> 32;
    }
    return hash;
  }

  const TriangleMesh& mesh_;
  double tolerance_, cell_;
  std::unordered_map<std::uint64_t, std::vector<std::int32_t>> cells_;
};

}  // namespace

std::vector<std::int32_t> coincident_vertex_map(const TriangleMesh& mesh) {
  std::vector<std::int32_t> order(mesh.vertices.size());
  std::iota(order.begin(), order.end(), 0);
  const auto less = [&](std::int32_t a, std::int32_t b) {
    const Vec3 &p = mesh.vertices[a], &q = mesh.vertices[b];
    return std::tie(p.x(), p.y(), p.z(), a) < std::tie(q.x(), q.y(), q.z(), b);
  };
  parallel_sort_total(order.begin(), order.end(), less);
  std::vector<std::int32_t> first(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool repeats = i > 0 && mesh.vertices[order[i]] == mesh.vertices[order[i - 1]];
    first[order[i]] = repeats ? first[order[i - 1]] : order[i];
  }
  return first;
}

std::vector<std::int32_t> duplicate_triangles(const TriangleMesh& mesh) {
  const std::vector<SortedTriangle> groups = group_by_vertices(mesh);
  std::vector<std::int32_t> duplicates;
  for (std::size_t i = 1; i < groups.size(); ++i) {
    if (groups[i].vertices == groups[i - 1].vertices) duplicates.push_back(groups[i].triangle);
  }
  std::sort(duplicates.begin(), duplicates.end());
  return duplicates;
}

std::int64_t weld_open_edges(TriangleMesh& mesh, double tolerance) {
  const MeshEdges edges(mesh);
  std::vector<char> is_open(mesh.vertices.size(), 0);
  for (std::int64_t e = 0; e < edges.edge_count(); ++e) {
    const auto uses = edges.uses(e);
    if (uses.size() == 1) is_open[uses[0].low] = is_open[uses[0].high] = 1;
  }
  std::vector<std::int32_t> target(mesh.vertices.size());
  std::iota(target.begin(), target.end(), 0);
  if (tolerance > 0) {
    NearbyPoints nearby(mesh, tolerance);
    for (std::int32_t v = 0; v < mesh.vertex_count(); ++v) {
      if (is_open[v]) target[v] = nearby.find_or_add(v);
    }
  } else {
    // Of coincident vertices only the open ones move, to the lowest open one.
    const std::vector<std::int32_t> first = coincident_vertex_map(mesh);
    std::vector<std::int32_t> first_open(mesh.vertices.size(), -1);
    for (std::int32_t v = 0; v < mesh.vertex_count(); ++v) {
      if (!is_open[v]) continue;
      std::int32_t& representative = first_open[first[v]];
      if (representative < 0) representative = v;
      target[v] = representative;
    }
  }
  std::int64_t replaced = 0;
  for (std::int32_t v = 0; v < mesh.vertex_count(); ++v) replaced += target[v] != v;
  for (Triangle& triangle : mesh.triangles) {
    for (std::int32_t& v : triangle) v = target[v];
  }
  return replaced;
}

std::int64_t remove_collapsed_triangles(TriangleMesh& mesh) {
  return static_cast<std::int64_t>(std::erase_if(mesh.triangles, has_repeated_vertex));
}

std::int64_t remove_duplicate_triangles(TriangleMesh& mesh) {
  const std::vector<SortedTriangle> groups = group_by_vertices(mesh);
  std::vector<char> is_kept(mesh.triangles.size(), 1);
  for (std::size_t begin = 0, end = 0; begin < groups.size(); begin = end) {
    int balance = 0;
    for (end = begin; end < groups.size() && groups[end].vertices == groups[begin].vertices;
         ++end) {
      balance += groups[end].is_even ? 1 : -1;
    }
    if (end == begin + 1) continue;
    bool kept_one = false;
    for (std::size_t i = begin; i < end; ++i) {
      const bool on_majority_side = balance != 0 && groups[i].is_even == (balance > 0);
      is_kept[groups[i].triangle] = on_majority_side && !kept_one;
      kept_one |= on_majority_side;
    }
  }
  const std::int64_t before = mesh.triangle_count();
  keep_triangles(mesh, is_kept);
  return before - mesh.triangle_count();
}

std::int64_t remove_unused_vertices(TriangleMesh& mesh) {
  std::vector<std::int32_t> index(mesh.vertices.size(), -1);
  for (const Triangle& triangle : mesh.triangles) {
    for (const std::int32_t v : triangle) index[v] = 0;
  }
  std::int32_t next = 0;
  for (std::int32_t v = 0; v < mesh.vertex_count(); ++v) {
    if (index[v] < 0) continue;
    mesh.vertices[next] = mesh.vertices[v];
    index[v] = next++;
  }
  for (Triangle& triangle : mesh.triangles) {
    for (std::int32_t& v : triangle) v = index[v];
  }
  const std::int64_t removed = mesh.vertex_count() - next;
  mesh.vertices.resize(next);
  return removed;
}

}  // namespace spindrift
