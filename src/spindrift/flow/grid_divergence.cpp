#include "spindrift/flow/grid_divergence.hpp"

#include <array>

#include "spindrift/core/parallel.hpp"
#include "spindrift/flow/block_finder.hpp"

namespace spindrift {
namespace {

// In a round.
constexpr int kSweeps = 10;

// Of each equation's step; up to 2 it converges.
constexpr double kRelaxation = 1.5;

// How much less nodes change than those next to them that are farther from the mesh, or less deep
// in it. The mesh knows best; but if the nodes of a cell differed much in this, the free ones would
// have to make up for all noise in the others, and surfaces would get rough.
constexpr double kGivesWay = 0.5;
constexpr int kMostLayers = 3;  // on either side of the boundary

constexpr std::int32_t kNoSolid = -1;

// A cube of eight nodes.
struct Cell {
  std::array<std::int32_t, 8> places;
  float flux;    // that it should have, as the sum over corners below
  float weight;  // 1 / the squared length of its equation's row
};

// Where the corners of a cube lie, from its middle. The sum of velocities along these is four times
// the divergence times the length of an edge.
Vec3 corner_sign(int corner) {
  return {(corner & 1) != 0 ? 1.0 : -1.0, (corner & 2) != 0 ? 1.0 : -1.0,
          (corner & 4) != 0 ? 1.0 : -1.0};
}

// Nodes of a grid, and the six beside them.
class NodeGraph {
 public:
  explicit NodeGraph(const GridNodes& nodes) : nodes_(nodes), finder_(nodes.blocks) {}

  [[nodiscard]] std::size_t size() const {
    return static_cast<std::size_t>(nodes_.blocks.size()) * kBlockNodes;
  }
  [[nodiscard]] bool is_known(std::size_t place) const {
    return has_node(nodes_.known[place / kBlockNodes], static_cast<int>(place % kBlockNodes));
  }
  // -1: not known.
  std::int64_t beside(std::size_t place, int side) {
    Vec3i node = nodes_.blocks.first_node(static_cast<std::int64_t>(place / kBlockNodes)) +
                 node_offset(static_cast<int>(place % kBlockNodes));
    node[side / 2] += side % 2 == 0 ? -1 : 1;
    const std::int32_t block = finder_.find(block_of_node(node));
    if (block < 0) return -1;
    const std::size_t next = place_of(block, node);
    return is_known(next) ? static_cast<std::int64_t>(next) : -1;
  }

