#include "spindrift/flow/grid_raster.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>

#include "spindrift/core/error.hpp"
#include "spindrift/core/parallel_copy.hpp"
#include "spindrift/flow/node_sets.hpp"
#include "spindrift/flow/operators.hpp"
#include "spindrift/flow/tet_weights.hpp"
#include "spindrift/levelset/block_finder.hpp"
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

// Finds the tetrahedra of nodes at vertices: most nodes are. Returns which vertices are at one.
Buffer<char> find_at_vertices(const TetMesh& mesh, const VertexRings& rings, LocatedNodes& nodes) {
  Buffer<char> is_at_node(mesh.vertices.size());
  parallel_for_chunks(mesh.vertex_count(), 1024, [&](std::int64_t begin, std::int64_t end) {
    BlockFinder finder(nodes.blocks);
    for (std::int64_t vertex = begin; vertex < end; ++vertex) {
      const auto v = static_cast<std::size_t>(vertex);
      const Vec3 place = nodes.lattice.to_lattice(mesh.vertices[v]);
      const Vec3 nearest = place.array().round();
      is_at_node[v] = ((place - nearest).array().abs() < kRounding).all() ? 1 : 0;
      const std::span<const std::int32_t> ring = rings.of(vertex);
      if (is_at_node[v] == 0 || ring.empty()) continue;
      const Vec3i node = nearest.cast<int>();
      const std::int32_t block = finder.find(block_of_node(node));
      if (block >= 0) lower(nodes.tets[place_of(block, node)], ring.front() >> 2);
    }
  });
  return is_at_node;
}

// Finest tetrahedra of the lattice whose nodes are all at their vertices.
class AllAtVertices {
 public:
  AllAtVertices(const TetMesh& mesh, std::span<const char> is_at_node)
      : mesh_(mesh), is_at_node_(is_at_node) {
    const LatticeShapes& shapes = LatticeShapes::instance();
    for (int number = 0; number < shapes.count(); ++number) {
      unsigned corners = 0;
      for (unsigned k = 0; k < 4; ++k) {
        const Vec3i& corner = shapes.shape(number).corners[k];
        const bool is_of_leaf = ((corner.x() | corner.y() | corner.z()) & 1) == 0;
        corners |= unsigned{is_of_leaf} << k;
      }
      leaf_corners_.push_back(corners);
    }
  }

  [[nodiscard]] bool operator()(std::int64_t tet) const {
    const auto t = static_cast<std::size_t>(tet);
    if (mesh_.shapes.empty() || !mesh_.shapes[t].is_standard() || mesh_.shapes[t].level() != 0) {
      return false;
    }
    unsigned corners = leaf_corners_[static_cast<std::size_t>(mesh_.shapes[t].shape())];
    for (; corners != 0; corners &= corners - 1) {
      const auto k = static_cast<std::size_t>(std::countr_zero(corners));
      if (is_at_node_[static_cast<std::size_t>(mesh_.tets[t][k])] == 0) return false;
    }
    return true;
  }

 private:
  const TetMesh& mesh_;
  std::span<const char> is_at_node_;
  std::vector<unsigned> leaf_corners_;  // of each shape, a bit for each corner
};

// Sets nodes.tets.
void find_tets(const TetMesh& mesh, const VertexRings& rings, LocatedNodes& nodes) {
  nodes.tets = filled_buffer(static_cast<std::size_t>(nodes.blocks.size()) * kBlockNodes, kNoTet);
  const Buffer<char> is_at_node = find_at_vertices(mesh, rings, nodes);
  const AllAtVertices all_at_vertices(mesh, is_at_node);
  CellGrid grid;
  grid.origin = nodes.lattice.origin;
  grid.cells_per_metre = 1 / nodes.lattice.spacing;
  parallel_for_chunks(mesh.tet_count(), 1024, [&](std::int64_t begin, std::int64_t end) {
    BlockFinder finder(nodes.blocks);
    for (std::int64_t t = begin; t < end; ++t) {
      if (all_at_vertices(t)) continue;
      for_each_node_in(grid_box(grid, mesh, t), [&](const Vec3i& node) {
        const std::int32_t block = finder.find(block_of_node(node));
        if (block < 0) return;
        // Barycentric coordinates, but for the division by their sum.
        const Double4 shares = face_volumes(mesh, t, nodes.lattice.position(node)).values;
        const double sum = shares[0] + shares[1] + shares[2] + shares[3];
        if (!(sum > 0) || true_lanes4(shares >= splat4(kOnFace * sum)) != 15) return;
        lower(nodes.tets[place_of(block, node)], static_cast<std::int32_t>(t));
      });
    }
  });
}

