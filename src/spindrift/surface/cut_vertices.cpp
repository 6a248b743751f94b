#include "spindrift/surface/cut_vertices.hpp"

#include <algorithm>
#include <cmath>

#include "spindrift/core/parallel.hpp"
#include "spindrift/levelset/limited_cubic.hpp"

namespace spindrift {
namespace {

// Vertices of edges that meet in a node stay apart: triangles between them would lose their area.
// Lattice units, as in a contour.
constexpr double kApart = 0.001;

LatticeEdge edge_of(const Vec3& p) {
  const Vec3 rounded = p.array().round();
  int axis = 0;
  (p - rounded).cwiseAbs().maxCoeff(&axis);
  LatticeEdge edge{rounded.cast<int>(), axis};
  edge.node[axis] = static_cast<int>(std::floor(p[axis]));
  return edge;
}

Vec3i neighbor(const Vec3i& node, int axis, int steps) {
  Vec3i moved = node;
  moved[axis] += steps;
  return moved;
}

// The root of a solid's function along an edge, between a free end and one in the solid, by the
// false position method (Illinois).
struct SolidRoot {
  std::size_t vertex = 0;
  bool starts_free = true;   // the free end is the edge's node
  double low = 0, high = 1;  // the bracket, from the free end
  double at_low = 0, at_high = 0;
  double root = 0;
  int last_side = 0;

  void guess() {
    const double slope = at_high - at_low;
    root = slope > 0 ? std::clamp(low - at_low * (high - low) / slope, low, high) : low;
  }
  // Takes the value at the root; returns whether there is more to do.
  bool improve(double value) {
    constexpr double kClose = 3e-7;  // rounding of the samples
    if (std::abs(value) < kClose || high - low < kClose) return false;
    if (value < 0) {
      low = root;
      at_low = value;
      if (last_side < 0) at_high /= 2;
      last_side = -1;
    } else {
      high = root;
      at_high = value;
      if (last_side > 0) at_low /= 2;
      last_side = 1;
    }
    guess();
    return true;
  }
};

// The vertices of a chunk.
class Placement {
 public:
  Placement(const CutSamples& samples, const CutBounds& bounds, std::vector<Vec3>& vertices,
            CutVertices& result)
      : nodes_(samples), bounds_(bounds), vertices_(vertices), result_(result) {}

  void run(std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const LatticeEdge edge = edge_of(bounds_.lattice().to_lattice(vertices_[v]));
      result_.edges[v] = edge;
      result_.kinds[v] = SurfaceKind::air;
      const std::int64_t low = nodes_.place(edge.node);
      if (nodes_.is_near_solid(low)) place_near_solid(v, low);
    }
    find_solid_roots();
  }

 private:
  void place_near_solid(std::size_t v, std::int64_t low) {
    const LatticeEdge& edge = result_.edges[v];
    const std::int64_t high = nodes_.place(neighbor(edge.node, edge.axis, 1));
    const bool starts_free = nodes_.value(low) < 0;
    const std::int64_t in = starts_free ? low : high;
    const std::int64_t out = starts_free ? high : low;
    const AirRoot air = air_root(edge, in, out, starts_free);
    const double wall = straight_root(nodes_.solid(in), nodes_.solid(out));
    if (wall < air.root) {
      result_.kinds[v] = SurfaceKind::solid;
      SolidRoot root{.vertex = v,
                     .starts_free = starts_free,
                     .at_low = nodes_.solid(in),
                     .at_high = nodes_.solid(out)};
      root.guess();
      roots_.push_back(root);
    } else if (air.is_new) {
      const double s = starts_free ? air.root : 1 - air.root;
      vertices_[v] = position(edge, std::clamp(s, kApart, 1 - kApart));
    }
  }

  static double straight_root(float a, float b) { return b < 0 ? 2.0 : double{a} / (a - b); }

