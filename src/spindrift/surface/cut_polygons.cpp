#include "spindrift/surface/cut_polygons.hpp"

#include <algorithm>

#include "spindrift/core/error.hpp"
#include "spindrift/core/parallel.hpp"

namespace spindrift {
namespace {

// How much the differences of a function along parallel edges of a cell differ, lattice units,
// where an edge of a solid runs through it: little if it passes close to a corner of the cell, but
// then more in a cell beside it. A round solid bends as little in all cells.
constexpr float kBent = 0.02F;
constexpr float kBentBeside = 0.15F;

using DirectedEdge = std::pair<std::int32_t, std::int32_t>;

class PolygonFinder {
 public:
  PolygonFinder(const TriangleMesh& mesh, const CutSamples& samples, const CutVertices& vertices)
      : mesh_(mesh), nodes_(samples), vertices_(vertices) {}

  // Of the cells whose first triangle at a solid is one of these.
  std::vector<CutPolygon> run(std::int64_t begin, std::int64_t end) {
    for (std::int64_t t = begin; t < end; ++t) {
      if (!touches(t, SurfaceKind::solid)) continue;
      const Vec3i cell = cell_of(t);
      std::int64_t first = t;
      bool is_new = true;
      while (first > 0 && cell_of(first - 1) == cell) {
        --first;
        is_new = is_new && !touches(first, SurfaceKind::solid);
      }
      bool has_air = false;
      std::int64_t last = first;
      while (last < mesh_.triangle_count() && (last <= t || cell_of(last) == cell)) {
        has_air = has_air || touches(last, SurfaceKind::air);
        ++last;
      }
      t = last - 1;
      if (!is_new) continue;
      const float bend = bend_in(cell);
      if (has_air || bend > kBent) add_cell(cell, bend, first, last);
    }
    return std::move(found_);
  }

 private:
  [[nodiscard]] const Triangle& triangle(std::int64_t t) const {
    return mesh_.triangles[static_cast<std::size_t>(t)];
  }
  [[nodiscard]] SurfaceKind kind(std::int32_t v) const {
    return vertices_.kinds[static_cast<std::size_t>(v)];
  }

  [[nodiscard]] bool touches(std::int64_t t, SurfaceKind what) const {
    const Triangle& corners = triangle(t);
    return std::any_of(corners.begin(), corners.end(),
                       [&](std::int32_t v) { return kind(v) == what; });
  }

  // The middles of three edges that are not all in one face have their mean inside the cell.
  [[nodiscard]] Vec3i cell_of(std::int64_t t) const {
    Vec3i sum = Vec3i::Zero();  // of six times the mean
    for (const std::int32_t v : triangle(t)) {
      const LatticeEdge& edge = vertices_.edges[static_cast<std::size_t>(v)];
      sum += 2 * edge.node;
      ++sum[edge.axis];
    }
    const auto floor_of = [](int six) { return six >= 0 ? six / 6 : -((5 - six) / 6); };
    return {floor_of(sum.x()), floor_of(sum.y()), floor_of(sum.z())};
  }

  // Vertices that are shared within the cell join triangles to polygons.
  void add_cell(const Vec3i& cell, float bend, std::int64_t first, std::int64_t last) {
    const auto count = static_cast<unsigned>(last - first);
    SPINDRIFT_ASSERT(count <= 16);
    unsigned rest = (1U << count) - 1;
    while (rest != 0) {
      unsigned polygon = rest & (~rest + 1);
      for (unsigned before = 0; before != polygon;) {
        before = polygon;
        for (unsigned k = 0; k < count; ++k) {
          if ((rest >> k & 1) != 0 && shares_vertex(first, polygon, first + k)) polygon |= 1U << k;
        }
      }
      rest &= ~polygon;
      add_polygon(cell, bend, first, polygon);
    }
  }

  [[nodiscard]] bool shares_vertex(std::int64_t first, unsigned triangles, std::int64_t t) const {
    const Triangle& own = triangle(t);
    for (std::int64_t k = 0; k < 16; ++k) {
      if ((triangles >> k & 1) == 0) continue;
      for (const std::int32_t v : triangle(first + k)) {
        if (std::find(own.begin(), own.end(), v) != own.end()) return true;
      }
    }
    return false;
  }

  void add_polygon(const Vec3i& cell, float bend, std::int64_t first, unsigned triangles) {
    CutPolygon polygon;
    polygon.cell = cell;
    polygon.first_triangle = static_cast<std::int32_t>(first);
    polygon.triangles = static_cast<std::uint16_t>(triangles);
    find_loop(polygon);
    int solid = 0;
    for (const std::int32_t v : polygon.vertices()) solid += kind(v) == SurfaceKind::solid ? 1 : 0;
    if (solid == 0) return;
    polygon.is_mixed = solid < polygon.count;
    polygon.bend = bend;
    if (polygon.is_mixed || bend > kBent) found_.push_back(polygon);
  }

