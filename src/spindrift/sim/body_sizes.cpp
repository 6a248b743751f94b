#include "spindrift/sim/body_sizes.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "spindrift/core/parallel.hpp"
#include "spindrift/geometry/mesh_components.hpp"
#include "spindrift/geometry/union_find.hpp"
#include "spindrift/surface/inflation.hpp"

namespace spindrift {
namespace {

// A vertex of the cut surface towards air is on the tracked surface, but for rounding off of
// corners. Lattice units.
constexpr double kReach = 1.5;

// The vertices of triangles towards air.
std::vector<char> vertices_in_air(const CutSurface& cut) {
  std::vector<char> is_in_air(cut.mesh.vertices.size(), 0);
  for (std::size_t t = 0; t < cut.kinds.size(); ++t) {
    if (cut.kinds[t] != SurfaceKind::air) continue;
    for (const std::int32_t v : cut.mesh.triangles[t]) is_in_air[static_cast<std::size_t>(v)] = 1;
  }
  return is_in_air;
}

// Of the vertices towards air, one in as many is asked which body it is next to. Drops that are
// worth anything have dozens.
constexpr std::size_t kAsked = 4;

// The pieces of the cut surface, and the bodies that they are of.
struct Pieces {
  MeshComponents mesh;
  // The body that most of the vertices of each piece are next to; -1: none is. One does not tell:
  // it may be closer to a drop that comes near the piece.
  std::vector<std::int32_t> body;
  // Which piece a body has vertices in, other than its own: pieces, bodies.
  std::vector<std::pair<std::size_t, std::int32_t>> shared;
};

Pieces find_pieces(const CutSurface& cut, const ContouringTracker& tracker) {
  Pieces pieces{.mesh = mesh_components(cut.mesh), .body = {}, .shared = {}};
  const std::vector<char> is_in_air = vertices_in_air(cut);
  std::vector<std::size_t> asked;
  std::vector<std::size_t> seen(pieces.mesh.components.size(), 0);
  for (std::size_t v = 0; v < is_in_air.size(); ++v) {
    const std::int32_t piece = pieces.mesh.of_vertex[v];
    if (piece < 0 || is_in_air[v] == 0) continue;
    if (seen[static_cast<std::size_t>(piece)]++ % kAsked == 0) asked.push_back(v);
  }
  using Vote = std::pair<std::size_t, std::int32_t>;  // piece, body
  std::vector<Vote> votes(asked.size());
  parallel_for_each(std::ssize(asked), [&](std::int64_t i) {
    const std::size_t v = asked[static_cast<std::size_t>(i)];
    const std::int32_t found = tracker.vertices().closest(cut.mesh.vertices[v], kReach);
    votes[static_cast<std::size_t>(i)] = {
        static_cast<std::size_t>(pieces.mesh.of_vertex[v]),
        found < 0 ? -1 : tracker.components().of_vertex[static_cast<std::size_t>(found)]};
  });
  std::sort(votes.begin(), votes.end());
  pieces.body.assign(seen.size(), -1);
  std::vector<std::ptrdiff_t> most(seen.size(), 0);
  for (auto vote = votes.begin(); vote != votes.end();) {
    const auto [piece, body] = *vote;
    const auto end = std::upper_bound(vote, votes.end(), *vote);
    if (body >= 0) {
      pieces.shared.push_back(*vote);
      if (end - vote > most[piece]) {
        most[piece] = end - vote;
        pieces.body[piece] = body;
      }
    }
    vote = end;
  }
  std::erase_if(pieces.shared,
                [&](const Vote& vote) { return pieces.body[vote.first] == vote.second; });
  return pieces;
}

// Of triangles towards air, to the bodies of their vertices.
template <class BodyOf>
void add_areas(const CutSurface& cut, const ContouringTracker& tracker, const BodyOf& body_of,
               std::vector<BodySize>& sizes) {
  const double voxel = tracker.samples().field.lattice.spacing;
  struct Part {
    std::size_t triangle, body;
  };
  std::vector<Part> parts;
  for (std::size_t t = 0; t < cut.kinds.size(); ++t) {
    if (cut.kinds[t] != SurfaceKind::air) continue;
    const std::int32_t body = body_of(cut.mesh.triangles[t][0]);
    if (body >= 0) parts.push_back({t, static_cast<std::size_t>(body)});
  }
  std::vector<double> areas(parts.size());
  std::vector<Vec3> below(parts.size());
  parallel_for_each(std::ssize(parts), [&](std::int64_t i) {
    const auto n = static_cast<std::size_t>(i);
    const auto triangle = static_cast<std::int64_t>(parts[n].triangle);
    const auto corner = [&](int k) -> const Vec3& { return cut.mesh.corner(triangle, k); };
    const Vec3 normal = (corner(1) - corner(0)).cross(corner(2) - corner(0));
    const double twice = normal.norm();
    areas[n] = 0.5 * twice;
    below[n] = (corner(0) + corner(1) + corner(2)) / 3;
    if (twice > 0) below[n] -= kThicknessDepth * voxel / twice * normal;
  });
  std::vector<double> depths(below.size());
  evaluate_parallel(tracker.distance(), below, depths);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    BodySize& size = sizes[parts[i].body];
    size.air_area += areas[i];
    size.thick_area += thick_share(depths[i] / voxel) * areas[i];
  }
}

// By body; parts that are of none count towards the smallest one whose box holds them.
std::vector<double> volumes_of(const Pieces& pieces, const CutSurface& cut, std::size_t bodies) {
  const std::size_t count = pieces.mesh.components.size();
  std::vector<double> volumes(bodies, 0.0);
  std::vector<std::size_t> lost;
  for (std::size_t p = 0; p < count; ++p) {
    if (pieces.body[p] < 0) {
      lost.push_back(p);
    } else {
      volumes[static_cast<std::size_t>(pieces.body[p])] += pieces.mesh.components[p].volume;
    }
  }
  if (lost.empty() || volumes.empty()) return volumes;
  std::vector<Box3> boxes(count);
  for (std::size_t v = 0; v < cut.mesh.vertices.size(); ++v) {
    const std::int32_t piece = pieces.mesh.of_vertex[v];
    if (piece >= 0) boxes[static_cast<std::size_t>(piece)].extend(cut.mesh.vertices[v]);
  }
  for (const std::size_t p : lost) {
    std::ptrdiff_t best = -1;
    for (std::size_t q = 0; q < count; ++q) {
      if (pieces.body[q] < 0 || !boxes[q].contains(boxes[p])) continue;
      if (best < 0 || boxes[q].volume() < boxes[static_cast<std::size_t>(best)].volume()) {
        best = static_cast<std::ptrdiff_t>(q);
      }
    }
    const std::int32_t body = best >= 0 ? pieces.body[static_cast<std::size_t>(best)] : 0;
    volumes[static_cast<std::size_t>(body)] += pieces.mesh.components[p].volume;
  }
  return volumes;
}

}  // namespace

