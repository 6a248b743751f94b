#include "spindrift/surface/mesh_anchors.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "spindrift/core/parallel.hpp"
#include "spindrift/levelset/block_set.hpp"

namespace spindrift {
namespace {

// All lengths in cells.
// Anchors as near as this to the middle of a part will do; no point is farther than 0.56 from some
// vertex.
constexpr double kNear = 0.6;
// Beside solids they are looked for among vertices as near as this.
constexpr double kSearched = 1.25;
// Solids farther away than this are in nobody's way.
constexpr double kBySolid = kNear + kAnchorRadius;
// From solids, whose distances are more exact than those of liquid with offsets; and by how much
// those may be off.
constexpr double kClear = 0.346;
constexpr double kDoubt = 0.06;
// How much a vertex that is too close to a solid, or too far from the part, counts as farther out
// of the liquid: one that is not is better, but may not be there. These, and how far to look, were
// tried on the spray of scenes/ at 48 cells.
constexpr double kTooClose = 20;
constexpr double kTooFar = 2;

// Of vertices that nothing is in the way of, m.
constexpr double kFar = 1e300;

constexpr std::int64_t kPartsAtOnce = 256;

// A vertex of the lattice in half cells: all coordinates even, a corner, or all odd, a centre.
Vec3 position(const Vec3i& vertex, const Lattice& cells) {
  return cells.origin + 0.5 * cells.spacing * vertex.cast<double>();
}

void add_vertices_near(const Vec3& place, double reach, const Lattice& cells,
                       std::vector<Vec3i>& vertices) {
  const Vec3 at = 2 * cells.to_lattice(place);
  const Vec3i low = (at.array() - 2 * reach).ceil().cast<int>();
  const Vec3i high = (at.array() + 2 * reach).floor().cast<int>();
  for (int z = low.z(); z <= high.z(); ++z) {
    for (int y = low.y(); y <= high.y(); ++y) {
      if (((y ^ z) & 1) != 0) continue;
      for (int x = low.x() + ((low.x() ^ y) & 1); x <= high.x(); x += 2) {
        const Vec3i vertex(x, y, z);
        const double squared = (vertex.cast<double>() - at).squaredNorm();
        if (squared <= 4 * reach * reach) vertices.push_back(vertex);
      }
    }
  }
}

struct Wanted {
  Vec3i vertex;
  double offset;  // m
};

class Search {
 public:
  Search(const ScalarField& liquid, const OffsetGrid& offsets,
         std::span<const ScalarField* const> in_the_way, const Lattice& cells)
      : liquid_(liquid), offsets_(offsets), in_the_way_(in_the_way), cells_(cells) {}

  // Of thin parts, those that need one.
  void add_wanted(std::span<const MedialParticle> thin, std::vector<Wanted>& wanted) const {
    const std::vector<char> is_beside = beside_solids(thin);
    std::vector<Vec3i> vertices;
    std::vector<std::size_t> starts = {0};
    for (std::size_t i = 0; i < thin.size(); ++i) {
      add_vertices_near(thin[i].position, is_beside[i] != 0 ? kSearched : kNear, cells_, vertices);
      starts.push_back(vertices.size());
    }
    std::vector<Vec3> points;
    points.reserve(vertices.size());
    for (const Vec3i& vertex : vertices) points.push_back(position(vertex, cells_));
    std::vector<double> distances(points.size());
    liquid_.evaluate(points, distances);
    OffsetGrid::Reader offset_at(offsets_);
    std::vector<Candidate> candidates;
    for (std::size_t i = 0; i < thin.size(); ++i) {
      const Vec3& part = thin[i].position;
      candidates.clear();
      for (std::size_t k = starts[i]; k < starts[i + 1]; ++k) {
        double too_far = 0;
        if (is_beside[i] != 0) {
          too_far = std::max(0.0, (points[k] - part).norm() - kNear * cells_.spacing);
        }
        const double needed = least_offset(distances[k]);
        const bool is_offset =
            too_far <= 0 && needed + kDoubt * cells_.spacing <= offset_at.at_node(vertices[k]);
        candidates.push_back({k, std::max(0.0, needed) + kTooFar * too_far, is_offset});
      }
      std::optional<std::size_t> best;
      if (is_beside[i] != 0) {
        best = best_beside_solids(part, points, candidates);
      } else {
        best = best_of(candidates);
      }
      if (!best) continue;
      wanted.push_back({vertices[*best], is_beside[i] != 0 ? least_offset(distances[*best]) : 0});
    }
  }

