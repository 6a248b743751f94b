#include "spindrift/flow/present_velocity.hpp"

#include <atomic>
#include <cmath>
#include <limits>

#include "spindrift/core/parallel_copy.hpp"
#include "spindrift/flow/grid_layers.hpp"
#include "spindrift/flow/tet_weights.hpp"
#include "spindrift/levelset/block_finder.hpp"

namespace spindrift {
namespace {

constexpr std::int64_t kPointsAtOnce = 1 << 12;

// From any thread.
void add_node(BlockMask& mask, int node) {
  const std::atomic_ref place(mask[static_cast<std::size_t>(node >> 6)]);
  const std::uint64_t bit = std::uint64_t{1} << (node & 63);
  if ((place.load(std::memory_order_relaxed) & bit) == 0) {
    place.fetch_or(bit, std::memory_order_relaxed);
  }
}

NodeSet both(NodeSet a, const NodeSet& b) {
  for_each_word(a, b, [](std::uint64_t& x, std::uint64_t y) { x &= y; });
  return a;
}

void add(const NodeSet& more, NodeSet& to) {
  for_each_word(to, more, [](std::uint64_t& x, std::uint64_t y) { x |= y; });
}

void remove(const NodeSet& some, NodeSet& from) {
  for_each_word(from, some, [](std::uint64_t& x, std::uint64_t y) { x &= ~y; });
}

// From any thread.
void want(std::int32_t vertex, std::span<std::uint8_t> wanted) {
  std::atomic_ref(wanted[static_cast<std::size_t>(vertex)]).store(1, std::memory_order_relaxed);
}
void want_corners(const TetMesh& mesh, std::int32_t tet, std::span<std::uint8_t> wanted) {
  for (const std::int32_t v : mesh.tets[static_cast<std::size_t>(tet)]) want(v, wanted);
}

bool is_within(const NodeSet& some, const NodeSet& all) {
  std::uint64_t missing = 0;
  for (std::size_t b = 0; b < some.size(); ++b) {
    for (std::size_t z = 0; z < some[b].size(); ++z) missing |= some[b][z] & ~all[b][z];
  }
  return missing == 0;
}

}  // namespace

PresentVelocity::PresentVelocity(const MeshVelocity& other, std::span<const Vec3> cell_velocity,
                                 const SolidMotion& solids)
    : places_(other.places()),
      nodes_(places_.grid->nodes),
      flow_{other.flow().mesh, other.flow().faces, other.flow().cells, cell_velocity, {}},
      solids_(solids),
      at_vertices_(flow_, places_.rings, places_.weights, other.at_vertices()) {}

const Vec3& PresentVelocity::far_velocity() {
  if (!far_) far_ = mean_velocity(flow_);
  return *far_;
}

void PresentVelocity::evaluate(std::span<const Vec3> points, std::span<Vec3> velocities) {
  const VelocityGrid grid = grid_at(cells_of(points));
  std::vector<std::vector<std::size_t>> parts(
      static_cast<std::size_t>(chunk_count(std::ssize(points), kPointsAtOnce)));
  parallel_for_chunks(std::ssize(points), kPointsAtOnce, [&](std::int64_t begin, std::int64_t end) {
    const auto first = static_cast<std::size_t>(begin);
    const auto count = static_cast<std::size_t>(end - begin);
    grid.evaluate(points.subspan(first, count), velocities.subspan(first, count));
    for (std::size_t i = first; i < first + count; ++i) {
      if (std::isnan(velocities[i].x())) {
        parts[static_cast<std::size_t>(begin / kPointsAtOnce)].push_back(i);
      }
    }
  });
  std::vector<std::size_t> missing;
  std::vector<Vec3> places;
  for (const std::vector<std::size_t>& part : parts) {
    missing.insert(missing.end(), part.begin(), part.end());
    for (const std::size_t i : part) places.push_back(points[i]);
  }
  std::vector<Vec3> found(places.size());
  evaluate_in_mesh(places, found);
  for (std::size_t i = 0; i < missing.size(); ++i) velocities[missing[i]] = found[i];
}

void PresentVelocity::evaluate_at_nodes(const Lattice& lattice, const BlockSet& blocks,
                                        const NodeSet& nodes, std::span<Vec3f> values) {
  // Block by block, those that the grid knows; the others lie deeper inside, most of them.
  const auto count = static_cast<std::size_t>(blocks.size());
  const auto position = [&](std::int64_t block, int k) {
    return lattice.position(Vec3i(blocks.first_node(block) + node_offset(k)));
  };
  std::vector<std::size_t> starts(count + 1, 0);
  for (std::size_t b = 0; b < count; ++b) starts[b + 1] = starts[b] + count_nodes(nodes[b]);
  Buffer<Vec3> points(starts.back());
  parallel_for_each(
      blocks.size(),
      [&](std::int64_t block) {
        std::size_t i = starts[static_cast<std::size_t>(block)];
        for_each_node(nodes[static_cast<std::size_t>(block)],
                      [&](int k) { points[i++] = position(block, k); });
      },
      16);
  const VelocityGrid grid = grid_at(cells_of(points));
  NodeSet missing(count);
  parallel_for_each(
      blocks.size(),
      [&](std::int64_t block) {
        const auto b = static_cast<std::size_t>(block);
        const std::size_t size = starts[b + 1] - starts[b];
        const std::span own = std::span(points).subspan(starts[b], size);
        std::vector<Vec3> found(size);
        grid.evaluate(own, found);
        std::size_t i = 0;
        for_each_node(nodes[b], [&](int k) {
          values[b * kBlockNodes + static_cast<std::size_t>(k)] = found[i].cast<float>();
          if (std::isnan(found[i].x())) add_node(missing[b], k);
          ++i;
        });
      },
      16);
  std::vector<std::uint64_t> keys;
  for (std::size_t b = 0; b < count; ++b) {
    if (has_any(missing[b])) keys.push_back(blocks.keys()[b]);
  }
  if (keys.empty()) return;
  const LocatedNodes deep =
      locate_nodes(flow_.mesh, places_.rings, lattice, BlockSet(std::move(keys)));
  NodeSet inside = nodes_in_mesh(deep);
  std::vector<std::int32_t> block_there(static_cast<std::size_t>(deep.blocks.size()));
  for (std::size_t d = 0; d < block_there.size(); ++d) {
    block_there[d] = blocks.find(deep.blocks.coordinate(static_cast<std::int64_t>(d)));
    const BlockMask& wanted = missing[static_cast<std::size_t>(block_there[d])];
    for (std::size_t z = 0; z < wanted.size(); ++z) inside[d][z] &= wanted[z];
  }
  const Buffer<std::int32_t> corners = add_vertices_at(deep, inside);
  const Vec3 far = far_velocity();
  Buffer<Vec3> in_mesh(deep.tets.size());
  rasterise(flow_.mesh, at_vertices_.velocities().values, deep, inside, corners, in_mesh);
  parallel_for_each(
      deep.blocks.size(),
      [&](std::int64_t d) {
        const auto b = static_cast<std::size_t>(block_there[static_cast<std::size_t>(d)]);
        for_each_node(missing[b], [&](int k) {
          const bool is_inside = has_node(inside[static_cast<std::size_t>(d)], k);
          const Vec3& u = is_inside ? in_mesh[static_cast<std::size_t>(d * kBlockNodes + k)] : far;
          values[b * kBlockNodes + static_cast<std::size_t>(k)] = u.cast<float>();
        });
      },
      16);
}

// Those that points lie in, by their first corners.
NodeSet PresentVelocity::cells_of(std::span<const Vec3> points) const {
  const BlockSet& blocks = nodes_.blocks;
  NodeSet cells(static_cast<std::size_t>(blocks.size()));
  parallel_for_chunks(std::ssize(points), kPointsAtOnce, [&](std::int64_t begin, std::int64_t end) {
    BlockFinder finder(blocks);
    Vec3i last = Vec3i::Constant(std::numeric_limits<int>::max());
    for (std::int64_t i = begin; i < end; ++i) {
      Vec3i cell;
      if (!find_cell(nodes_.lattice, points[static_cast<std::size_t>(i)], cell)) continue;
      if (cell == last) continue;
      last = cell;
      const std::int32_t block = finder.find(block_of_node(cell));
      if (block >= 0) add_node(cells[static_cast<std::size_t>(block)], node_in_block(cell));
    }
  });
  return cells;
}

VelocityGrid PresentVelocity::grid_at(const NodeSet& cells) {
  const std::vector<BlockSet::Neighborhood> around = neighborhoods(nodes_.blocks);
  NodeSet wanted = corners_of_cells(cells, around);
  const NodeSet in_mesh = nodes_in_mesh(nodes_);
  NodeSet known = in_mesh;
  const BoundaryNodes& boundary = places_.grid->boundary;
  boundary.add_to(known);
  // As many layers as it takes to reach all that are wanted, as in add_layers().
  std::vector<NodeSet> layers;
  while (std::ssize(layers) < nodes_.layers && !is_within(wanted, known)) {
    layers.push_back(grown(known, around));
    remove(known, layers.back());
    add(layers.back(), known);
  }
  NodeSet unknown = wanted;
  remove(known, unknown);
  wanted = both(std::move(wanted), known);
  // What these are made from, and what that is made from.
  NodeSet needed = wanted;
  for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
    remove(*layer, known);
    *layer = both(std::move(*layer), needed);
    add(both(grown(*layer, around), known), needed);
  }
  const NodeSet inside = both(needed, in_mesh);
  const NodeSet raw = both(grown(inside, around), in_mesh);
  const Buffer<std::int32_t> corners = add_vertices_at(nodes_, raw);

