#include "spindrift/meshing/cut_edges.hpp"

#include <cmath>

#include "spindrift/meshing/padded_signs.hpp"

namespace spindrift {
namespace {

constexpr double kCloseLong = 0.285;
constexpr double kCloseShort = 0.3986;
constexpr std::int64_t kBricksAtOnce = 8;

void find_cut_edges(const PaddedSigns& signs, BrickCuts& cuts) {
  for (int type = 0; type < kEdgeTypes; ++type) {
    const Sublattice own = edge_owner_lattice(type);
    const Sublattice other = type < kShortEdges ? own : kCorners;
    const Vec3i d = edge_step(type);
    cuts.edges[static_cast<std::size_t>(type)] = mask_of_rows([&](int y, int z) {
      const auto here = [&](const PaddedMask& mask) { return mask.moved_row(y, z, 0, 0, 0); };
      const auto there = [&](const PaddedMask& mask) {
        return mask.moved_row(y, z, d.x(), d.y(), d.z());
      };
      return (here(signs.inside[own]) & there(signs.outside[other])) |
             (here(signs.outside[own]) & there(signs.inside[other]));
    });
  }
  cuts.count = 0;
  for (std::size_t type = 0; type < kEdgeTypes; ++type) {
    cuts.ranks[type] = MaskRanks(cuts.edges[type]);
    cuts.type_starts[type] = cuts.count;
    cuts.count += cuts.ranks[type].count;
  }
}

// One pass over an independent set of vertices: corners or centres with an even or odd sum of
// indices.
class WarpPass {
 public:
  WarpPass(const Octree& tree, const CutEdges& cuts, const Buffer<double>& points)
      : tree_(tree), cuts_(cuts), points_(points) {}

  // Adds the vertices to move in a brick, and their mask.
  void run(const Brick& brick, Sublattice lattice, int parity, BlockMask& moved,
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
    if (candidates == BlockMask{}) return;
    const PaddedSigns signs(tree_, brick);
    for_each_bit(candidates, [&](int node) {
      Warp warp{lattice, static_cast<std::int16_t>(node), Vec3::Zero()};
      if (!find_closest_cut(brick, signs, warp)) return;
      moved[static_cast<std::size_t>(node >> 6)] |= std::uint64_t{1} << (node & 63);
      warps.push_back(warp);
    });
  }

 private:
  // Of the cuts that are too close to the vertex, the closest.
  bool find_closest_cut(const Brick& brick, const PaddedSigns& signs, Warp& warp) const {
    const Vec3i index = node_offset(warp.node);
    const Vec3i here = node_units(warp.lattice, warp.node);
    const bool inside = signs.inside[warp.lattice].has(index.x(), index.y(), index.z());
    const std::array<PaddedMask, 2>& opposite = inside ? signs.outside : signs.inside;
    double least = std::numeric_limits<double>::infinity();
    const auto try_edge = [&](int type, bool owned) {
      const Sublattice lattice = type >= kShortEdges && owned ? kCorners : edge_owner_lattice(type);
      const Vec3i step = owned ? edge_step(type) : Vec3i(-edge_step(type));
      const Vec3i other = index + step;
      if (!opposite[lattice].has(other.x(), other.y(), other.z())) return;
      const Vec3i there = owned ? Vec3i(here + edge_vector(type)) : Vec3i(here - edge_vector(type));
      const Site owner = site_at(brick, owned ? here : there);
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
  for_each_surface_brick(tree, kBricksAtOnce, [&](const Brick& brick) {
    find_cut_edges(PaddedSigns(tree, brick), cuts.bricks[static_cast<std::size_t>(brick.surface)]);
  });
  for (BrickCuts& brick : cuts.bricks) {
    brick.first = cuts.count;
    cuts.count += brick.count;
  }
  return cuts;
}

std::vector<std::vector<Warp>> warp_vertices(Octree& tree, const CutEdges& cuts,
                                             const Buffer<double>& points) {
  std::vector<std::vector<Warp>> warps(tree.surface_bricks.size());
  std::vector<BlockMask> moved(tree.surface_bricks.size());
  const WarpPass pass(tree, cuts, points);
  for (const Sublattice lattice : {kCorners, kCenters}) {
    for (const int parity : {0, 1}) {
      for_each_surface_brick(tree, kBricksAtOnce, [&](const Brick& brick) {
        const auto s = static_cast<std::size_t>(brick.surface);
        pass.run(brick, lattice, parity, moved[s], warps[s]);
      });
      for_each_surface_brick(tree, kBricksAtOnce, [&](const Brick& brick) {
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
