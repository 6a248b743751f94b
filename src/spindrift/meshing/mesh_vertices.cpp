#include "spindrift/meshing/mesh_vertices.hpp"

#include <limits>

#include "spindrift/core/error.hpp"
#include "spindrift/core/parallel.hpp"
#include "spindrift/meshing/padded_signs.hpp"

namespace spindrift {
namespace {

constexpr std::int64_t kBricksAtOnce = 16;

// Spreads one bit for each octant of `side` cells over the octant's cells.
BlockMask spread(std::uint64_t octants, int side) {
  const int across = kBlockSide / side;
  BlockMask cells{};
  for (int z = 0; z < kBlockSide; ++z) {
    for (int y = 0; y < kBlockSide; ++y) {
      for (int x = 0; x < across; ++x) {
        const int octant = x + across * (y / side) + across * across * (z / side);
        const std::uint64_t bits = (octants >> octant & 1) != 0 ? (1U << side) - 1 : 0;
        cells[static_cast<std::size_t>(z)] |= bits << (8 * y + side * x);
      }
    }
  }
  return cells;
}

// Nodes whose indices all leave `rest` when divided by `step`.
constexpr BlockMask every(int step, int rest) {
  BlockMask mask{};
  for (int z = rest; z < kBlockSide; z += step) {
    for (int y = rest; y < kBlockSide; y += step) {
      for (int x = rest; x < kBlockSide; x += step) {
        mask[static_cast<std::size_t>(z)] |= std::uint64_t{1} << (8 * y + x);
      }
    }
  }
  return mask;
}
constexpr BlockMask kEven = every(2, 0), kOdd = every(2, 1);
constexpr BlockMask kQuarters = every(4, 0), kQuarterCenters = every(4, 2);
constexpr BlockMask kFirst = every(8, 0), kMiddle = every(8, 4);

class BrickNumbering {
 public:
  BrickNumbering(const Octree& tree, const std::vector<BrickVertices>& vertices)
      : tree_(tree), vertices_(vertices) {}

  void find_present(std::int64_t b, std::array<BlockMask, 2>& present) const {
    const Brick& brick = tree_.bricks[static_cast<std::size_t>(b)];
    present[kCorners] = leaf_corners(b);
    present[kCenters] = vertices_[static_cast<std::size_t>(b)].fine;
    if (brick.surface < 0) return;
    const PaddedSigns signs(tree_, brick);
    for (const Sublattice lattice : {kCorners, kCenters}) {
      const Sublattice other = lattice == kCorners ? kCenters : kCorners;
      // On the surface, they belong to a tetrahedron only beside a vertex inside.
      const BlockMask used = mask_of_rows([&](int y, int z) {
        const unsigned in = signs.inside[lattice].moved_row(y, z, 0, 0, 0);
        const unsigned out = signs.outside[lattice].moved_row(y, z, 0, 0, 0);
        return in |
               (~out & any_neighbor(signs.inside[lattice], signs.inside[other], lattice, y, z));
      });
      for (std::size_t z = 0; z < kBlockSide; ++z) present[lattice][z] &= used[z];
    }
  }

 private:
  // Corners of leaves, and centres of those larger than the finest.
  [[nodiscard]] BlockMask leaf_corners(std::int64_t b) const {
    const Brick& brick = tree_.bricks[static_cast<std::size_t>(b)];
    const auto of_neighbors = [&](const auto& mask) {
      return PaddedMask([&](std::size_t k) -> const BlockMask& {
        return brick.around[k] < 0 ? kNoNodes : mask(static_cast<std::size_t>(brick.around[k]));
      });
    };
    // For each level of octants: corners of those that are there, then centres.
    BlockMask nodes{};
    const auto add = [&](const PaddedMask& cells, const BlockMask& corners,
                         const BlockMask& centers) {
      for (int z = 0; z < kBlockSide; ++z) {
        const auto i = static_cast<std::size_t>(z);
        for (int y = 0; y < kBlockSide; ++y) {
          const unsigned rows =
              cells.row(y, z) | cells.row(y - 1, z) | cells.row(y, z - 1) | cells.row(y - 1, z - 1);
          const std::uint64_t touching = (rows | rows >> 1) & 0xff;
          const std::uint64_t own = static_cast<unsigned>(cells.row(y, z)) >> 1 & 0xff;
          nodes[i] |= (touching << (8 * y) & corners[i]) | (own << (8 * y) & centers[i]);
        }
      }
    };
    add(of_neighbors([&](std::size_t n) -> const BlockMask& { return vertices_[n].fine; }),
        kAllNodes, kNoNodes);
    add(of_neighbors([&](std::size_t n) -> const BlockMask& { return vertices_[n].in_octants; }),
        kEven, kOdd);
    add(of_neighbors([&](std::size_t n) -> const BlockMask& {
          return tree_.bricks[n].split8 ? kAllNodes : kNoNodes;
        }),
        kQuarters, kQuarterCenters);
    for (std::size_t z = 0; z < kBlockSide; ++z) nodes[z] |= kFirst[z] | kMiddle[z];
    return nodes;
  }

