#include "spindrift/flow/grid_divergence.hpp"

#include <array>
#include <functional>

#include "spindrift/core/parallel_copy.hpp"
#include "spindrift/core/simd.hpp"
#include "spindrift/flow/grid_relaxation.hpp"
#include "spindrift/flow/node_sets.hpp"

namespace spindrift {
namespace {

// In a round.
constexpr int kSweeps = 10;

// How much less nodes change than those next to them that are farther from the mesh, or less deep
// in it. The mesh knows best; but if the nodes of a cell differed much in this, the free ones would
// have to make up for all noise in the others, and surfaces would get rough.
constexpr float kGivesWay = 0.5F;
constexpr int kMostLayers = 3;  // on either side of the boundary

constexpr std::int32_t kNoSolid = -1;
constexpr std::int64_t kBlocksAtOnce = 16;

// Every known node is in one of them.
struct NodeKinds {
  NodeSet mesh, solid, air;
};

template <class Combine>
NodeSet combined(const NodeSet& a, const NodeSet& b, const Combine& combine) {
  NodeSet result(a.size());
  parallel_for_each(std::ssize(a), [&](std::int64_t block) {
    const auto i = static_cast<std::size_t>(block);
    for (std::size_t z = 0; z < a[i].size(); ++z) result[i][z] = combine(a[i][z], b[i][z]);
  });
  return result;
}
NodeSet both(const NodeSet& a, const NodeSet& b) { return combined(a, b, std::bit_and<>()); }
NodeSet without(const NodeSet& a, const NodeSet& b) {
  return combined(a, b, [](std::uint64_t v, std::uint64_t w) { return v & ~w; });
}
NodeSet complement(const NodeSet& a) {
  return combined(a, a, [](std::uint64_t v, std::uint64_t) { return ~v; });
}

void move_node(std::int64_t place, NodeSet& from, NodeSet& to) {
  const auto block = static_cast<std::size_t>(place / kBlockNodes);
  const auto node = static_cast<std::size_t>(place % kBlockNodes);
  const std::uint64_t bit = std::uint64_t{1} << (node & 63);
  to[block][node >> 6] |= from[block][node >> 6] & bit;
  from[block][node >> 6] &= ~bit;
}

NodeKinds node_kinds(const NodeHolds& holds, const GridNodes& nodes) {
  NodeKinds kinds;
  kinds.mesh.assign(nodes.known.size(), {});
  kinds.solid.assign(nodes.known.size(), {});
  parallel_for_each(
      nodes.blocks.size(),
      [&](std::int64_t block) {
        BlockMask& mask = kinds.mesh[static_cast<std::size_t>(block)];
        for (int k = 0; k < kBlockNodes; ++k) {
          const bool is_in =
              holds.tets[static_cast<std::size_t>(block * kBlockNodes + k)] != kNoTet;
          mask[static_cast<std::size_t>(k >> 6)] |= std::uint64_t{is_in} << (k & 63);
        }
      },
      kBlocksAtOnce);
  kinds.mesh = both(kinds.mesh, nodes.known);
  kinds.air = without(nodes.known, kinds.mesh);
  for (const SolidNode& node : holds.solids) move_node(node.place, kinds.air, kinds.solid);
  // The mesh says how much goes there; it must not be cheaper to change that than the surface.
  for (const std::int64_t place : holds.outlets) move_node(place, kinds.air, kinds.mesh);
  return kinds;
}

void add_node(std::int64_t place, NodeSet& set) {
  const auto node = static_cast<std::size_t>(place % kBlockNodes);
  set[static_cast<std::size_t>(place / kBlockNodes)][node >> 6] |= std::uint64_t{1} << (node & 63);
}

// The nodes of solids that liquid flows into through a film of air: where liquid touches a solid it
// flows along it, and where there is more air there are nodes in it.
NodeSet behind_films(const NodeHolds& holds, const NodeKinds& kinds, const BlockSides& sides) {
  NodeSet met(kinds.solid.size(), BlockMask{});
  for (const SolidNode& node : holds.solids) {
    if (node.is_met) add_node(node.place, met);
  }
  return both(without(both(met, kinds.solid), with_any_neighbor(kinds.air, sides)),
              with_any_neighbor(kinds.mesh, sides));
}

// The nodes that liquid may press together: pockets of air that have no way out of the grid, films
// of it on solids, and what is in outlets.
NodeSet sealed_nodes(const NodeHolds& holds, const NodeKinds& kinds, const NodeSet& known,
                     const BlockSides& sides) {
  const NodeSet rim = both(kinds.air, with_any_neighbor(complement(known), sides, true));
  NodeSet sealed = without(kinds.air, flooded(rim, kinds.air, sides));
  for (const std::int64_t place : holds.outlets) add_node(place, sealed);
  return combined(sealed, behind_films(holds, kinds, sides), std::bit_or<>());
}

void set_nodes(const NodeSet& set, float value, Buffer<float>& values) {
  parallel_for_each(
      std::ssize(set),
      [&](std::int64_t block) {
        const BlockMask& mask = set[static_cast<std::size_t>(block)];
        for (int k = 0; k < kBlockNodes; ++k) {
          if (has_node(mask, k)) values[static_cast<std::size_t>(block * kBlockNodes + k)] = value;
        }
      },
      kBlocksAtOnce);
}

// How far nodes give way, by how deep they are in the mesh or how far from it.
Buffer<float> giving_way(const NodeKinds& kinds, const BlockSides& sides) {
  Buffer<float> gives_way = filled_buffer(kinds.mesh.size() * kBlockNodes, 0.0F);
  // Layer by layer, from the nodes of one kind into those of the other.
  const auto add_layers = [&](const NodeSet& from, const NodeSet& into, float factor) {
    NodeSet layer = from;
    NodeSet left = into;
    float share = factor < 1 ? factor : 1;
    for (int depth = 0; depth < kMostLayers; ++depth, share *= factor) {
      layer = both(with_any_neighbor(layer, sides), left);
      left = without(left, layer);
      set_nodes(layer, share, gives_way);
    }
    set_nodes(left, share, gives_way);
  };
  add_layers(kinds.air, kinds.mesh, kGivesWay);
  add_layers(kinds.mesh, kinds.air, 1 / kGivesWay);
  set_nodes(kinds.solid, 1, gives_way);
  return gives_way;
}

// The cells all of whose nodes are in the set, by their lowest ones.
NodeSet cells_within(const NodeSet& set, const BlockSides& sides) {
  NodeSet cells = set;
  for (const std::size_t side : {1U, 3U, 5U}) {
    const NodeSet before = cells;
    parallel_for_each(
        std::ssize(cells),
        [&](std::int64_t block) {
          const auto b = static_cast<std::size_t>(block);
          const BlockMask next = with_neighbor(before, sides, b, side);
          for (std::size_t z = 0; z < next.size(); ++z) cells[b][z] &= next[z];
        },
        kBlocksAtOnce);
  }
  return cells;
}

// 1 for each bit of a byte, in the order of NodeChanges along x.
using ByteLanes = std::array<std::array<float, 8>, 256>;
ByteLanes byte_lanes() {
  ByteLanes lanes{};
  for (std::size_t byte = 0; byte < lanes.size(); ++byte) {
    for (std::size_t x = 0; x < 8; ++x) {
      lanes[byte][x >> 1 | (x & 1) << 2] = (byte >> x & 1) != 0 ? 1.0F : 0.0F;
    }
  }
  return lanes;
}

// Means of changes along the axes.
class Smoothing {
 public:
  Smoothing(const NodeKinds& kinds, const NodeSet& known, const BlockSides& sides) : sides_(sides) {
    // What is in a solid has no say outside of it: pools at rest would start to move.
    const NodeSet outside = without(known, kinds.solid);
    counts_.resize(known.size());
    parallel_for_each(
        std::ssize(known),
        [&](std::int64_t block) {
          const auto b = static_cast<std::size_t>(block);
          for (std::size_t side = 0; side < 6; ++side) {
            const BlockMask to_solid = with_neighbor(known, sides, b, side);
            const BlockMask to_others = with_neighbor(outside, sides, b, side);
            for (std::size_t z = 0; z < to_solid.size(); ++z) {
              counts_[b][side][z] =
                  (to_solid[z] & kinds.solid[b][z]) | (to_others[z] & outside[b][z]);
            }
          }
        },
        kBlocksAtOnce);
  }

