#include "spindrift/geometry/mesh_components.hpp"

#include <atomic>

#include "spindrift/core/buffer.hpp"
#include "spindrift/core/parallel.hpp"
#include "spindrift/geometry/union_find.hpp"

namespace spindrift {

MeshComponents mesh_components(const TriangleMesh& mesh) {
  UnionFind sets(mesh.vertex_count());
  std::vector<char> is_used(mesh.vertices.size(), 0);
  parallel_for_each(mesh.triangle_count(), [&](std::int64_t n) {
    const Triangle& t = mesh.triangles[static_cast<std::size_t>(n)];
    sets.unite_among_others(t[0], t[1]);
    sets.unite_among_others(t[1], t[2]);
    for (const std::int32_t v : t) {
      std::atomic_ref(is_used[static_cast<std::size_t>(v)]).store(1, std::memory_order_relaxed);
    }
  });
  // A set is represented by its lowest vertex, which therefore comes first.
  MeshComponents result;
  result.of_vertex.assign(mesh.vertices.size(), -1);
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
    if (is_used[v] == 0) continue;
    const auto lowest = static_cast<std::size_t>(sets.find(static_cast<std::int32_t>(v)));
    if (lowest == v) {
      result.of_vertex[v] = static_cast<std::int32_t>(result.components.size());
      result.components.emplace_back();
    } else {
      result.of_vertex[v] = result.of_vertex[lowest];
    }
  }
  if (mesh.triangles.empty()) return result;
  // Volumes are measured from a point nearby: far from the origin they would cancel.
  const Vec3 reference = mesh.corner(0, 0);
  struct Size {
    double volume, area;
  };
  Buffer<Size> sizes(mesh.triangles.size());
  parallel_for_each(mesh.triangle_count(), [&](std::int64_t n) {
    const Vec3 a = mesh.corner(n, 0) - reference;
    const Vec3 b = mesh.corner(n, 1) - reference;
    const Vec3 c = mesh.corner(n, 2) - reference;
    const Vec3 normal = (b - a).cross(c - a);
    sizes[static_cast<std::size_t>(n)] = {a.dot(normal) / 6, normal.norm() / 2};
  });
  // In their order: sums must not depend on the threads.
  for (std::size_t n = 0; n < sizes.size(); ++n) {
    const auto vertex = static_cast<std::size_t>(mesh.triangles[n][0]);
    MeshComponent& component =
        result.components[static_cast<std::size_t>(result.of_vertex[vertex])];
    component.volume += sizes[n].volume;
    component.area += sizes[n].area;
    ++component.triangles;
  }
  return result;
}

}  // namespace spindrift
