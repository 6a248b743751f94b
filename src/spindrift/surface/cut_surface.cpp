#include "spindrift/surface/cut_surface.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "spindrift/core/error.hpp"
#include "spindrift/core/parallel.hpp"
#include "spindrift/levelset/contour.hpp"
#include "spindrift/levelset/cubic_sampler.hpp"
#include "spindrift/levelset/surface_samples.hpp"

namespace spindrift {
namespace {

// The two functions whose greater one bounds the liquid outside the solids: both negative inside
// it. Lattice units.
class Bounds {
 public:
  Bounds(const BandDistance& liquid, const ScalarField& solid)
      : liquid_(liquid), solid_(solid), spacing_(liquid.field.lattice.spacing) {}

  void evaluate(std::span<const Vec3> points, std::span<float> liquid,
                std::span<float> solid) const {
    liquid_.evaluate(points, liquid);
    std::vector<double> metres(points.size());
    solid_.evaluate(points, metres);
    for (std::size_t i = 0; i < points.size(); ++i) {
      solid[i] = static_cast<float>(-metres[i] / spacing_);
    }
  }
  // In parallel, over a batch of any size.
  void evaluate_all(std::span<const Vec3> points, std::span<float> liquid,
                    std::span<float> solid) const {
    constexpr std::int64_t kBatch = 1024;
    parallel_for_chunks(std::ssize(points), kBatch, [&](std::int64_t begin, std::int64_t end) {
      const auto first = static_cast<std::size_t>(begin);
      const auto count = static_cast<std::size_t>(end - begin);
      evaluate(points.subspan(first, count), liquid.subspan(first, count),
               solid.subspan(first, count));
    });
  }

 private:
  CubicSampler liquid_;
  const ScalarField& solid_;
  double spacing_;
};

// Moves the vertices along their lattice edges to where the liquid ends, and says at which surface
// it does.
class VertexPlacement {
 public:
  VertexPlacement(const Bounds& bounds, const Lattice& lattice, std::vector<Vec3>& vertices)
      : bounds_(bounds), lattice_(lattice), vertices_(vertices) {}

  std::vector<SurfaceKind> run() {
    find_edges();
    bracket();
    constexpr int kSteps = 12;
    for (int step = 0; step < kSteps; ++step) improve();
    std::vector<SurfaceKind> kinds(vertices_.size());
    for (std::size_t v = 0; v < vertices_.size(); ++v) {
      // Never on a node: triangles would lose their area.
      const double s = std::clamp(edges_[v].root, 0.001, 0.999);
      vertices_[v] = position(edges_[v], s);
      kinds[v] = edges_[v].kind;
    }
    return kinds;
  }

 private:
  struct Edge {
    Vec3 inside, outside;      // its ends, lattice coordinates
    double low = 0, high = 1;  // bracket of the root, from inside
    float at_low = 0, at_high = 0;
    double root = 0;
    SurfaceKind kind = SurfaceKind::air;
  };

  [[nodiscard]] Vec3 position(const Edge& edge, double s) const {
    return lattice_.position(Vec3(edge.inside + s * (edge.outside - edge.inside)));
  }

  void find_edges() {
    edges_.resize(vertices_.size());
    parallel_for_each(std::ssize(vertices_), [&](std::int64_t v) {
      const Vec3 p = lattice_.to_lattice(vertices_[static_cast<std::size_t>(v)]);
      const Vec3 rounded = p.array().round();
      int axis = 0;
      (p - rounded).cwiseAbs().maxCoeff(&axis);
      Edge& edge = edges_[static_cast<std::size_t>(v)];
      edge.inside = edge.outside = rounded;
      edge.inside[axis] = std::floor(p[axis]);
      edge.outside[axis] = edge.inside[axis] + 1;
    });
  }

