#include "spindrift/meshing/obstacles.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "spindrift/core/error.hpp"
#include "spindrift/core/parallel.hpp"
#include "spindrift/mesh/boundary.hpp"
#include "spindrift/mesh/quality.hpp"
#include "spindrift/meshing/field_gradients.hpp"

namespace spindrift {

namespace {

constexpr std::int64_t kChunk = 128;      // vertices that move
constexpr std::int64_t kTetChunk = 8192;  // tetrahedra
constexpr int kMaxSteps = 8;              // of Newton's method; three are enough on smooth surfaces
constexpr double kArrived = 1e-10;        // of a surface, in cells: when to stop stepping
constexpr double kDifferenceStep = 1e-3;  // cells
constexpr double kParallel = 1e-2;        // sine of the angle at which surfaces do not meet
constexpr double kFarthestContact = 2;    // reaches, along the surface to the contact curve

// The shortest step that makes linear fields zero; none where the gradient vanishes.
std::optional<Vec3> shortest_step(const FieldSample& f) {
  const double square = f.gradient.squaredNorm();
  if (!(square > 0) || !std::isfinite(f.value)) return std::nullopt;
  return -f.value / square * f.gradient;
}

// The same for two fields at once; none where they are nearly parallel.
std::optional<Vec3> shortest_step(const FieldSample& f, const FieldSample& g) {
  const double ff = f.gradient.squaredNorm(), gg = g.gradient.squaredNorm();
  const double fg = f.gradient.dot(g.gradient);
  const double determinant = ff * gg - fg * fg;
  if (!(determinant > kParallel * kParallel * ff * gg)) return std::nullopt;
  const double along_f = (gg * f.value - fg * g.value) / determinant;
  const double along_g = (ff * g.value - fg * f.value) / determinant;
  return -along_f * f.gradient - along_g * g.gradient;
}

struct Move {
  enum class Kind : std::uint8_t { none, projected, contact };
  std::int32_t vertex;
  Kind kind;
  bool is_free;  // not on the obstacle before
  Vec3 from, to;
};

// Where a chunk of vertices goes.
class Placement {
 public:
  Placement(const ScalarField& liquid, const ScalarField& obstacle, double size, double reach)
      : liquid_(liquid), obstacle_(obstacle), size_(size), reach_(reach * size) {}

  void place(std::span<Move> moves) const {
    std::vector<Move*> waiting;
    for (Move& move : moves) waiting.push_back(&move);
    walk(waiting, Move::Kind::contact, kFarthestContact * reach_);
    std::vector<Move*> gaps;
    for (Move& move : moves) {
      if (move.kind == Move::Kind::none && move.is_free) gaps.push_back(&move);
    }
    keep_facing(gaps);
    walk(gaps, Move::Kind::projected, reach_ * (1 + kOnSurface));
  }

 private:
  struct Samples {
    std::vector<FieldSample> liquid, obstacle;
  };

  Samples sample(std::span<Move* const> moves, bool needs_liquid) const {
    std::vector<Vec3> points;
    for (const Move* move : moves) points.push_back(move->to);
    Samples samples;
    const double step = kDifferenceStep * size_;
    samples.obstacle.resize(points.size());
    sample_field(obstacle_, points, step, samples.obstacle);
    if (!needs_liquid) return samples;
    samples.liquid.resize(points.size());
    sample_field(liquid_, points, step, samples.liquid);
    return samples;
  }

  // Newton's method; those that arrive within `limit` of where they were become `kind`.
  void walk(std::vector<Move*> moves, Move::Kind kind, double limit) const {
    const bool is_contact = kind == Move::Kind::contact;
    for (Move* move : moves) move->to = move->from;
    for (int step = 0; step <= kMaxSteps && !moves.empty(); ++step) {
      const Samples samples = sample(moves, is_contact);
      std::vector<Move*> going;
      for (std::size_t i = 0; i < moves.size(); ++i) {
        Move& move = *moves[i];
        const FieldSample& obstacle = samples.obstacle[i];
        const double off =
            std::max(std::abs(obstacle.value), is_contact ? std::abs(samples.liquid[i].value) : 0);
        const double close_enough = step < kMaxSteps ? kArrived : 0.1 * kOnSurface;
        if (off <= close_enough * size_) {
          move.kind = kind;
          continue;
        }
        const std::optional<Vec3> change =
            is_contact ? shortest_step(samples.liquid[i], obstacle) : shortest_step(obstacle);
        if (!change) continue;
        move.to += *change;
        if ((move.to - move.from).norm() <= limit) going.push_back(&move);
      }
      moves = std::move(going);
    }
  }