  // Where the liquid ends on an edge, from the end in it on; beyond 1 if it does not. By the cubic
  // that its vertex is put at: straight lines are far off where liquid is thinner than a voxel, and
  // vertices would be in solids. Where solids changed no sample on the edge's line, the contour has
  // the root already.
  struct AirRoot {
    double root = 0;
    bool is_new = false;
  };
  [[nodiscard]] AirRoot air_root(const LatticeEdge& edge, std::int64_t in, std::int64_t out,
                                 bool starts_free) {
    const double straight = straight_root(nodes_.liquid(in), nodes_.liquid(out));
    if (straight > 1) return {straight};
    std::array<float, 4> line{};
    AirRoot air;
    for (int k = 0; k < 4; ++k) {
      const std::int64_t place = nodes_.place(neighbor(edge.node, edge.axis, k - 1));
      if (place < 0) return {straight};
      line[static_cast<std::size_t>(k)] = nodes_.liquid(place);
      air.is_new = air.is_new || nodes_.solid(place) >= 0;
    }
    const double s = root(limited_cubic(line[0], line[1], line[2], line[3]));
    air.root = starts_free ? s : 1 - s;
    return air;
  }

  void find_solid_roots() {
    std::vector<std::size_t> active(roots_.size());
    for (std::size_t i = 0; i < active.size(); ++i) active[i] = i;
    std::vector<Vec3> points;
    std::vector<double> values;
    constexpr int kMostSteps = 24;
    for (int step = 0; step < kMostSteps && !active.empty(); ++step) {
      points.clear();
      for (const std::size_t i : active) points.push_back(position(roots_[i], roots_[i].root));
      values.resize(points.size());
      bounds_.solid(points, values);
      std::size_t kept = 0;
      for (std::size_t k = 0; k < active.size(); ++k) {
        if (roots_[active[k]].improve(values[k])) active[kept++] = active[k];
      }
      active.resize(kept);
    }
    for (const SolidRoot& root : roots_) {
      const bool is_at_node = root.root < kApart || root.root > 1 - kApart;
      const bool may_stay = !is_at_node || is_alone_at_node(root);
      vertices_[root.vertex] =
          position(root, may_stay ? root.root : std::clamp(root.root, kApart, 1 - kApart));
    }
  }

  // Whether no other edge at the closer end is crossed: as at walls in the lattice's planes.
  bool is_alone_at_node(const SolidRoot& root) {
    const LatticeEdge& edge = result_.edges[root.vertex];
    const bool is_low_end = (root.root < 0.5) == root.starts_free;
    const Vec3i node = neighbor(edge.node, edge.axis, is_low_end ? 0 : 1);
    const bool is_inside = nodes_.value(nodes_.place(node)) < 0;
    for (int axis = 0; axis < 3; ++axis) {
      for (const int step : {-1, 1}) {
        if (axis == edge.axis && step == (is_low_end ? 1 : -1)) continue;
        const std::int64_t place = nodes_.place(neighbor(node, axis, step));
        if (place >= 0 && (nodes_.value(place) < 0) != is_inside) return false;
      }
    }
    return true;
  }

  [[nodiscard]] Vec3 position(const LatticeEdge& edge, double s) const {
    return bounds_.lattice().position(Vec3(edge.node.cast<double>() + s * Vec3::Unit(edge.axis)));
  }
  [[nodiscard]] Vec3 position(const SolidRoot& root, double s) const {
    return position(result_.edges[root.vertex], root.starts_free ? s : 1 - s);
  }

  CutNodes nodes_;
  const CutBounds& bounds_;
  std::vector<Vec3>& vertices_;
  CutVertices& result_;
  std::vector<SolidRoot> roots_;
};

}  // namespace

CutVertices place_cut_vertices(const CutSamples& samples, const CutBounds& bounds,
                               std::vector<Vec3>& vertices) {
  CutVertices result;
  result.edges.resize(vertices.size());
  result.kinds.resize(vertices.size());
  constexpr std::int64_t kVerticesAtOnce = 1024;
  parallel_for_chunks(std::ssize(vertices), kVerticesAtOnce,
                      [&](std::int64_t begin, std::int64_t end) {
                        Placement(samples, bounds, vertices, result)
                            .run(static_cast<std::size_t>(begin), static_cast<std::size_t>(end));
                      });
  return result;
}

}  // namespace spindrift
