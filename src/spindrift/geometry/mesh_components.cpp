#include "spindrift/geometry/mesh_components.hpp"

#include "spindrift/geometry/union_find.hpp"

namespace spindrift {

MeshComponents mesh_components(const TriangleMesh& mesh) {
  UnionFind sets(mesh.vertex_count());
  std::vector<char> is_used(mesh.vertices.size(), 0);
  for (const Triangle& t : mesh.triangles) {
    sets.unite(t[0], t[1]);
    sets.unite(t[1], t[2]);
    for (const std::int32_t v : t) is_used[static_cast<std::size_t>(v)] = 1;
  }
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
  for (const Triangle& t : mesh.triangles) {
    const Vec3 a = mesh.vertices[static_cast<std::size_t>(t[0])] - reference;
    const Vec3 b = mesh.vertices[static_cast<std::size_t>(t[1])] - reference;
    const Vec3 c = mesh.vertices[static_cast<std::size_t>(t[2])] - reference;
    const Vec3 normal = (b - a).cross(c - a);
    MeshComponent& component =
        result
            .components[static_cast<std::size_t>(result.of_vertex[static_cast<std::size_t>(t[0])])];
    component.volume += a.dot(normal) / 6;
    component.area += normal.norm() / 2;
    ++component.triangles;
  }
  return result;
}

}  // namespace spindrift