  // Only vertices between a liquid's surface and an obstacle that face each other lie in a gap. In
  // a thin film on the obstacle, the liquid lies between them.
  void keep_facing(std::vector<Move*>& moves) const {
    for (Move* move : moves) move->to = move->from;
    const Samples samples = sample(moves, true);
    std::vector<Move*> facing;
    for (std::size_t i = 0; i < moves.size(); ++i) {
      if (samples.liquid[i].gradient.dot(samples.obstacle[i].gradient) < 0) {
        facing.push_back(moves[i]);
      }
    }
    moves = std::move(facing);
  }

  const ScalarField& liquid_;
  const ScalarField& obstacle_;
  double size_, reach_;
};

// The vertices of the boundary that may move, ascending.
std::vector<Move> find_candidates(const TetMesh& mesh, std::span<const std::int32_t> boundary,
                                  const ScalarField& liquid, const ScalarField& obstacle,
                                  double reach) {
  const auto position = [&](std::int32_t v) { return mesh.vertices[static_cast<std::size_t>(v)]; };
  const double on_surface = kOnSurface * mesh.lattice_size;
  std::vector<Vec3> points;
  std::vector<double> values;
  const auto evaluate = [&](const ScalarField& field, std::span<const std::int32_t> vertices) {
    points.resize(vertices.size());
    values.resize(vertices.size());
    for (std::size_t i = 0; i < vertices.size(); ++i) points[i] = position(vertices[i]);
    evaluate_parallel(field, points, values);
  };
  const Buffer<std::int32_t> all = vertices_of(mesh, boundary);
  evaluate(obstacle, all);
  std::vector<std::int32_t> near;
  std::vector<std::uint8_t> is_free;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!(std::abs(values[i]) <= reach)) continue;
    near.push_back(all[i]);
    is_free.push_back(std::abs(values[i]) > on_surface);
  }
  evaluate(liquid, near);
  std::vector<Move> moves;
  for (std::size_t i = 0; i < near.size(); ++i) {
    const double off_surface = std::abs(values[i]);
    const bool is_below = off_surface > on_surface && off_surface <= reach;
    if (is_free[i] == 0 && !is_below) continue;
    moves.push_back({near[i], Move::Kind::none, is_free[i] != 0, points[i], points[i]});
  }
  return moves;
}

// Takes back the moves that make bad tetrahedra.
class Undoing {
 public:
  Undoing(TetMesh& mesh, std::span<Move> moves, const SnapParams& params)
      : mesh_(mesh), moves_(moves), params_(params), state_(mesh.vertices.size(), kStill) {
    for (const Move& move : moves_) state_[static_cast<std::size_t>(move.vertex)] = kMoved;
    std::vector<std::vector<std::int64_t>> parts(
        static_cast<std::size_t>(chunk_count(mesh_.tet_count(), kTetChunk)));
    parallel_for_chunks(mesh_.tet_count(), kTetChunk, [&](std::int64_t begin, std::int64_t end) {
      auto& part = parts[static_cast<std::size_t>(begin / kTetChunk)];
      for (std::int64_t t = begin; t < end; ++t) {
        if (has_corner(t, kMoved)) part.push_back(t);
      }
    });
    for (const auto& part : parts) touched_.insert(touched_.end(), part.begin(), part.end());
  }

  // Returns how many. With all moves undone all tetrahedra are as the mesher made them.
  std::int64_t run() {
    std::int64_t undone = 0;
    for (std::vector<std::int64_t> bad = bad_ones(kMoved); !bad.empty();) {
      std::vector<std::int32_t> last;
      for (const std::int64_t tet : bad) {
        // What was taken back for another one may have been enough.
        while (has_corner(tet, kMoved) && !is_good(tet)) {
          last.push_back(worst_corner(tet));
          undo(last.back());
        }
      }
      // A move may have been good for its neighbours.
      bad = bad_ones(kJustUndone);
      for (const std::int32_t v : last) state_[static_cast<std::size_t>(v)] = kStill;
      undone += std::ssize(last);
    }
    return undone;
  }

  // The tetrahedra that have moved vertices, ascending.
  [[nodiscard]] std::vector<std::int64_t> tets_with_moves() const {
    std::vector<std::int64_t> tets;
    std::copy_if(touched_.begin(), touched_.end(), std::back_inserter(tets),
                 [&](std::int64_t tet) { return has_corner(tet, kMoved); });
    return tets;
  }

 private:
  enum State : std::uint8_t { kStill, kMoved, kJustUndone };

  [[nodiscard]] bool has_corner(std::int64_t tet, State state) const {
    const Tet& corners = mesh_.tets[static_cast<std::size_t>(tet)];
    return std::any_of(corners.begin(), corners.end(), [&](std::int32_t v) {
      return state_[static_cast<std::size_t>(v)] == state;
    });
  }