 private:
  // A vertex that may become an anchor; it is one already if it is offset, and clear of solids.
  struct Candidate {
    std::size_t number = 0;
    double cost = 0;
    bool is_offset = false;
  };

  // The one that costs the least, the first of several; none if there is an anchor.
  [[nodiscard]] static std::optional<std::size_t> best_of(std::span<const Candidate> candidates) {
    const Candidate* best = nullptr;
    for (const Candidate& one : candidates) {
      if (one.is_offset) return std::nullopt;
      if (best == nullptr || one.cost < best->cost) best = &one;
    }
    return best == nullptr ? std::nullopt : std::optional(best->number);
  }

  // The same where those too close to solids cost more. How close they are is measured only if it
  // matters.
  [[nodiscard]] std::optional<std::size_t> best_beside_solids(
      const Vec3& part, std::span<const Vec3> points, std::vector<Candidate>& candidates) const {
    std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
      return a.cost != b.cost ? a.cost < b.cost : a.number < b.number;
    });
    const Candidate* best = nullptr;
    double least = 1e300;
    for (const Candidate& one : candidates) {
      if (one.cost >= least && !one.is_offset) continue;
      const double too_close =
          std::max(0.0, kClear * cells_.spacing - clearance(part, points[one.number]));
      if (one.is_offset && too_close <= 0) return std::nullopt;
      const double cost = one.cost + kTooClose * too_close;
      if (cost >= least) continue;
      least = cost;
      best = &one;
    }
    return best == nullptr ? std::nullopt : std::optional(best->number);
  }

  // That makes a vertex at this distance from the liquid an anchor.
  [[nodiscard]] double least_offset(double distance) const {
    return distance + kAnchorRadius * cells_.spacing;
  }

  [[nodiscard]] std::vector<char> beside_solids(std::span<const MedialParticle> thin) const {
    std::vector<char> is_beside(thin.size(), 0);
    std::vector<Vec3> places;
    for (const MedialParticle& part : thin) places.push_back(part.position);
    std::vector<double> distances(places.size());
    for (const ScalarField* const solid : in_the_way_) {
      solid->evaluate(places, distances);
      for (std::size_t i = 0; i < thin.size(); ++i) {
        if (distances[i] <= kBySolid * cells_.spacing) is_beside[i] = 1;
      }
    }
    return is_beside;
  }

  // Of a point near a thin part, from all that is in the way, m; negative behind it, too.
  [[nodiscard]] double clearance(const Vec3& part, const Vec3& point) const {
    const std::array<Vec3, 2> places = {point, (part + point) / 2};
    std::array<double, 2> distances{};
    double clear = kFar;
    for (const ScalarField* const solid : in_the_way_) {
      solid->evaluate(places, distances);
      clear = std::min({clear, distances[0], distances[1] < 0 ? distances[1] : kFar});
    }
    return clear;
  }

  const ScalarField& liquid_;
  const OffsetGrid& offsets_;
  std::span<const ScalarField* const> in_the_way_;
  Lattice cells_;
};

}  // namespace

std::vector<MeshAnchor> mesh_anchors(const ScalarField& liquid,
                                     std::span<const MedialParticle> thin,
                                     const OffsetGrid& offsets,
                                     std::span<const ScalarField* const> in_the_way,
                                     const Lattice& cells, double most) {
  const std::int64_t count = std::ssize(thin);
  std::vector<std::vector<Wanted>> found(
      static_cast<std::size_t>((count + kPartsAtOnce - 1) / kPartsAtOnce));
  const Search search(liquid, offsets, in_the_way, cells);
  parallel_for_chunks(count, kPartsAtOnce, [&](std::int64_t begin, std::int64_t end) {
    search.add_wanted(
        thin.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)),
        found[static_cast<std::size_t>(begin / kPartsAtOnce)]);
  });
  // Many want the same one; those beside solids with an offset.
  struct Keyed {
    std::uint64_t key;
    Wanted wanted;
  };
  std::vector<Keyed> all;
  for (const std::vector<Wanted>& some : found) {
    for (const Wanted& one : some) all.push_back({block_key(one.vertex), one});
  }
  std::sort(all.begin(), all.end(), [](const Keyed& a, const Keyed& b) {
    return a.key != b.key ? a.key < b.key : a.wanted.offset > b.wanted.offset;
  });
  std::vector<MeshAnchor> anchors;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i > 0 && all[i].key == all[i - 1].key) continue;
    anchors.push_back(
        {position(all[i].wanted.vertex, cells), std::min(all[i].wanted.offset, most)});
  }
  return anchors;
}

}  // namespace spindrift