 private:
  const GridNodes& nodes_;
  BlockFinder finder_;
};

enum class NodeKind : std::uint8_t { unknown, mesh, solid, air };

std::vector<NodeKind> node_kinds(const NodeHolds& holds, const GridNodes& nodes) {
  const NodeGraph graph(nodes);
  std::vector<NodeKind> kinds(graph.size());
  parallel_for_each(std::ssize(kinds), [&](std::int64_t i) {
    const auto place = static_cast<std::size_t>(i);
    kinds[place] = !graph.is_known(place)        ? NodeKind::unknown
                   : holds.tets[place] == kNoTet ? NodeKind::air
                                                 : NodeKind::mesh;
  });
  for (const SolidNode& node : holds.solids) {
    NodeKind& kind = kinds[static_cast<std::size_t>(node.place)];
    if (kind == NodeKind::air) kind = NodeKind::solid;
  }
  // The mesh says how much goes there; it must not be cheaper to change that than the surface.
  for (const std::int64_t place : holds.outlets) {
    NodeKind& kind = kinds[static_cast<std::size_t>(place)];
    if (kind == NodeKind::air) kind = NodeKind::mesh;
  }
  return kinds;
}

// The nodes in air that liquid may press together: pockets of it that have no way out of the grid,
// and what is in outlets.
std::vector<char> sealed_nodes(const NodeHolds& holds, const std::vector<NodeKind>& kinds,
                               NodeGraph& graph) {
  std::vector<char> is_sealed(kinds.size(), 0);
  std::vector<std::size_t> open;  // the rim of the grid, and what is connected to it
  for (std::size_t place = 0; place < kinds.size(); ++place) {
    if (kinds[place] != NodeKind::air) continue;
    bool is_rim = false;
    for (int side = 0; side < 6 && !is_rim; ++side) is_rim = graph.beside(place, side) < 0;
    if (is_rim) open.push_back(place);
    is_sealed[place] = is_rim ? 0 : 1;
  }
  while (!open.empty()) {
    const std::size_t place = open.back();
    open.pop_back();
    for (int side = 0; side < 6; ++side) {
      const std::int64_t next = graph.beside(place, side);
      if (next < 0 || is_sealed[static_cast<std::size_t>(next)] == 0) continue;
      is_sealed[static_cast<std::size_t>(next)] = 0;
      open.push_back(static_cast<std::size_t>(next));
    }
  }
  for (const std::int64_t place : holds.outlets) is_sealed[static_cast<std::size_t>(place)] = 1;
  return is_sealed;
}

// How far nodes give way, by how deep they are in the mesh or how far from it.
Buffer<float> giving_way(const std::vector<NodeKind>& kinds, NodeGraph& graph) {
  Buffer<float> gives_way(kinds.size(), 0.0F);
  // Layer by layer, from the nodes of one kind into those of the other.
  const auto add_layers = [&](NodeKind from, NodeKind into, double factor) {
    std::vector<std::size_t> layer;
    for (std::size_t place = 0; place < kinds.size(); ++place) {
      if (kinds[place] == from) layer.push_back(place);
    }
    double share = factor < 1 ? factor : 1;
    for (int depth = 0; depth < kMostLayers; ++depth, share *= factor) {
      std::vector<std::size_t> next_layer;
      for (const std::size_t place : layer) {
        for (int side = 0; side < 6; ++side) {
          const std::int64_t next = graph.beside(place, side);
          if (next < 0) continue;
          const auto n = static_cast<std::size_t>(next);
          if (kinds[n] != into || gives_way[n] != 0) continue;
          gives_way[n] = static_cast<float>(share);
          next_layer.push_back(n);
        }
      }
      layer = std::move(next_layer);
    }
    for (std::size_t place = 0; place < kinds.size(); ++place) {
      if (kinds[place] == into && gives_way[place] == 0) {
        gives_way[place] = static_cast<float>(share);
      }
    }
  };
  add_layers(NodeKind::air, NodeKind::mesh, kGivesWay);
  add_layers(NodeKind::mesh, NodeKind::air, 1 / kGivesWay);
  for (std::size_t place = 0; place < kinds.size(); ++place) {
    if (kinds[place] == NodeKind::solid) gives_way[place] = 1;
  }
  return gives_way;
}

class Relaxation {
 public:
  Relaxation(const NodeHolds& holds, GridNodes& nodes) : holds_(holds), nodes_(nodes) {
    kinds_ = node_kinds(holds, nodes);
    NodeGraph graph(nodes);
    is_sealed_ = sealed_nodes(holds, kinds_, graph);
    gives_way_ = giving_way(kinds_, graph);
    solid_of_.assign(kinds_.size(), kNoSolid);
    for (std::size_t i = 0; i < holds.solids.size(); ++i) {
      solid_of_[static_cast<std::size_t>(holds.solids[i].place)] = static_cast<std::int32_t>(i);
    }
    find_cells();
  }

  // Some sweeps, of whose changes only the smooth part is kept.
  void run() {
    const Buffer<Vec3> before(nodes_.values.begin(), nodes_.values.end());
    for (int i = 0; i < kSweeps; ++i) sweep();
    Buffer<Vec3> changes(before.size());
    parallel_for_each(std::ssize(solid_of_), [&](std::int64_t i) {
      const auto place = static_cast<std::size_t>(i);
      changes[place] = nodes_.values[place] - before[place];
    });
    for (int axis = 0; axis < 3; ++axis) smooth(axis, changes);
    parallel_for_each(std::ssize(solid_of_), [&](std::int64_t i) {
      const auto place = static_cast<std::size_t>(i);
      if (kinds_[place] == NodeKind::unknown) return;
      Vec3 change = changes[place];
      if (solid_of_[place] != kNoSolid) {
        const Vec3& n = holds_.solids[static_cast<std::size_t>(solid_of_[place])].normal;
        change -= n.dot(change) * n;
      }
      nodes_.values[place] = before[place] + change;
    });
  }

 private:
  // The mean of nodes and the two beside them along an axis, by weights of 1, 2 and 1.
  void smooth(int axis, Buffer<Vec3>& changes) const {
    Buffer<Vec3> result(changes.size());
    parallel_for_each(
        nodes_.blocks.size(),
        [&](std::int64_t block) {
          NodeGraph graph(nodes_);
          for (int k = 0; k < kBlockNodes; ++k) {
            const auto place = static_cast<std::size_t>(block * kBlockNodes + k);
            if (kinds_[place] == NodeKind::unknown) continue;
            Vec3 sum = 2 * changes[place];
            double weights = 2;
            for (int side = 2 * axis; side < 2 * axis + 2; ++side) {
              const std::int64_t next = graph.beside(place, side);
              if (next < 0) continue;
              const auto n = static_cast<std::size_t>(next);
              // What is in a solid has no say outside of it: pools at rest would start to move.
              if (kinds_[n] == NodeKind::solid && kinds_[place] != NodeKind::solid) continue;
              sum += changes[n];
              weights += 1;
            }
            result[place] = sum / weights;
          }
        },
        4);
    changes = std::move(result);
  }