  void bracket() {
    const std::size_t count = edges_.size();
    std::vector<Vec3> ends(2 * count);
    for (std::size_t v = 0; v < count; ++v) {
      ends[2 * v] = lattice_.position(edges_[v].inside);
      ends[2 * v + 1] = lattice_.position(edges_[v].outside);
    }
    std::vector<float> liquid(2 * count);
    std::vector<float> solid(2 * count);
    bounds_.evaluate_all(ends, liquid, solid);
    for (std::size_t v = 0; v < count; ++v) {
      Edge& edge = edges_[v];
      std::size_t in = 2 * v;
      std::size_t out = 2 * v + 1;
      if (std::max(liquid[in], solid[in]) >= 0) {
        std::swap(in, out);
        std::swap(edge.inside, edge.outside);
      }
      const auto straight_root = [](float a, float b) { return b < 0 ? 2.0 : double{a} / (a - b); };
      const double air = straight_root(liquid[in], liquid[out]);
      const double wall = straight_root(solid[in], solid[out]);
      edge.kind = wall < air ? SurfaceKind::solid : SurfaceKind::air;
      const bool is_wall = edge.kind == SurfaceKind::solid;
      edge.at_low = is_wall ? solid[in] : liquid[in];
      edge.at_high = is_wall ? solid[out] : liquid[out];
      edge.root = std::min(air, wall);
    }
  }

  // One step of the false position method, with halvings where it is slow (Illinois).
  void improve() {
    std::vector<Vec3> points(edges_.size());
    for (std::size_t v = 0; v < edges_.size(); ++v) points[v] = position(edges_[v], edges_[v].root);
    std::vector<float> liquid(points.size());
    std::vector<float> solid(points.size());
    bounds_.evaluate_all(points, liquid, solid);
    for (std::size_t v = 0; v < edges_.size(); ++v) {
      Edge& edge = edges_[v];
      const float value = edge.kind == SurfaceKind::solid ? solid[v] : liquid[v];
      if (value < 0) {
        edge.low = edge.root;
        edge.at_low = value;
        edge.at_high /= 2;
      } else {
        edge.high = edge.root;
        edge.at_high = value;
        edge.at_low /= 2;
      }
      const double slope = double{edge.at_high} - edge.at_low;
      if (slope > 0) {
        edge.root = std::clamp(edge.low - edge.at_low * (edge.high - edge.low) / slope, edge.low,
                               edge.high);
      }
    }
  }

