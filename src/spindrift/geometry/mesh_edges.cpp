#include "spindrift/geometry/mesh_edges.hpp"

#include <tuple>

#include "spindrift/core/parallel.hpp"
#include "spindrift/geometry/union_find.hpp"

namespace spindrift {

MeshEdges::MeshEdges(const TriangleMesh& mesh) : uses_(3 * mesh.triangles.size()) {
  parallel_for_each(mesh.triangle_count(), [&](std::int64_t t) {
    for (int side = 0; side < 3; ++side) {
      const std::int32_t from = mesh.triangles[t][side];
      const std::int32_t to = mesh.triangles[t][(side + 1) % 3];
      uses_[3 * t + side] = {std::min(from, to), std::max(from, to), static_cast<std::int32_t>(t),
                             static_cast<std::int8_t>(side), from <= to};
    }
  });
  parallel_sort_total(uses_.begin(), uses_.end(), [](const EdgeUse& a, const EdgeUse& b) {
    return std::tie(a.low, a.high, a.triangle, a.side) <
           std::tie(b.low, b.high, b.triangle, b.side);
  });
  for (std::int64_t i = 0; i < std::ssize(uses_); ++i) {
    if (i == 0 || uses_[i].low != uses_[i - 1].low || uses_[i].high != uses_[i - 1].high) {
      first_.push_back(i);
    }
  }
  first_.push_back(std::ssize(uses_));
}

int edge_balance(std::span<const EdgeUse> uses) {
  int balance = 0;
  for (const EdgeUse& use : uses) {
    if (use.low != use.high) balance += use.is_forward ? 1 : -1;
  }
  return balance;
}

EdgeComponents find_components(const TriangleMesh& mesh, const MeshEdges& edges) {
  UnionFind sets(mesh.triangle_count());
  for (std::int64_t e = 0; e < edges.edge_count(); ++e) {
    const auto uses = edges.uses(e);
    for (const EdgeUse& use : uses) sets.unite(uses.front().triangle, use.triangle);
  }
  EdgeComponents components;
  components.of_triangle.resize(mesh.triangles.size());
  for (std::int32_t t = 0; t < mesh.triangle_count(); ++t) {
    const std::int32_t root = sets.find(t);
    components.of_triangle[t] = root == t ? components.count++ : components.of_triangle[root];
  }
  return components;
}

}  // namespace spindrift
