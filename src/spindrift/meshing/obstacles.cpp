#include "spindrift/meshing/obstacles.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "spindrift/core/error.hpp"
#include "spindrift/core/parallel.hpp"
#include "spindrift/mesh/boundary.hpp"
#include "spindrift/mesh/quality.hpp"
#include "spindrift/meshing/surface_walk.hpp"
#include "spindrift/meshing/vertex_moves.hpp"

namespace spindrift {

namespace {

// How far along a surface the contact curve may be from a vertex whose other surface is within
// reach, in reaches: surfaces that meet at more than 30 degrees.
constexpr double kAlongSurface = 2;
constexpr std::int64_t kChunk = 1024;  // tetrahedra

struct AngleRange {
  double least = 180, greatest = 0;  // degrees
  [[nodiscard]] AngleRange with(const AngleRange& other) const {
    return {std::min(least, other.least), std::max(greatest, other.greatest)};
  }
};

class Snapping {
 public:
  Snapping(TetMesh& mesh, LiquidBoundary& boundary, const ScalarField& liquid,
           const ScalarField& obstacle, const SnapParams& params)
      : mesh_(mesh),
        boundary_(boundary),
        liquid_(liquid),
        obstacle_(obstacle),
        params_(params),
        size_(mesh.lattice_size) {}

  SnapReport run() {
    snap_near_vertices();
    sharpen_contact();
    finish();
    return report_;
  }

 private:
  using Vertices = std::vector<std::int32_t>;

  [[nodiscard]] std::uint8_t& bits(std::int32_t v) {
    return boundary_.bits[static_cast<std::size_t>(v)];
  }

  [[nodiscard]] std::vector<Vec3> positions(const Vertices& vertices) const {
    std::vector<Vec3> points(vertices.size());
    for (std::size_t i = 0; i < vertices.size(); ++i) {
      points[i] = mesh_.vertices[static_cast<std::size_t>(vertices[i])];
    }
    return points;
  }

  // All that are within reach of the surface they are not on.
  void snap_near_vertices() {
    const double reach = params_.reach * size_;
    Vertices near, candidates;
    for (std::size_t i = 0; i < boundary_.vertices.size(); ++i) {
      if (std::abs(boundary_.obstacle[i]) <= reach) near.push_back(boundary_.vertices[i]);
    }
    const std::vector<double> below = evaluate_at(liquid_, mesh_, near);
    for (std::size_t i = 0; i < near.size(); ++i) {
      const bool is_near_air = bits(near[i]) == kSolid && std::abs(below[i]) <= reach;
      if (bits(near[i]) == kAir || is_near_air) candidates.push_back(near[i]);
    }
    const std::vector<std::int32_t> tets = tets_with(mesh_, candidates);
    const std::vector<Walk> walks = move_to_contact(candidates, kAlongSurface * reach, tets);
    // Where there is no contact, but the liquid's surface faces the obstacle, there is a gap. In a
    // thin film on the obstacle the liquid itself lies between the two.
    Vertices in_gaps;
    for (std::size_t i = 0; i < walks.size(); ++i) {
      const bool is_between = bits(candidates[i]) == kAir && walks[i].cosine < 0;
      if (is_between && !walks[i].has_arrived) in_gaps.push_back(candidates[i]);
    }
    project(in_gaps, tets);
  }

  // The vertices of mixed faces, the nearest first.
  void sharpen_contact() {
    if (!(params_.contact_reach > 0)) return;
    std::vector<std::int32_t> mixed = mixed_faces(boundary_.sides);
    const std::vector<std::int32_t> tets = tets_with(mesh_, vertices_of(mesh_, mixed));
    for (const double share : {0.5, 1.0}) {
      for (const SurfaceBits kind : {kSolid, kAir}) {
        mixed = mixed_faces(mixed);
        Vertices candidates = vertices_of(mesh_, mixed);
        std::erase_if(candidates, [&](std::int32_t v) { return bits(v) != kind; });
        move_to_contact(candidates, share * params_.contact_reach * size_, tets);
      }
    }
  }

  [[nodiscard]] std::vector<std::int32_t> mixed_faces(std::span<const std::int32_t> sides) const {
    std::vector<std::uint8_t> is_mixed(sides.size());
    parallel_for_each(std::ssize(sides), [&](std::int64_t i) {
      is_mixed[static_cast<std::size_t>(i)] =
          boundary_.common(mesh_, sides[static_cast<std::size_t>(i)]) == kNoSurface;
    });
    std::vector<std::int32_t> mixed;
    for (std::size_t i = 0; i < sides.size(); ++i) {
      if (is_mixed[i] != 0) mixed.push_back(sides[i]);
    }
    return mixed;
  }