  const Bounds& bounds_;
  const Lattice& lattice_;
  std::vector<Vec3>& vertices_;
  std::vector<Edge> edges_;
};

using Edge = std::pair<std::int32_t, std::int32_t>;

// A polygon of one cell that mixes vertices of both kinds: the loop around some of its triangles.
struct MixedPolygon {
  std::vector<std::int32_t> triangles;
  std::vector<Edge> boundary;  // directed as in the triangles
  std::int32_t contact = -1;   // the vertex in its middle
};

// Finds the mixed polygons. The triangles of a cell stand together in a contour.
std::vector<MixedPolygon> mixed_polygons(const TriangleMesh& mesh, const Lattice& lattice,
                                         const std::vector<SurfaceKind>& kinds) {
  const auto is_mixed = [&](const Triangle& t) {
    return kinds[static_cast<std::size_t>(t[0])] != kinds[static_cast<std::size_t>(t[1])] ||
           kinds[static_cast<std::size_t>(t[1])] != kinds[static_cast<std::size_t>(t[2])];
  };
  const auto cell_of = [&](std::int64_t t) {
    const Vec3 middle = (mesh.corner(t, 0) + mesh.corner(t, 1) + mesh.corner(t, 2)) / 3;
    return Vec3i(lattice.to_lattice(middle).array().floor().cast<int>());
  };
  const auto share_vertex = [](const Triangle& a, const Triangle& b) {
    return std::any_of(a.begin(), a.end(),
                       [&](std::int32_t v) { return std::find(b.begin(), b.end(), v) != b.end(); });
  };
  std::vector<MixedPolygon> polygons;
  std::int64_t taken_to = 0;  // triangles before this one belong to polygons already
  for (std::int64_t t = 0; t < mesh.triangle_count(); ++t) {
    if (t < taken_to || !is_mixed(mesh.triangles[static_cast<std::size_t>(t)])) continue;
    const Vec3i cell = cell_of(t);
    std::int64_t first = t;
    while (first > taken_to && cell_of(first - 1) == cell) --first;
    std::int64_t last = t + 1;
    while (last < mesh.triangle_count() && cell_of(last) == cell) ++last;
    taken_to = last;
    // At most five triangles and a few loops: vertices shared within the cell join them.
    std::vector<std::int32_t> rest;
    for (std::int64_t i = first; i < last; ++i) rest.push_back(static_cast<std::int32_t>(i));
    while (!rest.empty()) {
      MixedPolygon polygon;
      polygon.triangles.push_back(rest.front());
      rest.erase(rest.begin());
      for (std::size_t done = 0; done < polygon.triangles.size(); ++done) {
        const Triangle& a = mesh.triangles[static_cast<std::size_t>(polygon.triangles[done])];
        for (auto other = rest.begin(); other != rest.end();) {
          if (share_vertex(a, mesh.triangles[static_cast<std::size_t>(*other)])) {
            polygon.triangles.push_back(*other);
            other = rest.erase(other);
          } else {
            ++other;
          }
        }
      }
      const bool has_both = std::any_of(
          polygon.triangles.begin(), polygon.triangles.end(),
          [&](std::int32_t i) { return is_mixed(mesh.triangles[static_cast<std::size_t>(i)]); });
      if (!has_both) continue;
      std::vector<Edge> edges;
      for (const std::int32_t i : polygon.triangles) {
        const Triangle& a = mesh.triangles[static_cast<std::size_t>(i)];
        for (std::size_t k = 0; k < 3; ++k) edges.emplace_back(a[k], a[(k + 1) % 3]);
      }
      for (const Edge& edge : edges) {
        if (std::find(edges.begin(), edges.end(), Edge{edge.second, edge.first}) == edges.end()) {
          polygon.boundary.push_back(edge);
        }
      }
      polygons.push_back(std::move(polygon));
    }
  }
  return polygons;
}

// Puts points onto both surfaces, by Newton's method in the plane of the two gradients. Where a
// solid has an edge the steps get stuck a little before it; the last one goes to the liquid's
// surface alone, so that it stays smooth there.
void project_to_contact(const Bounds& bounds, double spacing, std::vector<Vec3>& points) {
  constexpr int kSteps = 5;
  constexpr double kDifference = 0.05;  // lattice units, for gradients
  constexpr std::size_t kStencil = 7;
  const std::size_t count = points.size();
  std::vector<Vec3> stencil(kStencil * count);
  std::vector<float> liquid(stencil.size());
  std::vector<float> solid(stencil.size());
  const std::vector<Vec3> start = points;
  for (int step = 0; step < kSteps; ++step) {
    for (std::size_t i = 0; i < count; ++i) {
      stencil[kStencil * i] = points[i];
      for (int k = 0; k < 6; ++k) {
        const double sign = k % 2 == 0 ? 1 : -1;
        stencil[kStencil * i + 1 + static_cast<std::size_t>(k)] =
            points[i] + sign * kDifference * spacing * Vec3::Unit(k / 2);
      }
    }
    bounds.evaluate_all(stencil, liquid, solid);
    for (std::size_t i = 0; i < count; ++i) {
      const auto gradient = [&](const std::vector<float>& f) {
        const float* at = f.data() + kStencil * i + 1;
        return Vec3(Vec3(at[0] - at[1], at[2] - at[3], at[4] - at[5]) / (2 * kDifference));
      };
      const Vec3 a = gradient(liquid);
      const Vec3 b = gradient(solid);
      // Least change: x = -J^T (J J^T)^-1 f, with the rows a and b.
      const double aa = a.squaredNorm();
      const double bb = b.squaredNorm();
      const double ab = a.dot(b);
      const double determinant = aa * bb - ab * ab;
      // Surfaces that touch without crossing have no contact line to go to.
      if (determinant < 0.01 * aa * bb || aa == 0 || bb == 0) continue;
      const double f = liquid[kStencil * i];
      const double g = solid[kStencil * i];
      if (step == kSteps - 1) {
        points[i] -= spacing * f / aa * a;
        continue;
      }
      const double u = (bb * f - ab * g) / determinant;
      const double v = (aa * g - ab * f) / determinant;
      points[i] -= spacing * (u * a + v * b);
      // Within reach of the polygon: farther away triangles would fold.
      const Vec3 moved = points[i] - start[i];
      const double most = 0.75 * spacing;
      if (moved.norm() > most) points[i] = start[i] + moved * (most / moved.norm());
    }
  }
}

// Replaces the polygons' triangles by fans around their contact vertices, and flips the edges
// across the contact lines to run along them.
class ContactLines {
 public:
  ContactLines(CutSurface& cut, const std::vector<SurfaceKind>& kinds,
               std::vector<MixedPolygon>& polygons)
      : cut_(cut), kinds_(kinds), polygons_(polygons) {}

