#include "spindrift/flow/grid_raster.hpp"

#include <atomic>
#include <cmath>

#include "spindrift/core/parallel.hpp"
#include "spindrift/flow/block_finder.hpp"
#include "spindrift/flow/tet_weights.hpp"
#include "spindrift/levelset/block_numbers.hpp"
#include "spindrift/mesh/tet_bins.hpp"

namespace spindrift {
namespace {

// Of barycentric coordinates: nodes on a face between two tetrahedra are in one of them.
constexpr double kOnFace = -1e-9;

// Of boxes that touch a node but for rounding.
constexpr double kRounding = 1e-9;

int floor_of(double x) { return static_cast<int>(std::floor(x + kRounding)); }
int ceil_of(double x) { return static_cast<int>(std::ceil(x - kRounding)); }

Vec3i floor_of(const Vec3& p) { return p.array().floor().cast<int>(); }

// Calls visit(node) for the nodes in the box of a tetrahedron.
template <class Visit>
void for_each_node_in(const LaneBox& box, const Visit& visit) {
  const Vec3i low(ceil_of(box.min[0]), ceil_of(box.min[1]), ceil_of(box.min[2]));
  const Vec3i high(floor_of(box.max[0]), floor_of(box.max[1]), floor_of(box.max[2]));
  Vec3i node;
  for (node.z() = low.z(); node.z() <= high.z(); ++node.z()) {
    for (node.y() = low.y(); node.y() <= high.y(); ++node.y()) {
      for (node.x() = low.x(); node.x() <= high.x(); ++node.x()) visit(node);
    }
  }
}

// From any thread.
void lower(std::int32_t& least, std::int32_t value) {
  std::atomic_ref place(least);
  std::int32_t found = place.load(std::memory_order_relaxed);
  while (value < found && !place.compare_exchange_weak(found, value, std::memory_order_relaxed)) {
  }
}

// Sets nodes.tets.
void find_tets(const TetMesh& mesh, LocatedNodes& nodes) {
  nodes.tets.resize(static_cast<std::size_t>(nodes.blocks.size()) * kBlockNodes);
  parallel_for_each(
      std::ssize(nodes.tets),
      [&](std::int64_t i) { nodes.tets[static_cast<std::size_t>(i)] = kNoTet; }, 1 << 14);
  CellGrid grid;
  grid.origin = nodes.lattice.origin;
  grid.cells_per_metre = 1 / nodes.lattice.spacing;
  parallel_for_chunks(mesh.tet_count(), 1024, [&](std::int64_t begin, std::int64_t end) {
    BlockFinder finder(nodes.blocks);
    for (std::int64_t t = begin; t < end; ++t) {
      for_each_node_in(grid_box(grid, mesh, t), [&](const Vec3i& node) {
        const std::int32_t block = finder.find(block_of_node(node));
        if (block < 0) return;
        const Double4 weights = tet_weights(mesh, t, nodes.lattice.position(node));
        if (true_lanes4(weights >= splat4(kOnFace)) != 15) return;
        lower(nodes.tets[place_of(block, node)], static_cast<std::int32_t>(t));
      });
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
  find_tets(flow.mesh, nodes);
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
          const Double4 weights = tet_weights(mesh, t, place);
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

}  // namespace spindrift
