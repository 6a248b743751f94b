#include "spindrift/geometry/mesh_orientation.hpp"

#include <cmath>
#include <memory>

#include "spindrift/geometry/triangle_bvh.hpp"

namespace spindrift {

namespace {

void flip(Triangle& triangle) { std::swap(triangle[1], triangle[2]); }

double area_of(const TriangleMesh& mesh, std::int64_t t) {
  const Vec3& a = mesh.corner(t, 0);
  return (mesh.corner(t, 1) - a).cross(mesh.corner(t, 2) - a).norm() / 2;
}

// Neighbours over edges of exactly two triangles: code = 2 * neighbour + (faces the other way).
std::vector<std::array<std::int64_t, 3>> manifold_neighbours(const TriangleMesh& mesh,
                                                             const MeshEdges& edges) {
  std::vector<std::array<std::int64_t, 3>> neighbours(mesh.triangles.size(), {-1, -1, -1});
  for (std::int64_t e = 0; e < edges.edge_count(); ++e) {
    const auto uses = edges.uses(e);
    if (uses.size() != 2 || uses[0].triangle == uses[1].triangle) continue;
    const int against = uses[0].is_forward == uses[1].is_forward ? 1 : 0;
    neighbours[uses[0].triangle][uses[0].side] = 2 * std::int64_t{uses[1].triangle} + against;
    neighbours[uses[1].triangle][uses[1].side] = 2 * std::int64_t{uses[0].triangle} + against;
  }
  return neighbours;
}

// Flips the smaller part of each patch that is joined by manifold edges.
void make_patches_agree(TriangleMesh& mesh, OrientationReport& report) {
  const MeshEdges edges(mesh);
  const auto neighbours = manifold_neighbours(mesh, edges);
  enum : char { kUnseen, kKept, kTurned };
  std::vector<char> state(mesh.triangles.size(), kUnseen);
  std::int64_t conflicts = 0;
  std::vector<std::int32_t> patch;
  for (std::int32_t seed = 0; seed < mesh.triangle_count(); ++seed) {
    if (state[seed] != kUnseen) continue;
    patch = {seed};
    state[seed] = kKept;
    double kept_area = 0, turned_area = 0;
    for (std::size_t next = 0; next < patch.size(); ++next) {
      const std::int32_t t = patch[next];
      (state[t] == kKept ? kept_area : turned_area) += area_of(mesh, t);
      for (const std::int64_t code : neighbours[t]) {
        if (code < 0) continue;
        const bool against = (code & 1) != 0;
        const char wanted = (state[t] == kKept) != against ? kKept : kTurned;
        const auto other = static_cast<std::int32_t>(code / 2);
        if (state[other] == kUnseen) {
          state[other] = wanted;
          patch.push_back(other);
        } else if (state[other] != wanted) {
          ++conflicts;
        }
      }
    }
    const char minority = turned_area > kept_area ? kKept : kTurned;
    for (const std::int32_t t : patch) {
      if (state[t] != minority) continue;
      flip(mesh.triangles[t]);
      ++report.flipped_triangles;
    }
  }
  report.conflicting_edges = conflicts / 2;  // both sides met each of them
}

struct ComponentFacts {
  bool is_closed = true;
  double volume = 0;
  Box3 box;
  std::vector<std::int32_t> triangles;
};

std::vector<ComponentFacts> gather_facts(const TriangleMesh& mesh, const MeshEdges& edges,
                                         const EdgeComponents& components) {
  std::vector<ComponentFacts> facts(components.count);
  for (std::int32_t t = 0; t < mesh.triangle_count(); ++t) {
    ComponentFacts& own = facts[components.of_triangle[t]];
    own.triangles.push_back(t);
    for (int k = 0; k < 3; ++k) own.box.extend(mesh.corner(t, k));
  }
  for (ComponentFacts& own : facts) {
    const Vec3 origin = own.box.center();
    for (const std::int32_t t : own.triangles) {
      own.volume += (mesh.corner(t, 0) - origin)
                        .dot((mesh.corner(t, 1) - origin).cross(mesh.corner(t, 2) - origin)) /
                    6;
    }
  }
  for (std::int64_t e = 0; e < edges.edge_count(); ++e) {
    const auto uses = edges.uses(e);
    if (edge_balance(uses) != 0) facts[components.of_triangle[uses[0].triangle]].is_closed = false;
  }
  return facts;
}

// Answers whether points lie inside components; each gets its tree when it is first asked.
class ComponentInsides {
 public:
  ComponentInsides(const TriangleMesh& mesh, const std::vector<ComponentFacts>& facts)
      : mesh_(mesh), facts_(facts), trees_(facts.size()) {}

  [[nodiscard]] bool contains(std::int32_t component, const Vec3& point) {
    std::unique_ptr<TriangleBvh>& tree = trees_[component];
    if (tree == nullptr) {
      TriangleMesh part;
      part.vertices = mesh_.vertices;
      for (const std::int32_t t : facts_[component].triangles) {
        part.triangles.push_back(mesh_.triangles[t]);
      }
      tree = std::make_unique<TriangleBvh>(part);
    }
    return std::abs(tree->winding_number(point)) > 0.5;
  }

 private:
  const TriangleMesh& mesh_;
  const std::vector<ComponentFacts>& facts_;
  std::vector<std::unique_ptr<TriangleBvh>> trees_;
};

}  // namespace

std::vector<std::int32_t> inside_out_components(const TriangleMesh& mesh, const MeshEdges& edges,
                                                const EdgeComponents& components) {
  const std::vector<ComponentFacts> facts = gather_facts(mesh, edges, components);
  ComponentInsides insides(mesh, facts);
  std::vector<std::int32_t> result;
  for (std::int32_t inner = 0; inner < components.count; ++inner) {
    if (!facts[inner].is_closed || facts[inner].volume >= 0) continue;
    const Vec3& point = mesh.corner(facts[inner].triangles.front(), 0);
    int depth = 0;
    for (std::int32_t outer = 0; outer < components.count; ++outer) {
      if (outer == inner || !facts[outer].is_closed) continue;
      if (!facts[outer].box.contains(facts[inner].box)) continue;
      if (insides.contains(outer, point)) ++depth;
    }
    if (depth % 2 == 0) result.push_back(inner);
  }
  return result;
}

OrientationReport orient_mesh(TriangleMesh& mesh) {
  OrientationReport report;
  make_patches_agree(mesh, report);
  const MeshEdges edges(mesh);
  const EdgeComponents components = find_components(mesh, edges);
  const std::vector<std::int32_t> turned = inside_out_components(mesh, edges, components);
  report.turned_components = std::ssize(turned);
  std::vector<char> is_turned(components.count, 0);
  for (const std::int32_t c : turned) is_turned[c] = 1;
  for (std::int64_t t = 0; t < mesh.triangle_count(); ++t) {
    if (is_turned[components.of_triangle[t]]) flip(mesh.triangles[t]);
  }
  return report;
}

}  // namespace spindrift