  void run(const std::vector<Vec3>& contacts) {
    TriangleMesh& mesh = cut_.mesh;
    std::vector<char> is_replaced(mesh.triangles.size(), 0);
    for (std::size_t p = 0; p < polygons_.size(); ++p) {
      polygons_[p].contact = static_cast<std::int32_t>(mesh.vertices.size());
      cut_.contact_vertices.push_back(polygons_[p].contact);
      mesh.vertices.push_back(contacts[p]);
      for (const std::int32_t t : polygons_[p].triangles)
        is_replaced[static_cast<std::size_t>(t)] = 1;
    }
    std::vector<Triangle> triangles;
    triangles.reserve(mesh.triangles.size() + 4 * polygons_.size());
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
      if (is_replaced[t] == 0) add(mesh.triangles[t], kind_of(mesh.triangles[t][0]), triangles);
    }
    // Across each mixed edge lie two contact vertices.
    std::map<Edge, std::int32_t> contact_beside;
    for (const MixedPolygon& polygon : polygons_) {
      for (const Edge& edge : polygon.boundary) {
        if (kind_of(edge.first) == kind_of(edge.second)) {
          add({edge.first, edge.second, polygon.contact}, kind_of(edge.first), triangles);
        } else {
          contact_beside.emplace(edge, polygon.contact);
        }
      }
    }
    std::map<Edge, char> is_joined;
    for (const auto& [edge, contact] : contact_beside) {
      if (edge.first > edge.second) continue;
      const std::int32_t other = contact_beside.at({edge.second, edge.first});
      const Edge line = std::minmax(contact, other);
      if (contact != other && is_joined.emplace(line, 1).second) {
        add({edge.first, other, contact}, kind_of(edge.first), triangles);
        add({edge.second, contact, other}, kind_of(edge.second), triangles);
      } else {
        // Joined already, through another edge of the same two cells: leave this one as it is.
        add({edge.first, edge.second, contact}, SurfaceKind::air, triangles);
        add({edge.second, edge.first, other}, SurfaceKind::air, triangles);
      }
    }
    mesh.triangles = std::move(triangles);
  }

 private:
  SurfaceKind kind_of(std::int32_t vertex) const {
    return kinds_[static_cast<std::size_t>(vertex)];
  }
  void add(const Triangle& t, SurfaceKind kind, std::vector<Triangle>& triangles) {
    triangles.push_back(t);
    cut_.kinds.push_back(kind);
  }

  CutSurface& cut_;
  const std::vector<SurfaceKind>& kinds_;
  std::vector<MixedPolygon>& polygons_;
};

}  // namespace

CutSurface cut_surface(const TriangleMesh& surface, const BandDistance& liquid,
                       const ScalarField& solid, const Box3& box) {
  const Lattice& lattice = liquid.field.lattice;
  const Bounds bounds(liquid, solid);
  const SampledField samples = sample_surface(
      united_nodes(nodes_near(surface, lattice), nodes_near_zero(solid, box, lattice)),
      [&](std::span<const Vec3> points, std::span<float> values) {
        std::vector<float> wall(points.size());
        bounds.evaluate(points, values, wall);
        for (std::size_t i = 0; i < points.size(); ++i) values[i] = std::max(values[i], wall[i]);
      });
  CutSurface cut;
  Contour contoured = contour(samples);
  SPINDRIFT_ASSERT(contoured.open_cells == 0);
  cut.mesh = std::move(contoured.mesh);
  const std::vector<SurfaceKind> kinds = VertexPlacement(bounds, lattice, cut.mesh.vertices).run();

  std::vector<MixedPolygon> polygons = mixed_polygons(cut.mesh, lattice, kinds);
  std::vector<Vec3> contacts;
  contacts.reserve(polygons.size());
  for (const MixedPolygon& polygon : polygons) {
    Vec3 middle = Vec3::Zero();
    int count = 0;
    for (const Edge& edge : polygon.boundary) {
      if (kinds[static_cast<std::size_t>(edge.first)] ==
          kinds[static_cast<std::size_t>(edge.second)])
        continue;
      middle += cut.mesh.vertices[static_cast<std::size_t>(edge.first)] +
                cut.mesh.vertices[static_cast<std::size_t>(edge.second)];
      count += 2;
    }
    contacts.emplace_back(middle / count);
  }
  project_to_contact(bounds, lattice.spacing, contacts);
  ContactLines(cut, kinds, polygons).run(contacts);
  return cut;
}

}  // namespace spindrift
