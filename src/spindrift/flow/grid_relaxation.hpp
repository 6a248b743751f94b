// Changes nodes of a grid so that its cells get the flux that they should have: Kaczmarz's method,
// one equation a cell. For grid_divergence.cpp.
//
// Blocks are relaxed side by side with the nodes after their last ones, first all with even
// coordinates, then those beside them, so that no two of them share nodes. In a block, four cells
// along x at a time, every other one, share no nodes either; two blocks go together.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "spindrift/core/buffer.hpp"
#include "spindrift/flow/grid_divergence.hpp"
#include "spindrift/flow/node_sets.hpp"

namespace spindrift {

// Three numbers a node: of each block all x, then y, then z. Along x even nodes come before odd
// ones.
using NodeChanges = Buffer<float>;
[[nodiscard]] inline std::size_t change_slot(std::size_t place, int axis) {
  const std::size_t k = place % kBlockNodes;
  const std::size_t x = k & 7;
  return place / kBlockNodes * (3 * kBlockNodes) + static_cast<std::size_t>(axis) * kBlockNodes +
         ((k & ~std::size_t{7}) | x >> 1 | (x & 1) << 2);
}

// What says how nodes may change.
struct NodeFreedom {
  std::span<const float> gives_way;        // of every node; those not known 0
  std::span<const SolidNode> solids;       // these change along their solid
  std::span<const std::int32_t> solid_of;  // of every node, the number among these; or -1
};

class GridRelaxation {
 public:
  // `cells`: by their lowest node; all their nodes are known. `rates`: the divergence that nodes
  // should have, 1/s.
  GridRelaxation(const GridNodes& nodes, const NodeFreedom& freedom, const NodeSet& cells,
                 std::span<const float> rates);
  GridRelaxation(const GridRelaxation&) = delete;
  GridRelaxation& operator=(const GridRelaxation&) = delete;
  ~GridRelaxation();

  // An even number of sweeps over all cells, from no changes on.
  [[nodiscard]] NodeChanges relaxed(int sweeps) const;

  // Changes that were made, for the next call.
  void add(const NodeChanges& changes);

 private:
  struct BlockPair;

  std::int64_t block_count_;
  // By their coordinates, even or odd along each axis: those of one kind share no nodes.
  std::array<std::vector<BlockPair>, 8> colors_;
};

}  // namespace spindrift
