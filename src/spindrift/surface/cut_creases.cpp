#include "spindrift/surface/cut_creases.hpp"

#include <algorithm>
#include <tuple>

#include "spindrift/core/error.hpp"

namespace spindrift {
namespace {

// A polygon's edge across a sharp edge, from one face to another.
struct Crossing {
  std::int32_t low, high;  // its vertices
  bool is_backward;        // runs from high to low
  std::int32_t feature;    // the vertex in the polygon's middle

  bool operator<(const Crossing& other) const {
    return std::tie(low, high, is_backward, feature) <
           std::tie(other.low, other.high, other.is_backward, other.feature);
  }
};

// Two polygons beside a crossing.
struct Join {
  std::int32_t from, to;         // of the crossing's edge, as the first polygon walks it
  std::int32_t feature, beyond;  // the vertices in their middles

  [[nodiscard]] std::pair<std::int32_t, std::int32_t> line() const {
    return std::minmax(feature, beyond);
  }
};

class Creases {
 public:
  Creases(std::span<const CutPolygon> polygons, std::span<const CutFeature> features,
          const CutNormals& normals, std::span<const SurfaceKind> kinds, CutSurface& cut)
      : polygons_(polygons), features_(features), normals_(normals), kinds_(kinds), cut_(cut) {}

  void run() {
    keep_triangles();
    for (std::size_t p = 0; p < polygons_.size(); ++p) {
      if (!features_[p].exists) continue;
      const auto feature = static_cast<std::int32_t>(cut_.mesh.vertices.size());
      cut_.mesh.vertices.push_back(features_[p].point);
      if (polygons_[p].is_mixed) cut_.contact_vertices.push_back(feature);
      add_fan(polygons_[p], feature);
    }
    add_joins();
    cut_.mesh.triangles = std::move(triangles_);
  }

 private:
  // All that are not replaced.
  void keep_triangles() {
    const std::vector<Triangle>& old = cut_.mesh.triangles;
    std::vector<char> is_replaced(old.size(), 0);
    std::size_t count = 0;
    for (std::size_t p = 0; p < polygons_.size(); ++p) {
      if (!features_[p].exists) continue;
      const auto first = static_cast<std::size_t>(polygons_[p].first_triangle);
      for (unsigned k = 0; k < 16; ++k) {
        if ((polygons_[p].triangles >> k & 1) != 0) is_replaced[first + k] = 1;
      }
      count += static_cast<std::size_t>(polygons_[p].count);
    }
    triangles_.reserve(old.size() + count);
    cut_.kinds.reserve(old.size() + count);
    for (std::size_t t = 0; t < old.size(); ++t) {
      if (is_replaced[t] == 0) add(old[t], kind(old[t][0]));
    }
  }

  void add_fan(const CutPolygon& polygon, std::int32_t feature) {
    for (int k = 0; k < polygon.count; ++k) {
      const std::int32_t v = polygon.loop[static_cast<std::size_t>(k)];
      const std::int32_t w = polygon.loop[static_cast<std::size_t>((k + 1) % polygon.count)];
      const bool is_contact = kind(v) != kind(w);
      if (is_contact || (kind(v) == SurfaceKind::solid && normals_.are_across_edge(v, w))) {
        crossings_.push_back({std::min(v, w), std::max(v, w), v > w, feature});
      } else {
        add({v, w, feature}, kind(v));
      }
    }
  }

  void add_joins() {
    std::sort(crossings_.begin(), crossings_.end());
    std::vector<Join> joins;
    for (std::size_t i = 0; i < crossings_.size(); ++i) {
      const Crossing& c = crossings_[i];
      const std::int32_t from = c.is_backward ? c.high : c.low;
      const std::int32_t to = c.is_backward ? c.low : c.high;
      const bool is_pair = i + 1 < crossings_.size() && crossings_[i + 1].low == c.low &&
                           crossings_[i + 1].high == c.high;
      if (is_pair) {
        SPINDRIFT_ASSERT(!c.is_backward && crossings_[i + 1].is_backward);
        joins.push_back({from, to, c.feature, crossings_[i + 1].feature});
        ++i;
      } else {
        // The polygon beyond has no point to join.
        add({from, to, c.feature}, kind(from));
      }
    }
    std::stable_sort(joins.begin(), joins.end(),
                     [](const Join& a, const Join& b) { return a.line() < b.line(); });
    for (std::size_t i = 0; i < joins.size(); ++i) {
      const Join& j = joins[i];
      if (i == 0 || joins[i - 1].line() != j.line()) {
        add({j.from, j.beyond, j.feature}, kind(j.from));
        add({j.to, j.feature, j.beyond}, kind(j.to));
      } else {
        // Joined already, through another edge of the same two cells: this one stays.
        const SurfaceKind shared = kind(j.from) == kind(j.to) ? kind(j.from) : SurfaceKind::air;
        add({j.from, j.to, j.feature}, shared);
        add({j.to, j.from, j.beyond}, shared);
      }
    }
  }

  [[nodiscard]] SurfaceKind kind(std::int32_t vertex) const {
    return kinds_[static_cast<std::size_t>(vertex)];
  }
  void add(const Triangle& triangle, SurfaceKind of) {
    triangles_.push_back(triangle);
    cut_.kinds.push_back(of);
  }

  std::span<const CutPolygon> polygons_;
  std::span<const CutFeature> features_;
  const CutNormals& normals_;
  std::span<const SurfaceKind> kinds_;
  CutSurface& cut_;
  std::vector<Triangle> triangles_;
  std::vector<Crossing> crossings_;
};

}  // namespace

void make_creases(std::span<const CutPolygon> polygons, std::span<const CutFeature> features,
                  const CutNormals& normals, std::span<const SurfaceKind> kinds, CutSurface& cut) {
  Creases(polygons, features, normals, kinds, cut).run();
}

}  // namespace spindrift
