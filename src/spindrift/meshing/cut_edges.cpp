#include "spindrift/meshing/cut_edges.hpp"

#include <cmath>

#include "spindrift/core/error.hpp"
#include "spindrift/core/parallel.hpp"
#include "spindrift/meshing/padded_signs.hpp"

namespace spindrift {
namespace {

constexpr double kCloseLong = 0.285;
constexpr double kCloseShort = 0.3986;

// Calls visit(brick) for every brick near the surface, in parallel.
template <class Visit>
void for_each_surface_brick(const Octree& tree, const Visit& visit) {
  parallel_for_each(
      std::ssize(tree.bricks),
      [&](std::int64_t b) {
        const Brick& brick = tree.bricks[static_cast<std::size_t>(b)];
        if (brick.surface >= 0) visit(brick);
      },
      8);
}

void find_cut_edges(const PaddedSigns& signs, BrickCuts& cuts) {
  for (int type = 0; type < kEdgeTypes; ++type) {
    const Lattice2 own = edge_owner_lattice(type);
    const Lattice2 other = type < kShortEdges ? own : kCorners;
    const int short_type = type - kShortEdges;
    const Vec3i d = type < kShortEdges
                        ? Vec3i(Vec3i::Unit(type % 3))
                        : Vec3i(short_type & 1, short_type >> 1 & 1, short_type >> 2);
    BlockMask& edges = cuts.edges[static_cast<std::size_t>(type)];
    for (int z = 0; z < kBlockSide; ++z) {
      std::uint64_t word = 0;
      for (int y = 0; y < kBlockSide; ++y) {
        const auto row = [&](const PaddedMask& mask, const Vec3i& by) {
          return mask.moved_row(y, z, by.x(), by.y(), by.z());
        };
        const unsigned bits =
            (row(signs.inside[own], Vec3i::Zero()) & row(signs.outside[other], d)) |
            (row(signs.outside[own], Vec3i::Zero()) & row(signs.inside[other], d));
        word |= std::uint64_t{bits} << (8 * y);
      }
      edges[static_cast<std::size_t>(z)] = word;
    }
  }
  cuts.count = 0;
  for (std::size_t type = 0; type < kEdgeTypes; ++type) {
    cuts.ranks[type] = MaskRanks(cuts.edges[type]);
    cuts.type_starts[type] = cuts.count;
    cuts.count += cuts.ranks[type].count;
  }
}

// A vertex seen from a brick: whose it is, and where there.
struct Site {
  std::int32_t brick;
  Lattice2 lattice;
  int node;
};
Site site_at(const Brick& brick, const Vec3i& units) {
  const Vec3i step = {units.x() >> 4, units.y() >> 4, units.z() >> 4};
  return {brick.around[static_cast<std::size_t>(13 + step.x() + 3 * step.y() + 9 * step.z())],
          static_cast<Lattice2>(units.x() & 1),
          node_in_block({units.x() >> 1, units.y() >> 1, units.z() >> 1})};
}

float value_at(const Octree& tree, const Site& site) {
  const std::int32_t surface = tree.bricks[static_cast<std::size_t>(site.brick)].surface;
  return tree.surface_bricks[static_cast<std::size_t>(surface)]
      .values[site.lattice][static_cast<std::size_t>(site.node)];
}

// Roots on many edges at once, by regula falsi with the Illinois rule, and halving where that is
// slow.
class RootSearch {
 public:
  void add(const Vec3& from, const Vec3& to, double value_from, double value_to) {
    edges_.push_back({from, to, 0, 1, value_from, value_to, 0, edges_.size()});
  }