  void sweep() {
    for (const Buffer<Cell>& cells : colors_) {
      parallel_for_chunks(std::ssize(cells), 512, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) relax(cells[static_cast<std::size_t>(i)]);
      });
    }
  }

  // What is left of a change.
  [[nodiscard]] Vec3 allowed(std::int32_t place, const Vec3& change) const {
    const auto p = static_cast<std::size_t>(place);
    const Vec3 given = gives_way_[p] * change;
    if (solid_of_[p] == kNoSolid) return given;
    const Vec3& n = holds_.solids[static_cast<std::size_t>(solid_of_[p])].normal;
    return given - n.dot(given) * n;
  }

  void find_cells() {
    // Cells of one colour share no node.
    std::vector<std::array<std::vector<Cell>, 8>> parts(
        static_cast<std::size_t>(nodes_.blocks.size()));
    parallel_for_each(
        nodes_.blocks.size(),
        [&](std::int64_t block) {
          BlockFinder finder(nodes_.blocks);
          const Vec3i first = nodes_.blocks.first_node(block);
          for (int k = 0; k < kBlockNodes; ++k) {
            if (!has_node(nodes_.known[static_cast<std::size_t>(block)], k)) continue;
            const Vec3i node = first + node_offset(k);
            Cell cell;
            if (!make_cell(finder, node, cell)) continue;
            const int color = (node.x() & 1) | (node.y() & 1) << 1 | (node.z() & 1) << 2;
            parts[static_cast<std::size_t>(block)][static_cast<std::size_t>(color)].push_back(cell);
          }
        },
        4);
    for (std::size_t color = 0; color < 8; ++color) {
      for (const auto& part : parts) {
        colors_[color].insert(colors_[color].end(), part[color].begin(), part[color].end());
      }
    }
  }

  // False if a corner is not known or sealed off, or none can move.
  bool make_cell(BlockFinder& finder, const Vec3i& node, Cell& cell) const {
    double squares = 0;
    double divergence = 0;
    for (int k = 0; k < 8; ++k) {
      const Vec3i corner = node + Vec3i(k & 1, k >> 1 & 1, k >> 2);
      const std::int32_t block = finder.find(block_of_node(corner));
      if (block < 0) return false;
      if (!has_node(nodes_.known[static_cast<std::size_t>(block)], node_in_block(corner))) {
        return false;
      }
      const auto place = static_cast<std::int32_t>(place_of(block, corner));
      if (is_sealed_[static_cast<std::size_t>(place)] != 0) return false;
      cell.places[static_cast<std::size_t>(k)] = place;
      squares += corner_sign(k).dot(allowed(place, corner_sign(k)));
      const std::int32_t tet = holds_.tets[static_cast<std::size_t>(place)];
      if (tet != kNoTet) divergence += holds_.divergence[static_cast<std::size_t>(tet)] / 8;
    }
    if (!(squares > 0)) return false;
    cell.flux = static_cast<float>(4 * nodes_.lattice.spacing * divergence);
    cell.weight = static_cast<float>(1 / squares);
    return true;
  }

  void relax(const Cell& cell) {
    double flux = -double{cell.flux};
    for (int k = 0; k < 8; ++k) {
      flux += corner_sign(k).dot(
          nodes_.values[static_cast<std::size_t>(cell.places[static_cast<std::size_t>(k)])]);
    }
    const double step = -kRelaxation * flux * double{cell.weight};
    for (int k = 0; k < 8; ++k) {
      const std::int32_t place = cell.places[static_cast<std::size_t>(k)];
      nodes_.values[static_cast<std::size_t>(place)] += allowed(place, step * corner_sign(k));
    }
  }

  const NodeHolds& holds_;
  GridNodes& nodes_;
  std::vector<NodeKind> kinds_;
  std::vector<char> is_sealed_;    // every node
  Buffer<std::int32_t> solid_of_;  // of every node
  Buffer<float> gives_way_;        // every node
  std::array<Buffer<Cell>, 8> colors_;
};

}  // namespace

void correct_divergence(const NodeHolds& holds, int rounds, GridNodes& nodes) {
  Relaxation relaxation(holds, nodes);
  for (int i = 0; i < rounds; ++i) relaxation.run();
}

}  // namespace spindrift