  // The mean of nodes and the two beside them along each axis, by weights of 1, 2 and 1.
  [[nodiscard]] NodeChanges smoothed(NodeChanges changes) const {
    NodeChanges result(changes.size());
    for (std::size_t axis = 0; axis < 3; ++axis) {
      parallel_for_each(
          std::ssize(counts_),
          [&](std::int64_t block) {
            smooth(axis, static_cast<std::size_t>(block), changes, result);
          },
          kBlocksAtOnce);
      std::swap(changes, result);
    }
    return changes;
  }

 private:
  void smooth(std::size_t axis, std::size_t block, const NodeChanges& from, NodeChanges& to) const {
    const auto values_of = [&](std::size_t side) -> const float* {
      const std::int32_t next = sides_[block][side];
      return next < 0 ? nullptr : &from[static_cast<std::size_t>(next) * (3 * kBlockNodes)];
    };
    const float* const own = &from[block * (3 * kBlockNodes)];
    const float* const before = values_of(2 * axis);
    const float* const after = values_of(2 * axis + 1);
    for (std::size_t row = 0; row < 64; ++row) {
      const Float8 counts_low = lanes_of(block, 2 * axis, row);
      const Float8 counts_high = lanes_of(block, 2 * axis + 1, row);
      for (std::size_t component = 0; component < 3; ++component) {
        const std::size_t at = component * kBlockNodes + 8 * row;
        const Float8 here = load8(own + at);
        const auto [low, high] = axis == 0 ? along_row(here, before, after, at)
                                           : beside_row(axis, row, own, before, after, at);
        store8(&to[block * (3 * kBlockNodes) + at],
               (2 * here + counts_low * low + counts_high * high) / (2 + counts_low + counts_high));
      }
    }
  }