  // The roots in the order of the edges; `size` scales the field to cells.
  void run(const ScalarField& distance, double size, std::span<double> roots) {
    constexpr double kCloseEnough = 1e-8;  // cells
    constexpr int kMostSteps = 60;
    for (int step = 0; step < kMostSteps && !edges_.empty(); ++step) {
      points_.resize(edges_.size());
      values_.resize(edges_.size());
      for (std::size_t i = 0; i < edges_.size(); ++i) {
        Edge& e = edges_[i];
        const bool is_slow = step % 4 == 3;
        const double guess = e.low + (e.high - e.low) * e.at_low / (e.at_low - e.at_high);
        e.guess = is_slow || !(guess > e.low && guess < e.high) ? (e.low + e.high) / 2 : guess;
        points_[i] = e.from + e.guess * (e.to - e.from);
      }
      distance.evaluate(points_, values_);
      std::size_t left = 0;
      for (std::size_t i = 0; i < edges_.size(); ++i) {
        Edge& e = edges_[i];
        const double value = values_[i] / size;
        roots[e.number] = e.guess;
        if (std::abs(value) <= kCloseEnough || e.high - e.low <= kCloseEnough) continue;
        narrow(e, value);
        edges_[left++] = e;
      }
      edges_.resize(left);
    }
    edges_.clear();
  }

 private:
  struct Edge {
    Vec3 from, to;
    double low, high;  // the root is between
    double at_low, at_high;
    double guess;
    std::size_t number;
  };

  static void narrow(Edge& e, double value) {
    if ((value < 0) == (e.at_low < 0)) {
      e.low = e.guess;
      e.at_low = value;
      e.at_high /= 2;
    } else {
      e.high = e.guess;
      e.at_high = value;
      e.at_low /= 2;
    }
  }

  std::vector<Edge> edges_;
  std::vector<Vec3> points_;
  std::vector<double> values_;
};

// One pass over an independent set of vertices: corners or centres with an even or odd sum of
// indices.
class WarpPass {
 public:
  WarpPass(const Octree& tree, const CutEdges& cuts, const Buffer<double>& points)
      : tree_(tree), cuts_(cuts), points_(points) {}

  // Adds the vertices to move in a brick, and their mask.
  void run(const Brick& brick, Lattice2 lattice, int parity, BlockMask& moved,
           std::vector<Warp>& warps) const {
    constexpr std::uint64_t kEvenRow = 0xaa55aa55aa55aa55ULL;
    const SurfaceBrick& surface = tree_.surface_bricks[static_cast<std::size_t>(brick.surface)];
    BlockMask candidates;
    for (std::size_t z = 0; z < kBlockSide; ++z) {
      const std::uint64_t even = z % 2 == 0 ? kEvenRow : ~kEvenRow;
      candidates[z] = surface.marked[lattice][z] &
                      (surface.inside[lattice][z] | surface.outside[lattice][z]) &
                      (parity == 0 ? even : ~even);
    }
    moved = {};
    for_each_bit(candidates, [&](int node) {
      Warp warp{lattice, static_cast<std::int16_t>(node), Vec3::Zero()};
      if (!find_closest_cut(brick, surface, warp)) return;
      moved[static_cast<std::size_t>(node >> 6)] |= std::uint64_t{1} << (node & 63);
      warps.push_back(warp);
    });
  }

 private:
  [[nodiscard]] bool is_inside(const Site& site) const {
    return has(
        site, [](const SurfaceBrick& s) -> const auto& { return s.inside; }, true);
  }
  [[nodiscard]] bool is_outside(const Site& site) const {
    return has(
        site, [](const SurfaceBrick& s) -> const auto& { return s.outside; }, false);
  }
  template <class Masks>
  [[nodiscard]] bool has(const Site& site, const Masks& masks, bool all_inside) const {
    if (site.brick < 0) return !all_inside;
    const std::int32_t surface = tree_.bricks[static_cast<std::size_t>(site.brick)].surface;
    if (surface < 0) return all_inside;
    return has_node(masks(tree_.surface_bricks[static_cast<std::size_t>(surface)])[site.lattice],
                    site.node);
  }