  const Octree& tree_;
  const std::vector<BrickVertices>& vertices_;
};

}  // namespace

MeshVertices number_vertices(const Octree& tree, const CutEdges& cuts) {
  MeshVertices vertices;
  const std::int64_t count = std::ssize(tree.bricks);
  vertices.bricks.resize(tree.bricks.size());
  parallel_for_each(
      count,
      [&](std::int64_t b) {
        const Brick& brick = tree.bricks[static_cast<std::size_t>(b)];
        BrickVertices& own = vertices.bricks[static_cast<std::size_t>(b)];
        own.fine = spread(brick.split2, 2);
        own.in_octants = spread(brick.split4, 4);
      },
      kBricksAtOnce);
  const BrickNumbering numbering(tree, vertices.bricks);
  parallel_for_each(
      count,
      [&](std::int64_t b) {
        BrickVertices& brick = vertices.bricks[static_cast<std::size_t>(b)];
        numbering.find_present(b, brick.present);
        for (const Sublattice lattice : {kCorners, kCenters}) {
          brick.ranks[lattice] = MaskRanks(brick.present[lattice]);
        }
      },
      kBricksAtOnce);
  for (std::size_t b = 0; b < tree.bricks.size(); ++b) {
    BrickVertices& brick = vertices.bricks[b];
    brick.first = static_cast<std::int32_t>(vertices.count);
    vertices.count += brick.ranks[kCorners].count + brick.ranks[kCenters].count;
    brick.first_cut = static_cast<std::int32_t>(vertices.count);
    const std::int32_t surface = tree.bricks[b].surface;
    if (surface >= 0) vertices.count += cuts.bricks[static_cast<std::size_t>(surface)].count;
    if (vertices.count > std::numeric_limits<std::int32_t>::max()) {
      throw InputError({}, "the mesh would have more than two thousand million vertices",
                       "use larger cells");
    }
  }
  return vertices;
}

Buffer<Vec3> vertex_positions(const Octree& tree, const MeshVertices& vertices,
                              const CutEdges& cuts, const CutEdges& all_cuts,
                              const Buffer<double>& points,
                              const std::vector<std::vector<Warp>>& warps) {
  Buffer<Vec3> positions(static_cast<std::size_t>(vertices.count));
  parallel_for_each(
      std::ssize(tree.bricks),
      [&](std::int64_t b) {
        const Brick& brick = tree.bricks[static_cast<std::size_t>(b)];
        const BrickVertices& own = vertices.bricks[static_cast<std::size_t>(b)];
        auto next = static_cast<std::size_t>(own.first);
        for (const Sublattice lattice : {kCorners, kCenters}) {
          for_each_bit(own.present[lattice], [&](int node) {
            positions[next++] =
                tree.position(brick.place, node_units(lattice, node).cast<double>());
          });
        }
        if (brick.surface < 0) return;
        const auto s = static_cast<std::size_t>(brick.surface);
        for (const Warp& warp : warps[s]) {
          if (!has_node(own.present[warp.lattice], warp.node)) continue;
          const int before = warp.lattice == kCorners ? 0 : own.ranks[kCorners].count;
          const int rank = own.ranks[warp.lattice].rank(own.present[warp.lattice], warp.node);
          positions[static_cast<std::size_t>(own.first + before + rank)] =
              tree.position(brick.place, warp.units);
        }
        for (int type = 0; type < kEdgeTypes; ++type) {
          const Vec3 vector = edge_vector(type).cast<double>();
          for_each_bit(cuts.bricks[s].edges[static_cast<std::size_t>(type)], [&](int node) {
            const auto cut = static_cast<std::size_t>(all_cuts.bricks[s].number(type, node));
            const Vec3 from = node_units(edge_owner_lattice(type), node).cast<double>();
            positions[next++] = tree.position(brick.place, from + points[cut] * vector);
          });
        }
      },
      kBricksAtOnce);
  return positions;
}

}  // namespace spindrift
