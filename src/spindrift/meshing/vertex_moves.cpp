#include "spindrift/meshing/vertex_moves.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "spindrift/core/parallel.hpp"
#include "spindrift/mesh/quality.hpp"

namespace spindrift {

namespace {

constexpr std::int64_t kChunk = 8192;  // tetrahedra
constexpr double kDegree = std::numbers::pi / 180;
constexpr double kRoundOff = 1e-12;  // of cosines

// One byte for every vertex of a mesh.
class VertexStates {
 public:
  explicit VertexStates(const TetMesh& mesh) : mesh_(mesh), states_(mesh.vertices.size(), 0) {}
  // 1 for these vertices.
  VertexStates(const TetMesh& mesh, std::span<const std::int32_t> vertices) : VertexStates(mesh) {
    for (const std::int32_t v : vertices) (*this)[v] = 1;
  }
  std::uint8_t& operator[](std::int32_t vertex) {
    return states_[static_cast<std::size_t>(vertex)];
  }
  [[nodiscard]] bool has_corner(std::int32_t tet, std::uint8_t state) const {
    const Tet& corners = mesh_.tets[static_cast<std::size_t>(tet)];
    return std::any_of(corners.begin(), corners.end(), [&](std::int32_t v) {
      return states_[static_cast<std::size_t>(v)] == state;
    });
  }

 private:
  const TetMesh& mesh_;
  std::vector<std::uint8_t> states_;
};

// The numbers from `count` that are chosen, mapped by `number`; ascending.
template <class Number, class IsChosen>
std::vector<std::int32_t> choose(std::int64_t count, const Number& number,
                                 const IsChosen& is_chosen) {
  std::vector<std::vector<std::int32_t>> parts(
      static_cast<std::size_t>(chunk_count(count, kChunk)));
  parallel_for_chunks(count, kChunk, [&](std::int64_t begin, std::int64_t end) {
    auto& part = parts[static_cast<std::size_t>(begin / kChunk)];
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int32_t n = number(i);
      if (is_chosen(n)) part.push_back(n);
    }
  });
  std::vector<std::int32_t> chosen;
  for (const auto& part : parts) chosen.insert(chosen.end(), part.begin(), part.end());
  return chosen;
}

class Moving {
 public:
  Moving(TetMesh& mesh, std::span<VertexMove> moves, std::span<const std::int32_t> tets,
         const DihedralBounds& bounds)
      : mesh_(mesh),
        moves_(moves),
        tets_(tets),
        bounds_(bounds),
        greatest_cosine_(std::cos(bounds.least * kDegree) - kRoundOff),
        least_cosine_(std::cos(bounds.greatest * kDegree) + kRoundOff),
        states_(mesh) {}

  void run() {
    for (VertexMove& move : moves_) {
      position(move.vertex) = move.to;
      move.is_done = true;
      states_[move.vertex] = kMoved;
    }
    for (std::vector<std::int32_t> bad = bad_ones(kMoved); !bad.empty();) {
      std::vector<std::int32_t> last;
      for (const std::int32_t tet : bad) {
        // What was taken back for another one may have been enough.
        while (states_.has_corner(tet, kMoved) && !is_good(tet)) {
          last.push_back(worst_corner(tet));
          undo(last.back());
        }
      }
      // A move may have been good for its neighbours.
      bad = bad_ones(kJustUndone);
      for (const std::int32_t v : last) states_[v] = kStill;
    }
  }

 private:
  enum State : std::uint8_t { kStill, kMoved, kJustUndone };

  [[nodiscard]] Vec3& position(std::int32_t v) {
    return mesh_.vertices[static_cast<std::size_t>(v)];
  }

  // The least distance of an angle from its bounds, in degrees; below zero: not good.
  [[nodiscard]] double quality(std::int32_t tet) const {
    if (!(mesh_.volume(tet) > 0)) return -180;
    const auto angles = dihedral_angles(mesh_.corner(tet, 0), mesh_.corner(tet, 1),
                                        mesh_.corner(tet, 2), mesh_.corner(tet, 3));
    const auto [least, greatest] = std::minmax_element(angles.begin(), angles.end());
    return std::min(*least - bounds_.least, bounds_.greatest - *greatest);
  }