  // Of the cuts that are too close to the vertex, the closest.
  bool find_closest_cut(const Brick& brick, const SurfaceBrick& surface, Warp& warp) const {
    const Vec3i here = node_units(warp.lattice, warp.node);
    const bool inside = has_node(surface.inside[warp.lattice], warp.node);
    double least = std::numeric_limits<double>::infinity();
    const auto try_edge = [&](int type, bool owned) {
      const Vec3i vector = edge_vector(type);
      const Vec3i there = owned ? Vec3i(here + vector) : Vec3i(here - vector);
      const Site other = site_at(brick, there);
      if (!(inside ? is_outside(other) : is_inside(other))) return;
      const Site owner = owned ? site_at(brick, here) : other;
      const auto owner_surface =
          static_cast<std::size_t>(tree_.bricks[static_cast<std::size_t>(owner.brick)].surface);
      const std::int64_t cut = cuts_.bricks[owner_surface].number(type, owner.node);
      const double t = points_[static_cast<std::size_t>(cut)];
      const double share = owned ? t : 1 - t;
      const bool is_long = type < kShortEdges;
      if (share >= (is_long ? kCloseLong : kCloseShort)) return;
      const double length = share * (is_long ? 2 : std::sqrt(3.0));
      if (length >= least) return;
      least = length;
      warp.units = here.cast<double>() + share * (there - here).cast<double>();
    };
    const int first_long = warp.lattice == kCorners ? 0 : 3;
    for (int type = first_long; type < first_long + 3; ++type) {
      try_edge(type, true);
      try_edge(type, false);
    }
    for (int type = kShortEdges; type < kEdgeTypes; ++type) {
      try_edge(type, warp.lattice == kCenters);
    }
    return std::isfinite(least);
  }

  const Octree& tree_;
  const CutEdges& cuts_;
  const Buffer<double>& points_;
};

}  // namespace

CutEdges find_cut_edges(const Octree& tree) {
  CutEdges cuts;
  cuts.bricks.resize(tree.surface_bricks.size());
  for_each_surface_brick(tree, [&](const Brick& brick) {
    find_cut_edges(PaddedSigns(tree, brick), cuts.bricks[static_cast<std::size_t>(brick.surface)]);
  });
  for (BrickCuts& brick : cuts.bricks) {
    brick.first = cuts.count;
    cuts.count += brick.count;
  }
  return cuts;
}

Buffer<double> find_cut_points(const ScalarField& distance, const Octree& tree,
                               const CutEdges& cuts) {
  Buffer<double> points(static_cast<std::size_t>(cuts.count));
  for_each_surface_brick(tree, [&](const Brick& brick) {
    const BrickCuts& own = cuts.bricks[static_cast<std::size_t>(brick.surface)];
    if (own.count == 0) return;
    RootSearch search;
    for (int type = 0; type < kEdgeTypes; ++type) {
      for_each_bit(own.edges[static_cast<std::size_t>(type)], [&](int node) {
        const Vec3i here = node_units(edge_owner_lattice(type), node);
        const Vec3i there = here + edge_vector(type);
        search.add(tree.position(brick.place, here.cast<double>()),
                   tree.position(brick.place, there.cast<double>()),
                   value_at(tree, site_at(brick, here)), value_at(tree, site_at(brick, there)));
      });
    }
    search.run(distance, tree.size,
               std::span(points).subspan(static_cast<std::size_t>(own.first),
                                         static_cast<std::size_t>(own.count)));
  });
  return points;
}

std::vector<std::vector<Warp>> warp_vertices(Octree& tree, const CutEdges& cuts,
                                             const Buffer<double>& points) {
  std::vector<std::vector<Warp>> warps(tree.surface_bricks.size());
  std::vector<BlockMask> moved(tree.surface_bricks.size());
  const WarpPass pass(tree, cuts, points);
  for (const Lattice2 lattice : {kCorners, kCenters}) {
    for (const int parity : {0, 1}) {
      for_each_surface_brick(tree, [&](const Brick& brick) {
        const auto s = static_cast<std::size_t>(brick.surface);
        pass.run(brick, lattice, parity, moved[s], warps[s]);
      });
      for_each_surface_brick(tree, [&](const Brick& brick) {
        const auto s = static_cast<std::size_t>(brick.surface);
        for (std::size_t z = 0; z < kBlockSide; ++z) {
          tree.surface_bricks[s].inside[lattice][z] &= ~moved[s][z];
          tree.surface_bricks[s].outside[lattice][z] &= ~moved[s][z];
        }
      });
    }
  }
  return warps;
}

}  // namespace spindrift
