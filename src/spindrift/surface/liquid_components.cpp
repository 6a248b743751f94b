#include "spindrift/surface/liquid_components.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "spindrift/geometry/union_find.hpp"

namespace spindrift {
namespace {

// The vertex of each piece that is farthest along x.
std::vector<std::int32_t> farthest_vertices(const TriangleMesh& mesh,
                                            const MeshComponents& pieces) {
  std::vector<std::int32_t> farthest(pieces.components.size(), -1);
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
    if (pieces.of_vertex[v] < 0) continue;
    std::int32_t& best = farthest[static_cast<std::size_t>(pieces.of_vertex[v])];
    if (best < 0 || mesh.vertices[v].x() > mesh.vertices[static_cast<std::size_t>(best)].x()) {
      best = static_cast<std::int32_t>(v);
    }
  }
  return farthest;
}

// Follows a row of nodes in x from a place in the liquid to where it leaves it.
class RowWalk {
 public:
  RowWalk(const SampledField& samples, const VertexGrid& vertices)
      : samples_(samples), vertices_(vertices) {}

  // The vertex through which the row leaves the liquid around the vertex `from` of a pocket's
  // surface, the farthest of it along x. Nodes that are not known have no surface beside them.
  [[nodiscard]] std::int32_t exit_after(const Vec3& from) const {
    const Vec3 p = samples_.lattice.to_lattice(from);
    const Vec3i node = liquid_end(p);
    const Vec3i home = block_of_node(node);
    std::int64_t block = samples_.blocks.find(home);
    for (; block >= 0 && block < samples_.blocks.size(); ++block) {
      const Vec3i at = samples_.blocks.coordinate(block);
      if (at.y() != home.y() || at.z() != home.z()) break;
      const int first = std::max(kBlockSide * at.x(), node.x() + 1);
      for (int x = first; x < kBlockSide * (at.x() + 1); ++x) {
        const Vec3i here(x, node.y(), node.z());
        if (!is_known(block, here) || is_inside(block, here)) continue;
        const std::int32_t vertex = vertices_.on_x_edge(here - Vec3i(1, 0, 0));
        // Without a vertex this is a pocket that was removed: go on through it.
        if (vertex >= 0) return vertex;
      }
    }
    return -1;
  }

 private:
  // The end in the liquid of the lattice edge that a vertex lies on.
  [[nodiscard]] Vec3i liquid_end(const Vec3& p) const {
    const Vec3i rounded = p.array().round().cast<int>();
    int axis = 0;
    (p - rounded.cast<double>()).cwiseAbs().maxCoeff(&axis);
    Vec3i low = rounded;
    low[axis] = static_cast<int>(std::floor(p[axis]));
    Vec3i high = low;
    high[axis] += 1;
    const std::int32_t block = samples_.blocks.find(block_of_node(low));
    return block >= 0 && is_inside(block, low) ? low : high;
  }
  [[nodiscard]] bool is_known(std::int64_t block, const Vec3i& node) const {
    return has_node(samples_.known[static_cast<std::size_t>(block)], node_in_block(node));
  }
  [[nodiscard]] bool is_inside(std::int64_t block, const Vec3i& node) const {
    return samples_.block_values(block)[node_in_block(node)] < 0;
  }

  const SampledField& samples_;
  const VertexGrid& vertices_;
};

// Up to kSamples vertices of each component, spread over its own.
constexpr std::size_t kSamples = 16;
std::vector<std::vector<std::int32_t>> spread_vertices(const LiquidComponents& liquid) {
  std::vector<std::size_t> counts(liquid.components.size(), 0);
  for (const std::int32_t c : liquid.of_vertex) {
    if (c >= 0) ++counts[static_cast<std::size_t>(c)];
  }
  std::vector<std::vector<std::int32_t>> chosen(liquid.components.size());
  std::vector<std::size_t> seen(liquid.components.size(), 0);
  for (std::size_t v = 0; v < liquid.of_vertex.size(); ++v) {
    if (liquid.of_vertex[v] < 0) continue;
    const auto c = static_cast<std::size_t>(liquid.of_vertex[v]);
    if (seen[c]++ * kSamples >= chosen[c].size() * counts[c] && chosen[c].size() < kSamples) {
      chosen[c].push_back(static_cast<std::int32_t>(v));
    }
  }
  return chosen;
}

// A surface vertex moved along the flow lies on the other surface, but for errors of a step.
constexpr double kMatchReach = 2.5;  // lattice units

// Calls link(component of `from`, component of `to`) for samples of `from`'s vertices that land on
// `to` after dt.
template <class Link>
void link_components(const LiquidComponents& from, const TriangleMesh& from_mesh,
                     const LiquidComponents& to, const VertexGrid& to_vertices,
                     const VelocityField& velocity, double dt, const Link& link) {
  const auto chosen = spread_vertices(from);
  std::vector<Vec3> points;
  for (const auto& vertices : chosen) {
    for (const std::int32_t v : vertices) {
      points.push_back(from_mesh.vertices[static_cast<std::size_t>(v)]);
    }
  }
  trace_paths(velocity, dt, PathScheme::midpoint, points);
  std::size_t next = 0;
  for (std::size_t c = 0; c < chosen.size(); ++c) {
    for (std::size_t i = 0; i < chosen[c].size(); ++i) {
      const std::int32_t landed = to_vertices.closest(points[next++], kMatchReach);
      if (landed < 0) continue;
      const std::int32_t other = to.of_vertex[static_cast<std::size_t>(landed)];
      if (other >= 0) link(c, static_cast<std::size_t>(other));
    }
  }
}

}  // namespace