  // The least distance of an angle from its bounds, in degrees; below zero: not good.
  [[nodiscard]] double quality(std::int64_t tet) const {
    if (!(mesh_.volume(tet) > 0)) return -180;
    const auto angles = dihedral_angles(mesh_.corner(tet, 0), mesh_.corner(tet, 1),
                                        mesh_.corner(tet, 2), mesh_.corner(tet, 3));
    const auto [least, greatest] = std::minmax_element(angles.begin(), angles.end());
    return std::min(*least - params_.min_dihedral, params_.max_dihedral - *greatest);
  }
  [[nodiscard]] bool is_good(std::int64_t tet) const { return quality(tet) >= 0; }

  // Of the touched tetrahedra, those with a corner in this state that can be helped.
  [[nodiscard]] std::vector<std::int64_t> bad_ones(State state) const {
    std::vector<std::uint8_t> is_bad(touched_.size());
    parallel_for_each(std::ssize(touched_), [&](std::int64_t i) {
      const std::int64_t tet = touched_[static_cast<std::size_t>(i)];
      is_bad[static_cast<std::size_t>(i)] =
          has_corner(tet, state) && has_corner(tet, kMoved) && !is_good(tet);
    });
    std::vector<std::int64_t> bad;
    for (std::size_t i = 0; i < touched_.size(); ++i) {
      if (is_bad[i] != 0) bad.push_back(touched_[i]);
    }
    return bad;
  }

  [[nodiscard]] Move& move_of(std::int32_t vertex) const {
    return *std::lower_bound(moves_.begin(), moves_.end(), vertex,
                             [](const Move& move, std::int32_t v) { return move.vertex < v; });
  }

  // The corner without whose move the tetrahedron is best.
  [[nodiscard]] std::int32_t worst_corner(std::int64_t tet) {
    std::int32_t worst = -1;
    double best = 0;
    for (const std::int32_t v : mesh_.tets[static_cast<std::size_t>(tet)]) {
      if (state_[static_cast<std::size_t>(v)] != kMoved) continue;
      Vec3& position = mesh_.vertices[static_cast<std::size_t>(v)];
      const Vec3 moved = std::exchange(position, move_of(v).from);
      const double value = quality(tet);
      position = moved;
      if (worst >= 0 && value <= best) continue;
      best = value;
      worst = v;
    }
    return worst;
  }

  void undo(std::int32_t vertex) {
    Move& move = move_of(vertex);
    mesh_.vertices[static_cast<std::size_t>(vertex)] = move.from;
    move.kind = Move::Kind::none;
    state_[static_cast<std::size_t>(vertex)] = kJustUndone;
  }

  TetMesh& mesh_;
  std::span<Move> moves_;  // by vertex, ascending
  const SnapParams& params_;
  std::vector<std::uint8_t> state_;    // of each vertex
  std::vector<std::int64_t> touched_;  // by the moves, as they were at first; ascending
};

}  // namespace

void WithoutObstacles::evaluate(std::span<const Vec3> points, std::span<double> values) const {
  std::vector<double> obstacle(points.size());
  liquid_.evaluate(points, values);
  obstacle_.evaluate(points, obstacle);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::max(values[i], -obstacle[i]);
}

SnapReport snap_to_obstacles(TetMesh& mesh, std::span<const std::int32_t> boundary,
                             const ScalarField& liquid, const ScalarField& obstacle,
                             const SnapParams& params) {
  SPINDRIFT_ASSERT(mesh.lattice_size > 0 && params.reach > 0);
  const double size = mesh.lattice_size;
  std::vector<Move> moves = find_candidates(mesh, boundary, liquid, obstacle, params.reach * size);
  const Placement placement(liquid, obstacle, size, params.reach);
  parallel_for_chunks(std::ssize(moves), kChunk, [&](std::int64_t begin, std::int64_t end) {
    placement.place(std::span(moves).subspan(static_cast<std::size_t>(begin),
                                             static_cast<std::size_t>(end - begin)));
  });
  std::erase_if(moves, [](const Move& move) { return move.kind == Move::Kind::none; });
  SnapReport report;
  if (moves.empty()) return report;

  for (const Move& move : moves) mesh.vertices[static_cast<std::size_t>(move.vertex)] = move.to;
  Undoing undoing(mesh, moves, params);
  report.undone = undoing.run();
  for (const Move& move : moves) {
    report.projected += move.kind == Move::Kind::projected;
    report.contact += move.kind == Move::Kind::contact;
  }
  const std::vector<std::int64_t> touched = undoing.tets_with_moves();
  report.touched_tets = std::ssize(touched);
  for (const std::int64_t tet : touched) {
    if (!mesh.shapes.empty()) mesh.shapes[static_cast<std::size_t>(tet)] = {};
    for (const double angle : dihedral_angles(mesh.corner(tet, 0), mesh.corner(tet, 1),
                                              mesh.corner(tet, 2), mesh.corner(tet, 3))) {
      report.min_dihedral = std::min(report.min_dihedral, angle);
      report.max_dihedral = std::max(report.max_dihedral, angle);
    }
  }
  return report;
}

}  // namespace spindrift