  // The values of the nodes before and after those of a row; 0 where there is no block.
  struct Beside {
    Float8 low, high;
  };
  static Beside along_row(Float8 here, const float* before, const float* after, std::size_t at) {
    return {Float8{before == nullptr ? 0 : before[at + 7], here[4], here[5], here[6], here[0],
                   here[1], here[2], here[3]},
            Float8{here[4], here[5], here[6], here[7], here[1], here[2], here[3],
                   after == nullptr ? 0 : after[at]}};
  }
  static Beside beside_row(std::size_t axis, std::size_t row, const float* own, const float* before,
                           const float* after, std::size_t at) {
    const std::size_t stride = axis == 1 ? 8 : 64;
    const std::size_t place = axis == 1 ? row & 7 : row >> 3;
    Beside beside = {splat8(0), splat8(0)};
    if (place > 0) {
      beside.low = load8(own + at - stride);
    } else if (before != nullptr) {
      beside.low = load8(before + at + 7 * stride);
    }
    if (place < 7) {
      beside.high = load8(own + at + stride);
    } else if (after != nullptr) {
      beside.high = load8(after + at - 7 * stride);
    }
    return beside;
  }

  // 1 for the nodes of a row along x whose neighbours on that side count.
  [[nodiscard]] Float8 lanes_of(std::size_t block, std::size_t side, std::size_t row) const {
    static const ByteLanes kLanes = byte_lanes();
    return load8(kLanes[counts_[block][side][row >> 3] >> (8 * (row & 7)) & 0xff].data());
  }

  const BlockSides& sides_;
  std::vector<std::array<BlockMask, 6>> counts_;
};

// Nodes in solids change along these.
void slide(const NodeHolds& holds, NodeChanges& changes) {
  parallel_for_each(std::ssize(holds.solids), [&](std::int64_t i) {
    const SolidNode& node = holds.solids[static_cast<std::size_t>(i)];
    const auto place = static_cast<std::size_t>(node.place);
    Vec3 change;
    for (int axis = 0; axis < 3; ++axis) change[axis] = double{changes[change_slot(place, axis)]};
    change -= node.normal.dot(change) * node.normal;
    for (int axis = 0; axis < 3; ++axis) {
      changes[change_slot(place, axis)] = static_cast<float>(change[axis]);
    }
  });
}

}  // namespace

void correct_divergence(const NodeHolds& holds, int rounds, GridNodes& nodes) {
  const BlockSides sides = block_sides(nodes.blocks);
  const NodeKinds kinds = node_kinds(holds, nodes);
  const NodeSet open = without(nodes.known, sealed_nodes(holds, kinds, nodes.known, sides));
  const Buffer<float> gives_way = giving_way(kinds, sides);
  Buffer<std::int32_t> solid_of = filled_buffer(gives_way.size(), kNoSolid);
  for (std::size_t i = 0; i < holds.solids.size(); ++i) {
    solid_of[static_cast<std::size_t>(holds.solids[i].place)] = static_cast<std::int32_t>(i);
  }
  GridRelaxation relaxation(nodes, {gives_way, holds.solids, solid_of}, cells_within(open, sides),
                            holds.divergence);
  const Smoothing smoothing(kinds, nodes.known, sides);
  NodeChanges all = filled_buffer(3 * gives_way.size(), 0.0F);
  for (int round = 0; round < rounds; ++round) {
    // Of some sweeps only the smooth part of the changes is kept.
    NodeChanges changes = smoothing.smoothed(relaxation.relaxed(kSweeps));
    slide(holds, changes);
    if (round + 1 < rounds) relaxation.add(changes);
    parallel_for_each(
        std::ssize(all),
        [&](std::int64_t i) {
          all[static_cast<std::size_t>(i)] += changes[static_cast<std::size_t>(i)];
        },
        1 << 14);
  }
  parallel_for_each(
      nodes.blocks.size(),
      [&](std::int64_t block) {
        for (int k = 0; k < kBlockNodes; ++k) {
          const auto place = static_cast<std::size_t>(block * kBlockNodes + k);
          if (!has_node(nodes.known[static_cast<std::size_t>(block)], k)) continue;
          for (int axis = 0; axis < 3; ++axis) {
            nodes.values[place][axis] += double{all[change_slot(place, axis)]};
          }
        }
      },
      kBlocksAtOnce);
}

}  // namespace spindrift