LiquidComponents liquid_components(const TriangleMesh& mesh, const MeshComponents& pieces,
                                   const SampledField& samples, const VertexGrid& vertices) {
  const auto count = static_cast<std::int64_t>(pieces.components.size());
  UnionFind bodies(count);
  const std::vector<std::int32_t> farthest = farthest_vertices(mesh, pieces);
  const RowWalk walk(samples, vertices);
  for (std::size_t piece = 0; piece < pieces.components.size(); ++piece) {
    if (pieces.components[piece].volume >= 0) continue;
    const std::int32_t exit =
        walk.exit_after(mesh.vertices[static_cast<std::size_t>(farthest[piece])]);
    if (exit >= 0) {
      bodies.unite(static_cast<std::int32_t>(piece),
                   pieces.of_vertex[static_cast<std::size_t>(exit)]);
    }
  }

  LiquidComponents liquid;
  std::vector<std::int32_t> of_piece(pieces.components.size());
  for (std::size_t piece = 0; piece < pieces.components.size(); ++piece) {
    const auto lowest = static_cast<std::size_t>(bodies.find(static_cast<std::int32_t>(piece)));
    if (lowest == piece) {
      of_piece[piece] = static_cast<std::int32_t>(liquid.components.size());
      liquid.components.push_back({.id = liquid.next_id++, .parents = {}});
    } else {
      of_piece[piece] = of_piece[lowest];
    }
    LiquidComponent& body = liquid.components[static_cast<std::size_t>(of_piece[piece])];
    body.volume += pieces.components[piece].volume;
    body.area += pieces.components[piece].area;
    body.pockets += pieces.components[piece].volume < 0 ? 1 : 0;
  }
  liquid.of_vertex.resize(pieces.of_vertex.size());
  for (std::size_t v = 0; v < pieces.of_vertex.size(); ++v) {
    const std::int32_t piece = pieces.of_vertex[v];
    liquid.of_vertex[v] = piece < 0 ? -1 : of_piece[static_cast<std::size_t>(piece)];
  }
  return liquid;
}

void match_components(const LiquidComponents& before, const SurfaceAt& old_surface,
                      LiquidComponents& now, const SurfaceAt& new_surface,
                      const VelocityField& velocity, double dt) {
  // Looked up both ways: a droplet that splits off knows where it came from; one that merges, where
  // it went.
  std::set<std::pair<std::size_t, std::size_t>> links;  // old, new
  link_components(before, old_surface.mesh, now, new_surface.vertices, velocity, dt,
                  [&](std::size_t o, std::size_t n) { links.emplace(o, n); });
  link_components(now, new_surface.mesh, before, old_surface.vertices, velocity, -dt,
                  [&](std::size_t n, std::size_t o) { links.emplace(o, n); });

  for (LiquidComponent& component : now.components) component.parents.clear();
  for (const auto& [o, n] : links) {
    now.components[n].parents.push_back(before.components[o].id);
  }
  for (LiquidComponent& component : now.components) {
    std::sort(component.parents.begin(), component.parents.end());
  }
  // Old bodies, the largest first, hand their number to the largest of their children that has none
  // yet.
  std::vector<std::size_t> largest_first(before.components.size());
  for (std::size_t o = 0; o < largest_first.size(); ++o) largest_first[o] = o;
  std::stable_sort(largest_first.begin(), largest_first.end(), [&](std::size_t a, std::size_t b) {
    return before.components[a].volume > before.components[b].volume;
  });
  std::vector<std::int64_t> ids(now.components.size(), -1);
  for (const std::size_t o : largest_first) {
    std::ptrdiff_t heir = -1;
    for (auto link = links.lower_bound({o, 0}); link != links.end() && link->first == o; ++link) {
      const std::size_t n = link->second;
      if (ids[n] >= 0) continue;
      if (heir < 0 ||
          now.components[n].volume > now.components[static_cast<std::size_t>(heir)].volume) {
        heir = static_cast<std::ptrdiff_t>(n);
      }
    }
    if (heir >= 0) ids[static_cast<std::size_t>(heir)] = before.components[o].id;
  }
  now.next_id = before.next_id;
  for (std::size_t n = 0; n < ids.size(); ++n) {
    now.components[n].id = ids[n] >= 0 ? ids[n] : now.next_id++;
  }
}

}  // namespace spindrift