  // The same as quality() >= 0, without angles; on the safe side of round-off.
  [[nodiscard]] bool is_good(std::int32_t tet) const {
    const Vec3& a = mesh_.corner(tet, 0);
    const Vec3 ab = mesh_.corner(tet, 1) - a, ac = mesh_.corner(tet, 2) - a;
    const Vec3 ad = mesh_.corner(tet, 3) - a, bc = ac - ab, bd = ad - ab;
    // Outward, opposite a, b, c and d.
    const std::array<Vec3, 4> normals = {bc.cross(bd), ad.cross(ac), ab.cross(ad), ac.cross(ab)};
    if (!(normals[3].dot(ad) < 0)) return false;
    std::array<double, 4> lengths;
    for (std::size_t k = 0; k < 4; ++k) lengths[k] = normals[k].norm();
    for (const auto& [i, j] : kTetEdges) {
      const double cosine = -normals[i].dot(normals[j]);
      const double scale = lengths[i] * lengths[j];
      if (!(cosine <= greatest_cosine_ * scale && cosine >= least_cosine_ * scale)) return false;
    }
    return true;
  }

  // Those with a corner in this state that can be helped.
  [[nodiscard]] std::vector<std::int32_t> bad_ones(State state) const {
    return choose(
        std::ssize(tets_), [&](std::int64_t i) { return tets_[static_cast<std::size_t>(i)]; },
        [&](std::int32_t tet) {
          return states_.has_corner(tet, state) && states_.has_corner(tet, kMoved) && !is_good(tet);
        });
  }

  [[nodiscard]] VertexMove& move_of(std::int32_t vertex) const {
    return *std::lower_bound(
        moves_.begin(), moves_.end(), vertex,
        [](const VertexMove& move, std::int32_t v) { return move.vertex < v; });
  }

  // The corner without whose move the tetrahedron is best.
  [[nodiscard]] std::int32_t worst_corner(std::int32_t tet) {
    std::int32_t worst = -1;
    double best = 0;
    for (const std::int32_t v : mesh_.tets[static_cast<std::size_t>(tet)]) {
      if (states_[v] != kMoved) continue;
      const Vec3 moved = std::exchange(position(v), move_of(v).from);
      const double value = quality(tet);
      position(v) = moved;
      if (worst >= 0 && value <= best) continue;
      best = value;
      worst = v;
    }
    return worst;
  }

  void undo(std::int32_t vertex) {
    VertexMove& move = move_of(vertex);
    position(vertex) = move.from;
    move.is_done = false;
    states_[vertex] = kJustUndone;
  }

  TetMesh& mesh_;
  std::span<VertexMove> moves_;
  std::span<const std::int32_t> tets_;
  const DihedralBounds& bounds_;
  double greatest_cosine_, least_cosine_;  // that an angle may have
  VertexStates states_;
};

}  // namespace

std::vector<std::int32_t> tets_with(const TetMesh& mesh, std::span<const std::int32_t> vertices) {
  if (vertices.empty()) return {};
  const VertexStates is_asked(mesh, vertices);
  return choose(
      mesh.tet_count(), [](std::int64_t t) { return static_cast<std::int32_t>(t); },
      [&](std::int32_t tet) { return is_asked.has_corner(tet, 1); });
}

std::vector<std::int32_t> tets_with(const TetMesh& mesh, std::span<const std::int32_t> vertices,
                                    std::span<const std::int32_t> among) {
  if (vertices.empty()) return {};
  const VertexStates is_asked(mesh, vertices);
  return choose(
      std::ssize(among), [&](std::int64_t i) { return among[static_cast<std::size_t>(i)]; },
      [&](std::int32_t tet) { return is_asked.has_corner(tet, 1); });
}

void move_vertices(TetMesh& mesh, std::span<VertexMove> moves, std::span<const std::int32_t> tets,
                   const DihedralBounds& bounds) {
  if (!moves.empty()) Moving(mesh, moves, tets, bounds).run();
}

}  // namespace spindrift