  // Onto the curve where both surfaces are, unless it is farther than the limit.
  std::vector<Walk> move_to_contact(const Vertices& vertices, double limit,
                                    std::span<const std::int32_t> tets) {
    const std::array fields = {&liquid_, &obstacle_};
    std::vector<Walk> walks = walk_onto(fields, positions(vertices), size_, limit);
    make_moves(vertices, walks, kContact, tets);
    return walks;
  }

  // Straight onto the obstacle.
  void project(const Vertices& vertices, std::span<const std::int32_t> tets) {
    const std::array fields = {&obstacle_};
    const double limit = params_.reach * size_ * (1 + kOnSurface);
    make_moves(vertices, walk_onto(fields, positions(vertices), size_, limit), kSolid, tets);
  }

  // Those of the walks that arrived and keep tetrahedra well shaped; their vertices then lie on
  // `arrived`. `tets`: all with one of the vertices, and perhaps more.
  void make_moves(const Vertices& vertices, std::span<const Walk> walks, SurfaceBits arrived,
                  std::span<const std::int32_t> tets) {
    std::vector<VertexMove> moves;
    Vertices moving;
    for (std::size_t i = 0; i < walks.size(); ++i) {
      if (!walks[i].has_arrived) continue;
      moves.push_back({vertices[i], walks[i].from, walks[i].at});
      moving.push_back(vertices[i]);
    }
    const std::vector<std::int32_t> touched = tets_with(mesh_, moving, tets);
    touched_.insert(touched_.end(), touched.begin(), touched.end());
    move_vertices(mesh_, moves, touched, {params_.min_dihedral, params_.max_dihedral});
    for (const VertexMove& move : moves) {
      (move.is_done ? moved_ : undone_).push_back(move.vertex);
      if (move.is_done) bits(move.vertex) = arrived;
    }
  }

  void finish() {
    for (std::vector<std::int32_t>* list : {&moved_, &undone_, &touched_}) {
      std::sort(list->begin(), list->end());
      list->erase(std::unique(list->begin(), list->end()), list->end());
    }
    for (const std::int32_t v : moved_) {
      (bits(v) == kContact ? report_.contact : report_.projected) += 1;
    }
    // What was tried again with success counts as moved.
    report_.undone = std::count_if(undone_.begin(), undone_.end(), [&](std::int32_t v) {
      return !std::binary_search(moved_.begin(), moved_.end(), v);
    });
    const std::vector<std::int32_t> tets = tets_with(mesh_, moved_, touched_);
    report_.touched_tets = std::ssize(tets);
    const AngleRange range = parallel_reduce_chunks(
        std::ssize(tets), kChunk, AngleRange{},
        [&](std::int64_t begin, std::int64_t end) {
          AngleRange part;
          for (std::int64_t i = begin; i < end; ++i) {
            const std::int32_t tet = tets[static_cast<std::size_t>(i)];
            if (!mesh_.shapes.empty()) mesh_.shapes[static_cast<std::size_t>(tet)] = {};
            for (const double angle : dihedral_angles(mesh_.corner(tet, 0), mesh_.corner(tet, 1),
                                                      mesh_.corner(tet, 2), mesh_.corner(tet, 3))) {
              part = part.with({angle, angle});
            }
          }
          return part;
        },
        [](const AngleRange& a, const AngleRange& b) { return a.with(b); });
    report_.min_dihedral = range.least;
    report_.max_dihedral = range.greatest;
  }

  TetMesh& mesh_;
  LiquidBoundary& boundary_;
  const ScalarField& liquid_;
  const ScalarField& obstacle_;
  const SnapParams& params_;
  double size_;
  Vertices moved_, undone_;
  std::vector<std::int32_t> touched_;  // tetrahedra, by moves that were tried
  SnapReport report_;
};

}  // namespace

void WithoutObstacles::evaluate(std::span<const Vec3> points, std::span<double> values) const {
  std::vector<double> obstacle(points.size());
  liquid_.evaluate(points, values);
  obstacle_.evaluate(points, obstacle);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::max(values[i], -obstacle[i]);
}

SnapReport snap_to_obstacles(TetMesh& mesh, LiquidBoundary& boundary, const ScalarField& liquid,
                             const ScalarField& obstacle, const SnapParams& params) {
  SPINDRIFT_ASSERT(mesh.lattice_size > 0 && params.reach > 0 && params.contact_reach >= 0);
  return Snapping(mesh, boundary, liquid, obstacle, params).run();
}

}  // namespace spindrift