  const VertexVelocity& at_vertices = at_vertices_.velocities();
  Buffer<Vec3> fitted(at_vertices.values.size());
  parallel_copy(at_vertices.values, fitted);
  parallel_for_each(std::ssize(at_vertices.boundary), [&](std::int64_t i) {
    const BoundaryVertex& at = at_vertices.boundary[static_cast<std::size_t>(i)];
    fitted[static_cast<std::size_t>(at.vertex)] = at.fitted;
  });
  GridNodes nodes;
  nodes.lattice = nodes_.lattice;
  nodes.blocks = nodes_.blocks;
  nodes.known = in_mesh;
  nodes.values.resize(nodes_.tets.size() + 1);
  nodes.values.back().setZero();
  rasterise(flow_.mesh, fitted, nodes_, raw, corners, nodes.values);
  sharpen(inside, around, nodes);
  boundary.continue_to(at_vertices.boundary, fitted, kSharpRoom, nodes, needed.data());
  GridNodes* const twin = &nodes;
  for (const NodeSet& layer : layers) {
    set_to_means(layer, around, {&twin, 1});
    add(layer, nodes.known);
  }
  for (std::size_t b = 0; b < unknown.size(); ++b) {
    for_each_node(unknown[b], [&](int k) {
      nodes.values[b * kBlockNodes + static_cast<std::size_t>(k)].setConstant(
          std::numeric_limits<double>::quiet_NaN());
    });
  }
  nodes.known = std::move(wanted);
  if (solids_.distance != nullptr) (void)keep_out_of_solids(solids_, {&twin, 1});
  return VelocityGrid(std::move(nodes));
}

