#include "spindrift/flow/grid_raster.hpp"

#include <atomic>
#include <cmath>

#include "spindrift/core/key_order.hpp"
#include "spindrift/core/parallel.hpp"
#include "spindrift/levelset/block_numbers.hpp"
#include "spindrift/mesh/tet_bins.hpp"
#include "spindrift/mesh/tet_containment.hpp"

namespace spindrift {
namespace {

// Of barycentric coordinates: nodes on a face between two tetrahedra are in one of them.
constexpr double kOnFace = -1e-9;

// Of boxes that touch a node but for rounding.
constexpr double kRounding = 1e-9;

int floor_of(double x) { return static_cast<int>(std::floor(x + kRounding)); }
int ceil_of(double x) { return static_cast<int>(std::ceil(x - kRounding)); }

Vec3i floor_of(const Vec3& p) { return p.array().floor().cast<int>(); }

// The numbers of blocks; nodes that come one after the other mostly share one.
class BlockFinder {
 public:
  explicit BlockFinder(const BlockSet& blocks) : blocks_(blocks) {}
  std::int32_t find(const Vec3i& block) {
    if (block != last_) {
      last_ = block;
      number_ = blocks_.find(block);
    }
    return number_;
  }

 private:
  const BlockSet& blocks_;
  Vec3i last_ = Vec3i::Constant(2 * kBlockLimit);
  std::int32_t number_ = -1;
};

std::size_t place_of(std::int32_t block, const Vec3i& node) {
  return static_cast<std::size_t>(std::int64_t{block} * kBlockNodes + node_in_block(node));
}

// Six times the volumes with each face, over that of the tetrahedron.
Double4 coordinates_in(const TetMesh& mesh, std::int64_t tet, const Vec3& point) {
  const Double4 volumes = face_volumes(mesh, tet, point).values;
  return volumes / splat4(volumes[0] + volumes[1] + volumes[2] + volumes[3]);
}

// Sets nodes.tets.
void find_tets(const TetFlow& flow, LocatedNodes& nodes) {
  Buffer<std::int32_t>& tets = nodes.tets;
  tets.resize(static_cast<std::size_t>(nodes.blocks.size()) * kBlockNodes);
  parallel_for_each(
      std::ssize(tets), [&](std::int64_t i) { tets[static_cast<std::size_t>(i)] = kNoTet; },
      1 << 14);
  parallel_for_chunks(flow.mesh.tet_count(), 1024, [&](std::int64_t begin, std::int64_t end) {
    BlockFinder finder(nodes.blocks);
    CellGrid grid;
    grid.origin = nodes.lattice.origin;
    grid.cells_per_metre = 1 / nodes.lattice.spacing;
    for (std::int64_t t = begin; t < end; ++t) {
      const LaneBox box = grid_box(grid, flow.mesh, t);
      const Vec3i low(ceil_of(box.min[0]), ceil_of(box.min[1]), ceil_of(box.min[2]));
      const Vec3i high(floor_of(box.max[0]), floor_of(box.max[1]), floor_of(box.max[2]));
      Vec3i node;
      for (node.z() = low.z(); node.z() <= high.z(); ++node.z()) {
        for (node.y() = low.y(); node.y() <= high.y(); ++node.y()) {
          for (node.x() = low.x(); node.x() <= high.x(); ++node.x()) {
            const std::int32_t block = finder.find(block_of_node(node));
            if (block < 0) continue;
            const Double4 weights = coordinates_in(flow.mesh, t, nodes.lattice.position(node));
            if (true_lanes4(weights >= splat4(kOnFace)) != 15) continue;
            std::atomic_ref lowest(tets[place_of(block, node)]);
            std::int32_t found = lowest.load(std::memory_order_relaxed);
            const auto tet = static_cast<std::int32_t>(t);
            while (tet < found &&
                   !lowest.compare_exchange_weak(found, tet, std::memory_order_relaxed)) {
            }
          }
        }
      }
    }
  });
}

// The blocks that have a point within `reach` metres, along any axis, of the boundary faces.

BlockSet blocks_around_boundary(const TetFlow& flow, const Lattice& lattice, double reach) {
  // Of nodes: also those of the cells that touch the reach.
  const double rim = reach / lattice.spacing + 1;
  constexpr std::int64_t kChunk = 1 << 16;
  std::vector<std::vector<std::uint64_t>> parts(
      static_cast<std::size_t>(chunk_count(flow.faces.count(), kChunk)));
  parallel_for_chunks(flow.faces.count(), kChunk, [&](std::int64_t begin, std::int64_t end) {
    BlockNumbers seen;
    Vec3i last_low = Vec3i::Zero();
    Vec3i last_high = -Vec3i::Ones();
    for (std::int64_t face = begin; face < end; ++face) {
      if (!flow.faces.is_boundary(face)) continue;
      const std::int32_t side = flow.faces.first_side(face);
      const auto& corners = kTetFaces[static_cast<std::size_t>(side & 3)];
      const Vec3 a = lattice.to_lattice(flow.mesh.corner(side >> 2, corners[0]));
      const Vec3 b = lattice.to_lattice(flow.mesh.corner(side >> 2, corners[1]));
      const Vec3 c = lattice.to_lattice(flow.mesh.corner(side >> 2, corners[2]));
      const Vec3i low = block_of_node(floor_of((a.cwiseMin(b).cwiseMin(c).array() - rim).matrix()));
      const Vec3i high =
          block_of_node(floor_of((a.cwiseMax(b).cwiseMax(c).array() + rim + 1).matrix()));
      if (low == last_low && high == last_high) continue;
      last_low = low;
      last_high = high;
      for (int z = low.z(); z <= high.z(); ++z) {
        for (int y = low.y(); y <= high.y(); ++y) {
          for (int x = low.x(); x <= high.x(); ++x) (void)seen.number(block_key({x, y, z}));
        }
      }
    }
    parts[static_cast<std::size_t>(begin / kChunk)] = std::move(seen.keys);
  });
  std::vector<std::uint64_t> all;
  for (const std::vector<std::uint64_t>& keys : parts) {
    all.insert(all.end(), keys.begin(), keys.end());
  }
  return BlockSet(std::move(all));
}

}  // namespace

LocatedNodes locate_nodes(const TetFlow& flow, const Lattice& lattice, double reach) {
  LocatedNodes nodes = {lattice, blocks_around_boundary(flow, lattice, reach), {}};
  find_tets(flow, nodes);
  return nodes;
}

GridNodes rasterise(const TetMesh& mesh, std::span<const Vec3> at_vertices,
                    const LocatedNodes& located) {
  GridNodes nodes = {located.lattice, located.blocks, {}, {}};
  nodes.values.resize(located.tets.size() + 1);
  nodes.values.back().setZero();
  nodes.known.assign(static_cast<std::size_t>(nodes.blocks.size()), BlockMask{});
  parallel_for_each(
      nodes.blocks.size(),
      [&](std::int64_t block) {
        const Vec3i first = nodes.blocks.first_node(block);
        BlockMask& known = nodes.known[static_cast<std::size_t>(block)];
        for (int k = 0; k < kBlockNodes; ++k) {
          const auto i = static_cast<std::size_t>(block * kBlockNodes + k);
          const std::int32_t t = located.tets[i];
          if (t == kNoTet) continue;
          const Vec3 place = nodes.lattice.position(Vec3i(first + node_offset(k)));
          const Double4 weights = coordinates_in(mesh, t, place);
          const Tet& tet = mesh.tets[static_cast<std::size_t>(t)];
          Vec3 sum = Vec3::Zero();
          for (int j = 0; j < 4; ++j) {
            const auto v = static_cast<std::size_t>(tet[static_cast<std::size_t>(j)]);
            sum += weights[j] * at_vertices[v];
          }
          nodes.values[i] = sum;
          known[static_cast<std::size_t>(k >> 6)] |= std::uint64_t{1} << (k & 63);
        }
      },
      16);
  return nodes;
}

void continue_from_boundary(const TetMesh& mesh, std::span<const Vec3> at_vertices,
                            std::span<const BoundaryVertex> boundary, double room,
                            GridNodes& nodes) {
  // A node of the cell that a vertex lies in.
  struct Use {
    std::uint64_t place;
    std::int32_t vertex;  // its number among those of the boundary
  };
  constexpr std::int64_t kChunk = 1 << 12;
  const std::int64_t count = std::ssize(boundary);
  std::vector<std::vector<Use>> parts(static_cast<std::size_t>(chunk_count(count, kChunk)));
  parallel_for_chunks(count, kChunk, [&](std::int64_t begin, std::int64_t end) {
    BlockFinder finder(nodes.blocks);
    std::vector<Use>& uses = parts[static_cast<std::size_t>(begin / kChunk)];
    for (std::int64_t i = begin; i < end; ++i) {
      const auto v = static_cast<std::size_t>(boundary[static_cast<std::size_t>(i)].vertex);
      const Vec3i cell = floor_of(nodes.lattice.to_lattice(mesh.vertices[v]));
      for (int k = 0; k < 8; ++k) {
        const Vec3i node = cell + Vec3i(k & 1, k >> 1 & 1, k >> 2);
        const std::int32_t block = finder.find(block_of_node(node));
        if (block < 0) continue;
        const std::size_t place = place_of(block, node);
        if (has_node(nodes.known[static_cast<std::size_t>(block)], node_in_block(node))) continue;
        uses.push_back({place, static_cast<std::int32_t>(i)});
      }
    }
  });
  std::vector<Use> uses;
  for (const std::vector<Use>& part : parts) uses.insert(uses.end(), part.begin(), part.end());
  Buffer<std::uint64_t> keys(uses.size());
  for (std::size_t i = 0; i < uses.size(); ++i) keys[i] = uses[i].place;
  const Buffer<std::int32_t> order = key_order(keys);
  const auto place_at = [&](std::int64_t i) {
    return uses[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])].place;
  };

  // Each chunk has the nodes whose first use is in it.
  const std::int64_t total = std::ssize(order);
  parallel_for_chunks(total, kChunk, [&](std::int64_t begin, std::int64_t end) {
    std::int64_t i = begin;
    while (i > 0 && i < end && place_at(i) == place_at(i - 1)) ++i;
    while (i < end) {
      const std::uint64_t place = place_at(i);
      const auto block = static_cast<std::int64_t>(place / kBlockNodes);
      const auto k = static_cast<int>(place % kBlockNodes);
      const Vec3i node = nodes.blocks.first_node(block) + node_offset(k);
      const Vec3 position = nodes.lattice.position(node);
      Vec3 sum = Vec3::Zero();
      double weights = 0;
      for (; i < total && place_at(i) == place; ++i) {
        const auto b = static_cast<std::size_t>(
            uses[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])].vertex);
        const BoundaryVertex& from = boundary[b];
        const Vec3 way = position - mesh.vertices[static_cast<std::size_t>(from.vertex)];
        // Falls off to next to nothing a cell away.
        const double weight = (1.001 - way.array().abs() / nodes.lattice.spacing).max(0.001).prod();
        const Vec3 more = room * (from.most - from.least);
        const Vec3 beyond = at_vertices[static_cast<std::size_t>(from.vertex)] + from.slope * way;
        sum += weight * beyond.cwiseMax(from.least - more).cwiseMin(from.most + more);
        weights += weight;
      }
      nodes.values[static_cast<std::size_t>(place)] = sum / weights;
    }
  });
  for (const Use& use : uses) {
    const auto block = static_cast<std::size_t>(use.place / kBlockNodes);
    const auto k = static_cast<std::size_t>(use.place % kBlockNodes);
    nodes.known[block][k >> 6] |= std::uint64_t{1} << (k & 63);
  }
}

}  // namespace spindrift