// The blocks that have a point within reach of a boundary face.
BlockSet blocks_around_boundary(const TetFlow& flow, const Lattice& lattice,
                                const GridReach& reach) {
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
      // Of nodes: also those of the cells that touch the reach.
      const double rim = reach.of_tet_face(flow.mesh, side) / lattice.spacing + 1;
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

double GridReach::of_tet_face(const TetMesh& mesh, std::int32_t side) const {
  double squared = 0;
  if (!velocities.empty()) {
    const Tet& tet = mesh.tets[static_cast<std::size_t>(side >> 2)];
    for (const auto corner : kTetFaces[static_cast<std::size_t>(side & 3)]) {
      const auto v = static_cast<std::size_t>(tet[static_cast<std::size_t>(corner)]);
      squared = std::max(squared, velocities[v].squaredNorm());
    }
  }
  return std::min(std::abs(dt) * std::sqrt(squared) + margin, most);
}

double GridReach::greatest() const {
  return std::min(std::abs(dt) * greatest_speed(velocities) + margin, most);
}

LocatedNodes locate_nodes(const TetFlow& flow, const VertexRings& rings, const Lattice& lattice,
                          const GridReach& reach) {
  const double greatest = reach.greatest();
  SPINDRIFT_ASSERT(greatest >= 0 && std::isfinite(greatest));
  LocatedNodes nodes = {lattice,
                        static_cast<int>(std::ceil(greatest / lattice.spacing)),
                        blocks_around_boundary(flow, lattice, reach),
                        {}};
  find_tets(flow.mesh, rings, nodes);
  return nodes;
}

LocatedNodes locate_nodes(const TetMesh& mesh, const VertexRings& rings, const Lattice& lattice,
                          BlockSet blocks) {
  LocatedNodes nodes = {lattice, 0, std::move(blocks), {}};
  find_tets(mesh, rings, nodes);
  return nodes;
}

std::vector<GridNodes> rasterise(const TetMesh& mesh, std::span<const std::span<const Vec3>> fields,
                                 const LocatedNodes& located) {
  std::vector<GridNodes> grids(fields.size());
  for (GridNodes& nodes : grids) {
    nodes.lattice = located.lattice;
    nodes.blocks = located.blocks;
    nodes.values.resize(located.tets.size() + 1);
    nodes.values.back().setZero();
    nodes.known.resize(static_cast<std::size_t>(nodes.blocks.size()));
  }
  parallel_for_each(
      located.blocks.size(),
      [&](std::int64_t block) {
        const Vec3i first = located.blocks.first_node(block);
        BlockMask known{};
        for (int k = 0; k < kBlockNodes; ++k) {
          const auto i = static_cast<std::size_t>(block * kBlockNodes + k);
          const std::int32_t t = located.tets[i];
          if (t == kNoTet) continue;
          const Vec3 place = located.lattice.position(Vec3i(first + node_offset(k)));
          const Double4 weights = tet_weights(mesh, t, place);
          for (std::size_t f = 0; f < fields.size(); ++f) {
            grids[f].values[i] = weighted_sum(mesh, t, weights, fields[f]);
          }
          known[static_cast<std::size_t>(k >> 6)] |= std::uint64_t{1} << (k & 63);
        }
        for (GridNodes& nodes : grids) nodes.known[static_cast<std::size_t>(block)] = known;
      },
      16);
  return grids;
}

Buffer<std::int32_t> corners_of_nodes(const TetMesh& mesh, const LocatedNodes& located,
                                      std::span<const BlockMask> which) {
  Buffer<std::int32_t> corners(located.tets.size());
  const double reach = kRounding * located.lattice.spacing;
  parallel_for_each(
      located.blocks.size(),
      [&](std::int64_t block) {
        const Vec3i first = located.blocks.first_node(block);
        for_each_node(which[static_cast<std::size_t>(block)], [&](int k) {
          const auto i = static_cast<std::size_t>(block * kBlockNodes + k);
          const Vec3 place = located.lattice.position(Vec3i(first + node_offset(k)));
          corners[i] = corner_at(mesh, located.tets[i], place, reach);
        });
      },
      16);
  return corners;
}

std::vector<BlockMask> nodes_in_mesh(const LocatedNodes& located) {
  std::vector<BlockMask> masks(static_cast<std::size_t>(located.blocks.size()));
  parallel_for_each(
      located.blocks.size(),
      [&](std::int64_t block) {
        const std::int32_t* const tets = located.tets.data() + block * kBlockNodes;
        BlockMask& mask = masks[static_cast<std::size_t>(block)];
        for (int k = 0; k < kBlockNodes; ++k) {
          mask[static_cast<std::size_t>(k >> 6)] |= std::uint64_t{tets[k] != kNoTet} << (k & 63);
        }
      },
      64);
  return masks;
}

void rasterise(const TetMesh& mesh, std::span<const Vec3> field, const LocatedNodes& located,
               std::span<const BlockMask> which, std::span<const std::int32_t> corners,
               Buffer<Vec3>& values) {
  parallel_for_each(
      located.blocks.size(),
      [&](std::int64_t block) {
        const Vec3i first = located.blocks.first_node(block);
        for_each_node(which[static_cast<std::size_t>(block)], [&](int k) {
          const auto i = static_cast<std::size_t>(block * kBlockNodes + k);
          if (corners[i] >= 0) {
            values[i] = field[static_cast<std::size_t>(corners[i])];
            return;
          }
          const Vec3 place = located.lattice.position(Vec3i(first + node_offset(k)));
          const std::int32_t t = located.tets[i];
          values[i] = weighted_sum(mesh, t, tet_weights(mesh, t, place), field);
        });
      },
      16);
}

}  // namespace spindrift