// Those of the tetrahedra that nodes are in.
Buffer<std::int32_t> PresentVelocity::add_vertices_at(const LocatedNodes& located,
                                                      const NodeSet& nodes) {
  Buffer<std::int32_t> corners = corners_of_nodes(flow_.mesh, located, nodes);
  Buffer<std::uint8_t> wanted = filled_buffer(flow_.mesh.vertices.size(), std::uint8_t{0});
  parallel_for_each(
      std::ssize(nodes),
      [&](std::int64_t block) {
        for_each_node(nodes[static_cast<std::size_t>(block)], [&](int k) {
          const auto i = static_cast<std::size_t>(block * kBlockNodes + k);
          if (corners[i] >= 0) {
            want(corners[i], wanted);
          } else {
            want_corners(flow_.mesh, located.tets[i], wanted);
          }
        });
      },
      64);
  at_vertices_.add(wanted);
  return corners;
}

// Too deep inside for the grid, or too far outside.
void PresentVelocity::evaluate_in_mesh(std::span<const Vec3> points, std::span<Vec3> velocities) {
  if (points.empty()) return;
  const Vec3 far = far_velocity();
  std::vector<std::int32_t> tets(points.size());
  places_.locator.find(points, tets);
  Buffer<std::uint8_t> wanted = filled_buffer(flow_.mesh.vertices.size(), std::uint8_t{0});
  for (const std::int32_t tet : tets) {
    if (tet >= 0) want_corners(flow_.mesh, tet, wanted);
  }
  at_vertices_.add(wanted);
  parallel_for_each(std::ssize(points), [&](std::int64_t i) {
    const auto k = static_cast<std::size_t>(i);
    velocities[k] =
        tets[k] < 0 ? far
                    : weighted_sum(flow_.mesh, tets[k], tet_weights(flow_.mesh, tets[k], points[k]),
                                   at_vertices_.velocities().values);
  });
}

}  // namespace spindrift
