#include "spindrift/flow/grid_divergence.hpp"

#include <array>

#include "spindrift/core/parallel.hpp"
#include "spindrift/flow/block_finder.hpp"

namespace spindrift {
namespace {

// Of each equation's step; up to 2 it converges.
constexpr double kRelaxation = 1.5;

// How far nodes in the mesh change where those in air would change by 1. They know better; less so
// next to air, and where the liquid is thin all are.
constexpr float kInsideGivesWay = 0.02F;
constexpr float kSurfaceGivesWay = 0.2F;

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

// The nodes in air that liquid may press together: pockets of it that have no way out of the grid,
// and what is in outlets.
std::vector<char> sealed_nodes(const NodeHolds& holds, const GridNodes& nodes) {
  enum : char { kOther = 0, kAir = 1 };
  const auto count = static_cast<std::size_t>(nodes.blocks.size()) * kBlockNodes;
  std::vector<char> is_sealed(count, kOther);
  parallel_for_each(
      nodes.blocks.size(),
      [&](std::int64_t block) {
        for (int k = 0; k < kBlockNodes; ++k) {
          const auto place = static_cast<std::size_t>(block * kBlockNodes + k);
          if (has_node(nodes.known[static_cast<std::size_t>(block)], k) &&
              holds.tets[place] == kNoTet) {
            is_sealed[place] = kAir;
          }
        }
      },
      64);
  for (const SolidNode& node : holds.solids)
    is_sealed[static_cast<std::size_t>(node.place)] = kOther;

  // From the nodes at the rim of the grid on, all that is connected to them is open.
  BlockFinder finder(nodes.blocks);
  const auto beside = [&](std::size_t place, int side) -> std::int64_t {
    const auto block = static_cast<std::int64_t>(place / kBlockNodes);
    Vec3i node =
        nodes.blocks.first_node(block) + node_offset(static_cast<int>(place % kBlockNodes));
    node[side / 2] += side % 2 == 0 ? -1 : 1;
    const std::int32_t next = finder.find(block_of_node(node));
    if (next < 0) return -1;
    if (!has_node(nodes.known[static_cast<std::size_t>(next)], node_in_block(node))) return -1;
    return static_cast<std::int64_t>(place_of(next, node));
  };
  std::vector<std::size_t> open;
  for (std::size_t place = 0; place < count; ++place) {
    if (is_sealed[place] != kAir) continue;
    bool is_rim = false;
    for (int side = 0; side < 6 && !is_rim; ++side) is_rim = beside(place, side) < 0;
    if (is_rim) open.push_back(place);
  }
  for (const std::size_t place : open) is_sealed[place] = kOther;
  while (!open.empty()) {
    const std::size_t place = open.back();
    open.pop_back();
    for (int side = 0; side < 6; ++side) {
      const std::int64_t next = beside(place, side);
      if (next < 0 || is_sealed[static_cast<std::size_t>(next)] != kAir) continue;
      is_sealed[static_cast<std::size_t>(next)] = kOther;
      open.push_back(static_cast<std::size_t>(next));
    }
  }
  for (const std::int64_t place : holds.outlets) is_sealed[static_cast<std::size_t>(place)] = kAir;
  return is_sealed;
}

class Relaxation {
 public:
  Relaxation(const NodeHolds& holds, GridNodes& nodes)
      : holds_(holds), nodes_(nodes), is_sealed_(sealed_nodes(holds, nodes)) {
    solid_of_.assign(static_cast<std::size_t>(nodes.blocks.size()) * kBlockNodes, kNoSolid);
    for (std::size_t i = 0; i < holds.solids.size(); ++i) {
      solid_of_[static_cast<std::size_t>(holds.solids[i].place)] = static_cast<std::int32_t>(i);
    }
    find_surface();
    find_cells();
  }

  void sweep() {
    for (const Buffer<Cell>& cells : colors_) {
      parallel_for_chunks(std::ssize(cells), 512, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) relax(cells[static_cast<std::size_t>(i)]);
      });
    }
  }

 private:
  // What is left of a change.
  [[nodiscard]] Vec3 allowed(std::int32_t place, const Vec3& change) const {
    const auto p = static_cast<std::size_t>(place);
    const Vec3 given = gives_way_[p] * change;
    if (solid_of_[p] == kNoSolid) return given;
    const Vec3& n = holds_.solids[static_cast<std::size_t>(solid_of_[p])].normal;
    return given - n.dot(given) * n;
  }

  // How far nodes give way: those in the mesh with air beside them more than others.
  void find_surface() {
    gives_way_.assign(solid_of_.size(), 1.0F);
    parallel_for_each(
        nodes_.blocks.size(),
        [&](std::int64_t block) {
          BlockFinder finder(nodes_.blocks);
          const Vec3i first = nodes_.blocks.first_node(block);
          for (int k = 0; k < kBlockNodes; ++k) {
            const auto place = static_cast<std::size_t>(block * kBlockNodes + k);
            if (holds_.tets[place] == kNoTet) continue;
            gives_way_[place] =
                is_beside_air(finder, first + node_offset(k)) ? kSurfaceGivesWay : kInsideGivesWay;
          }
        },
        4);
  }

  bool is_beside_air(BlockFinder& finder, const Vec3i& node) const {
    for (int k = 0; k < 27; ++k) {
      const Vec3i other = node + Vec3i(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1);
      const std::int32_t block = finder.find(block_of_node(other));
      if (block < 0) continue;
      const std::size_t place = place_of(block, other);
      if (holds_.tets[place] == kNoTet && solid_of_[place] == kNoSolid) return true;
    }
    return false;
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
  std::vector<char> is_sealed_;    // every node
  Buffer<std::int32_t> solid_of_;  // of every node
  Buffer<float> gives_way_;        // every node
  std::array<Buffer<Cell>, 8> colors_;
};

}  // namespace

void correct_divergence(const NodeHolds& holds, int sweeps, GridNodes& nodes) {
  Relaxation relaxation(holds, nodes);
  for (int i = 0; i < sweeps; ++i) relaxation.sweep();
}

}  // namespace spindrift