  // Around the polygon's triangles.
  void find_loop(CutPolygon& polygon) {
    edges_.clear();
    for (std::int64_t k = 0; k < 16; ++k) {
      if ((polygon.triangles >> k & 1) == 0) continue;
      const Triangle& t = triangle(polygon.first_triangle + k);
      for (std::size_t i = 0; i < 3; ++i) {
        const DirectedEdge edge{t[i], t[(i + 1) % 3]};
        const auto other =
            std::find(edges_.begin(), edges_.end(), DirectedEdge{edge.second, edge.first});
        if (other == edges_.end()) {
          edges_.push_back(edge);
        } else {
          edges_.erase(other);
        }
      }
    }
    SPINDRIFT_ASSERT(std::ssize(edges_) <= CutPolygon::kMostVertices);
    polygon.count = static_cast<int>(edges_.size());
    std::int32_t at = edges_.front().first;
    for (std::size_t k = 0; k < edges_.size(); ++k) {
      polygon.loop[k] = at;
      const auto next = std::find_if(edges_.begin(), edges_.end(),
                                     [&](const DirectedEdge& edge) { return edge.first == at; });
      SPINDRIFT_ASSERT(next != edges_.end());
      at = next->second;
    }
    SPINDRIFT_ASSERT(at == polygon.loop[0]);
  }

  float bend_in(const Vec3i& cell) {
    std::array<float, 8> at{};
    const std::int64_t lowest = nodes_.place(cell);
    const bool is_in_block = ((cell.array() - kBlockSide * block_of_node(cell).array()) < 7).all();
    for (int corner = 0; corner < 8; ++corner) {
      const Vec3i offset(corner & 1, corner >> 1 & 1, corner >> 2);
      const std::int64_t place =
          is_in_block ? lowest + node_in_block(offset) : nodes_.place(cell + offset);
      if (lowest < 0 || place < 0) return 0;
      at[static_cast<std::size_t>(corner)] = nodes_.solid(place);
    }
    float bend = 0;
    for (unsigned axis = 0; axis < 3; ++axis) {
      float least = 1e9F;
      float greatest = -1e9F;
      for (unsigned corner = 0; corner < 8; ++corner) {
        if ((corner >> axis & 1) != 0) continue;
        const float difference = at[corner | 1U << axis] - at[corner];
        least = std::min(least, difference);
        greatest = std::max(greatest, difference);
      }
      bend = std::max(bend, greatest - least);
    }
    return bend;
  }

  const TriangleMesh& mesh_;
  CutNodes nodes_;
  const CutVertices& vertices_;
  std::vector<DirectedEdge> edges_;
  std::vector<CutPolygon> found_;
};

// Says which polygons are bent, and leaves the others out unless they are mixed.
void keep_bent(std::size_t vertex_count, std::vector<CutPolygon>& polygons) {
  std::vector<char> is_beside(vertex_count, 0);
  for (const CutPolygon& polygon : polygons) {
    if (polygon.bend <= kBentBeside) continue;
    for (const std::int32_t v : polygon.vertices()) is_beside[static_cast<std::size_t>(v)] = 1;
  }
  for (CutPolygon& polygon : polygons) {
    const std::span<const std::int32_t> loop = polygon.vertices();
    polygon.is_bent = polygon.bend > kBent && std::any_of(loop.begin(), loop.end(), [&](auto v) {
                        return is_beside[static_cast<std::size_t>(v)] != 0;
                      });
  }
  std::erase_if(polygons, [](const CutPolygon& p) { return !p.is_mixed && !p.is_bent; });
}

}  // namespace

std::vector<CutPolygon> find_cut_polygons(const TriangleMesh& mesh, const CutSamples& samples,
                                          const CutVertices& vertices) {
  constexpr std::int64_t kTrianglesAtOnce = 2048;
  std::vector<CutPolygon> polygons = parallel_reduce_chunks(
      mesh.triangle_count(), kTrianglesAtOnce, std::vector<CutPolygon>{},
      [&](std::int64_t begin, std::int64_t end) {
        return PolygonFinder(mesh, samples, vertices).run(begin, end);
      },
      [](std::vector<CutPolygon> all, const std::vector<CutPolygon>& more) {
        all.insert(all.end(), more.begin(), more.end());
        return all;
      });
  keep_bent(mesh.vertices.size(), polygons);
  return polygons;
}

}  // namespace spindrift