std::vector<double> body_volumes(const CutSurface& cut, const ContouringTracker& tracker) {
  return volumes_of(find_pieces(cut, tracker), cut, tracker.components().components.size());
}

std::vector<BodySize> body_sizes(const CutSurface& cut, const ContouringTracker& tracker) {
  const TriangleMesh& surface = tracker.surface();
  const LiquidComponents& components = tracker.components();
  const Pieces pieces = find_pieces(cut, tracker);
  std::vector<BodySize> sizes(components.components.size());
  const std::vector<double> volumes = volumes_of(pieces, cut, sizes.size());
  for (std::size_t b = 0; b < sizes.size(); ++b) sizes[b].volume = volumes[b];
  add_areas(
      cut, tracker,
      [&](std::int32_t vertex) {
        const std::int32_t piece = pieces.mesh.of_vertex[static_cast<std::size_t>(vertex)];
        return piece < 0 ? -1 : pieces.body[static_cast<std::size_t>(piece)];
      },
      sizes);
  std::vector<double> counts(sizes.size(), 0.0);
  for (std::size_t v = 0; v < surface.vertices.size(); ++v) {
    const std::int32_t body = components.of_vertex[v];
    if (body < 0) continue;
    sizes[static_cast<std::size_t>(body)].place += surface.vertices[v];
    ++counts[static_cast<std::size_t>(body)];
  }
  UnionFind groups(std::ssize(sizes));
  for (const auto& [piece, body] : pieces.shared) groups.unite(pieces.body[piece], body);
  for (std::size_t b = 0; b < sizes.size(); ++b) {
    if (counts[b] > 0) sizes[b].place /= counts[b];
    sizes[b].group = groups.find(static_cast<std::int32_t>(b));
  }
  return sizes;
}

}  // namespace spindrift
