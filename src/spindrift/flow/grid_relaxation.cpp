#include "spindrift/flow/grid_relaxation.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "spindrift/core/parallel.hpp"
#include "spindrift/core/simd.hpp"

namespace spindrift {
namespace {

// Of each equation's step; up to 2 it converges.
constexpr float kRelaxation = 1.5F;

// Of a block while it is at hand.
constexpr int kSweepsAtOnce = 2;
constexpr std::int64_t kPairsAtOnce = 2;

// Two blocks are relaxed at once: all that is kept of their nodes and cells alternates between
// them, so that eight lanes have four cells of each.
constexpr std::size_t kPaired = 2;

// A block with the nodes after its last ones. Its rows along x: five even nodes, then, eight places
// from the first, four odd ones.
constexpr int kNodes = kBlockSide + 1;
constexpr int kRow = 12;
constexpr int kLocal = kNodes * kNodes * kRow;
constexpr std::size_t kOdd = 8;
constexpr std::size_t kOfAxis = kPaired * kLocal;

std::size_t row_of(int y, int z) { return static_cast<std::size_t>((z * kNodes + y) * kRow); }
std::size_t local_slot(const Vec3i& node) {
  return row_of(node.y(), node.z()) + static_cast<std::size_t>(node.x() / 2) +
         (node.x() % 2 == 0 ? 0 : kOdd);
}

// Of a solid along an axis: its components alone say how nodes may change.
bool is_along_axis(const Vec3& normal) {
  return normal.cwiseAbs().maxCoeff() > 1 - 1e-9 || normal.isZero();
}

Float4 load4(const float* from) {
  Float4 v;
  __builtin_memcpy(&v, from, sizeof v);
  return v;
}
void store4(float* to, Float4 v) { __builtin_memcpy(to, &v, sizeof v); }

Float8 alternating(Float4 a, Float4 b) {
  return __builtin_shufflevector(a, b, 0, 4, 1, 5, 2, 6, 3, 7);
}
Float4 every_other(Float8 v, std::size_t from) {
  return from == 0 ? __builtin_shufflevector(v, v, 0, 2, 4, 6)
                   : __builtin_shufflevector(v, v, 1, 3, 5, 7);
}

// Where the corners of a cube lie, from its middle. The sum of velocities along these is four times
// the divergence times the length of an edge.
Vec3 corner_sign(int corner) {
  return {(corner & 1) != 0 ? 1.0 : -1.0, (corner & 2) != 0 ? 1.0 : -1.0,
          (corner & 4) != 0 ? 1.0 : -1.0};
}

// Where the corners of four cells beside each other, every other one along x, begin in a block's
// rows.
struct FourCells {
  std::size_t first;      // of the row
  std::size_t low, high;  // of nodes before and after the cells along x
  FourCells(int parity, int y, int z)
      : first(row_of(y, z)), low(parity == 0 ? 0 : kOdd), high(parity == 0 ? kOdd : 1) {}
  // Of a pair of blocks.
  template <int kCorner>
  [[nodiscard]] std::size_t at() const {
    constexpr std::size_t kRows = ((kCorner >> 2) * kNodes + (kCorner >> 1 & 1)) * kRow;
    return kPaired * (first + kRows + ((kCorner & 1) == 0 ? low : high));
  }
};

// Calls visit(corner) with constants, so that there are neither loops nor branches.
template <class Visit>
void for_each_corner(const Visit& visit) {
  [&]<int... kCorners>(std::integer_sequence<int, kCorners...>) {
    (visit(std::integral_constant<int, kCorners>()), ...);
  }
  (std::make_integer_sequence<int, 8>());
}

// Along a corner's sign on an axis.
template <int kCorner, int kAxis, class Lanes>
Lanes signed_along(Lanes v) {
  if constexpr ((kCorner >> kAxis & 1) != 0) {
    return v;
  } else {
    return -v;
  }
}

// The flux out of four cells of two blocks, added to another.
[[gnu::always_inline]] inline Float8 with_flux(Float8 flux, const FourCells& four,
                                               const float* values) {
  // Six sums side by side: one would wait for itself 24 times.
  std::array<std::array<Float8, 3>, 2> sums{};
  for_each_corner([&](auto corner) {
    constexpr int kCorner = corner();
    const float* const v = values + four.at<kCorner>();
    auto& sum = sums[kCorner & 1];
    sum[0] += signed_along<kCorner, 0>(load8(v));
    sum[1] += signed_along<kCorner, 1>(load8(v + kOfAxis));
    sum[2] += signed_along<kCorner, 2>(load8(v + 2 * kOfAxis));
  });
  return flux + ((sums[0][0] + sums[1][0]) + (sums[0][1] + sums[1][1])) + (sums[0][2] + sums[1][2]);
}

// What the equations of one block's cells are made from, in its rows; zero where nothing is known.
struct NodeData {
  std::array<std::array<double, kLocal>, 3> velocity{};  // along each axis
  std::array<double, kLocal> wanted{};                   // divergence, 1/s
  std::array<double, kLocal> gives_way{};                // along all axes together
};

Double4 load4(const double* from) {
  Double4 v;
  __builtin_memcpy(&v, from, sizeof v);
  return v;
}

// Changes of the nodes of two blocks, and of those after their last ones: kOfAxis for each axis.
struct LocalChanges {
  alignas(32) std::array<float, 3 * kOfAxis> v;
};

// Numbers in NodeChanges.
constexpr std::size_t kOfBlock = 3 * kBlockNodes;

// Where the changes of two blocks and of those after them begin, in the order of BlockPair::blocks.
template <class Pointer>
struct PairRows {
  std::array<std::array<Pointer, 8>, kPaired> first;

  // Calls visit(local row, rows of the blocks, first nodes of the rows after them).
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (int axis = 0; axis < 3; ++axis) {
      for (int z = 0; z < kNodes; ++z) {
        for (int y = 0; y < kNodes; ++y) {
          const auto side = static_cast<std::size_t>((y >> 3) << 1 | (z >> 3) << 2);
          const int offset = axis * kBlockNodes + ((y & 7) << 3) + ((z & 7) << 6);
          const std::array<Pointer, kPaired> own = {first[0][side] + offset,
                                                    first[1][side] + offset};
          const std::array<Pointer, kPaired> after = {first[0][side | 1] + offset,
                                                      first[1][side | 1] + offset};
          visit(static_cast<std::size_t>(axis) * kOfAxis + kPaired * row_of(y, z), own, after);
        }
      }
    }
  }
};

}  // namespace

// The cells of two blocks, and what their nodes are like.
struct GridRelaxation::BlockPair {
  // The blocks and those after them: bit 0 of the place along x, bit 1 y, bit 2 z; -1: none.
  std::array<std::array<std::int32_t, 8>, kPaired> blocks;
  BlockMask cells{};               // of either
  Buffer<float> missing, weights;  // of the cells, as nodes are: even ones first
  Buffer<float> gives_way;         // kOfAxis for each axis
  Buffer<float> normals;           // the same, of solids across the axes; empty: none
  bool is_even = true;             // nodes give way along all axes alike

  BlockPair() { blocks.fill({-1, -1, -1, -1, -1, -1, -1, -1}); }
  void set_up(const GridNodes& nodes, const NodeFreedom& freedom, const NodeSet& of_blocks,
              std::span<const float> rates);
  void gather(const NodeChanges& changes, LocalChanges& local) const;
  void scatter(const LocalChanges& local, NodeChanges& changes) const;
  void sweep(LocalChanges& local) const;

 private:
  // How the nodes of blocks may change: along all axes alike, along each axis as much as it gives
  // way, or along solids that lie across the axes.
  enum class Freedom { even, along_axes, oblique };
  template <Freedom kFreedom>
  void sweep_with(LocalChanges& local) const;

  void set_up_one(const GridNodes& nodes, const NodeFreedom& freedom, const BlockMask& mask,
                  std::span<const float> rates, std::size_t which);
  // Of a node in a row of the block or after it. Returns how far it gives way in all.
  double set_freedom(const NodeFreedom& freedom, std::size_t place, std::size_t slot);
  void set_equations(const NodeData& data, const BlockMask& mask, double spacing,
                     std::size_t which);
  // How much less the nodes of a cell give way since solids lie across the axes.
  [[nodiscard]] double held_across(int cell, std::size_t which) const;

  // The changes of the blocks and those after them; of blocks that there are not, `other`.
  template <class Changes, class Pointer>
  [[nodiscard]] PairRows<Pointer> rows_in(Changes& changes, Pointer other) const {
    PairRows<Pointer> rows;
    for (std::size_t which = 0; which < kPaired; ++which) {
      for (std::size_t k = 0; k < 8; ++k) {
        const std::int32_t block = blocks[which][k];
        rows.first[which][k] =
            block < 0 ? other : &changes[static_cast<std::size_t>(block) * kOfBlock];
      }
    }
    return rows;
  }
};

GridRelaxation::~GridRelaxation() = default;

GridRelaxation::GridRelaxation(const GridNodes& nodes, const NodeFreedom& freedom,
                               const NodeSet& cells, std::span<const float> rates)
    : block_count_(nodes.blocks.size()) {
  std::array<std::int64_t, 8> counts{};
  for (std::int64_t block = 0; block < block_count_; ++block) {
    const BlockMask& mask = cells[static_cast<std::size_t>(block)];
    if (std::all_of(mask.begin(), mask.end(), [](std::uint64_t word) { return word == 0; })) {
      continue;
    }
    const Vec3i at = nodes.blocks.coordinate(block);
    const auto color =
        static_cast<std::size_t>((at.x() & 1) | (at.y() & 1) << 1 | (at.z() & 1) << 2);
    const auto which = static_cast<std::size_t>(counts[color]++) % kPaired;
    if (which == 0) colors_[color].emplace_back();
    colors_[color].back().blocks[which][0] = static_cast<std::int32_t>(block);
  }
  for (std::vector<BlockPair>& pairs : colors_) {
    parallel_for_each(
        std::ssize(pairs),
        [&](std::int64_t i) {
          pairs[static_cast<std::size_t>(i)].set_up(nodes, freedom, cells, rates);
        },
        kPairsAtOnce);
  }
}

void GridRelaxation::BlockPair::set_up(const GridNodes& nodes, const NodeFreedom& freedom,
                                       const NodeSet& of_blocks, std::span<const float> rates) {
  gives_way.assign(3 * kOfAxis, 0.0F);
  missing.assign(kPaired * kBlockNodes, 0.0F);
  weights.assign(kPaired * kBlockNodes, 0.0F);
  for (std::size_t which = 0; which < kPaired; ++which) {
    const std::int32_t block = blocks[which][0];
    if (block < 0) continue;
    const BlockMask& mask = of_blocks[static_cast<std::size_t>(block)];
    for (std::size_t z = 0; z < cells.size(); ++z) cells[z] |= mask[z];
    set_up_one(nodes, freedom, mask, rates, which);
  }
}

void GridRelaxation::BlockPair::set_up_one(const GridNodes& nodes, const NodeFreedom& freedom,
                                           const BlockMask& mask, std::span<const float> rates,
                                           std::size_t which) {
  const Vec3i at = nodes.blocks.coordinate(blocks[which][0]);
  for (int k = 0; k < 8; ++k) {
    blocks[which][static_cast<std::size_t>(k)] =
        nodes.blocks.find(at + Vec3i(k & 1, k >> 1 & 1, k >> 2));
  }
  NodeData data;
  for (int z = 0; z < kNodes; ++z) {
    for (int y = 0; y < kNodes; ++y) {
      for (int x = 0; x < kNodes; ++x) {
        const std::int32_t from =
            blocks[which][static_cast<std::size_t>((x >> 3) | (y >> 3) << 1 | (z >> 3) << 2)];
        if (from < 0) continue;
        const auto place = static_cast<std::size_t>(std::int64_t{from} * kBlockNodes +
                                                    node_in_block(Vec3i(x, y, z)));
        if (freedom.gives_way[place] == 0) continue;
        const std::size_t slot = local_slot({x, y, z});
        for (std::size_t axis = 0; axis < 3; ++axis) {
          data.velocity[axis][slot] = nodes.values[place][static_cast<int>(axis)];
        }
        data.wanted[slot] = double{rates[place]};
        data.gives_way[slot] = set_freedom(freedom, place, kPaired * slot + which);
      }
    }
  }
  set_equations(data, mask, nodes.lattice.spacing, which);
}

double GridRelaxation::BlockPair::set_freedom(const NodeFreedom& freedom, std::size_t place,
                                              std::size_t slot) {
  Vec3f share = Vec3f::Constant(freedom.gives_way[place]);
  if (freedom.solid_of[place] >= 0) {
    const Vec3& normal = freedom.solids[static_cast<std::size_t>(freedom.solid_of[place])].normal;
    if (is_along_axis(normal)) {
      share.array() *= 1 - normal.cast<float>().array().abs().round();
      is_even = false;
    } else {
      if (normals.empty()) normals.assign(3 * kOfAxis, 0.0F);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        normals[axis * kOfAxis + slot] = static_cast<float>(normal[static_cast<int>(axis)]);
      }
    }
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    gives_way[axis * kOfAxis + slot] = share[static_cast<int>(axis)];
  }
  return share.cast<double>().sum();
}

double GridRelaxation::BlockPair::held_across(int cell, std::size_t which) const {
  double held = 0;
  for (int corner = 0; corner < 8; ++corner) {
    const Vec3i node = node_offset(cell) + Vec3i(corner & 1, corner >> 1 & 1, corner >> 2);
    const std::size_t own = kPaired * local_slot(node) + which;
    const Vec3 sign = corner_sign(corner);
    double across = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      across += sign[static_cast<int>(axis)] * double{normals[axis * kOfAxis + own]};
    }
    held += double{gives_way[own]} * across * across;
  }
  return held;
}

void GridRelaxation::BlockPair::set_equations(const NodeData& data, const BlockMask& mask,
                                              double spacing, std::size_t which) {
  for (int row = 0; row < 2 * kBlockSide * kBlockSide; ++row) {
    const int parity = row & 1;
    const FourCells four(parity, row >> 1 & 7, row >> 4);
    Double4 flux = splat4(0);
    Double4 divergence = splat4(0);
    Double4 squares = splat4(0);
    for_each_corner([&](auto corner) {
      constexpr int kCorner = corner();
      const std::size_t at = four.at<kCorner>() / kPaired;
      flux += signed_along<kCorner, 0>(load4(&data.velocity[0][at])) +
              signed_along<kCorner, 1>(load4(&data.velocity[1][at])) +
              signed_along<kCorner, 2>(load4(&data.velocity[2][at]));
      divergence += load4(&data.wanted[at]) / 8;
      squares += load4(&data.gives_way[at]);
    });
    flux -= 4 * spacing * divergence;
    for (int k = 0; k < 4; ++k) {
      const int cell = (row >> 1) * kBlockSide + 2 * k + parity;
      if (!has_node(mask, cell)) continue;
      const double length = squares[k] - (normals.empty() ? 0 : held_across(cell, which));
      const auto slot = kPaired * static_cast<std::size_t>(4 * row + k) + which;
      missing[slot] = static_cast<float>(flux[k]);
      if (length > 0) weights[slot] = static_cast<float>(1 / length);
    }
  }
}

void GridRelaxation::BlockPair::gather(const NodeChanges& changes, LocalChanges& local) const {
  static constexpr std::array<float, kOfBlock> kNone{};
  rows_in(changes, kNone.data())
      .for_each([&](std::size_t slot, const auto& own, const auto& after) {
        float* const to = &local.v[slot];
        store8(to, alternating(load4(own[0]), load4(own[1])));
        store8(to + kPaired * 4, Float8{*after[0], *after[1], 0, 0, 0, 0, 0, 0});
        store8(to + kPaired * kOdd, alternating(load4(own[0] + 4), load4(own[1] + 4)));
      });
}

void GridRelaxation::BlockPair::scatter(const LocalChanges& local, NodeChanges& changes) const {
  std::array<float, kOfBlock> unused;
  rows_in(changes, unused.data())
      .for_each([&](std::size_t slot, const auto& own, const auto& after) {
        const float* const from = &local.v[slot];
        const Float8 even = load8(from);
        const Float8 odd = load8(from + kPaired * kOdd);
        for (std::size_t which = 0; which < kPaired; ++which) {
          store4(own[which], every_other(even, which));
          store4(own[which] + 4, every_other(odd, which));
          *after[which] = from[kPaired * 4 + which];
        }
      });
}

template <GridRelaxation::BlockPair::Freedom kFreedom>
void GridRelaxation::BlockPair::sweep_with(LocalChanges& local) const {
  constexpr std::array<unsigned, 2> kEveryOther = {0x55, 0xaa};
  const float* const shares = gives_way.data();
  const float* const all_normals = normals.data();
  for (int color = 0; color < 8; ++color) {
    const int parity = color & 1;
    for (int z = color >> 2; z < kBlockSide; z += 2) {
      for (int y = color >> 1 & 1; y < kBlockSide; y += 2) {
        const auto row = static_cast<unsigned>(cells[static_cast<std::size_t>(z)] >> (8 * y));
        if ((row & kEveryOther[static_cast<std::size_t>(parity)]) == 0) continue;
        const FourCells four(parity, y, z);
        const auto cell = kPaired * static_cast<std::size_t>((z * 8 + y) * 8 + parity * 4);
        const Float8 flux = with_flux(load8(&missing[cell]), four, local.v.data());
        const Float8 step = -kRelaxation * flux * load8(&weights[cell]);
        for_each_corner([&](auto corner) {
          constexpr int kCorner = corner();
          const std::size_t at = four.at<kCorner>();
          float* const v = &local.v[at];
          const float* const share = shares + at;
          Float8 in_x = load8(share) * step;
          Float8 in_y = in_x;
          Float8 in_z = in_x;
          if constexpr (kFreedom != Freedom::even) {
            in_y = load8(share + kOfAxis) * step;
            in_z = load8(share + 2 * kOfAxis) * step;
          }
          in_x = signed_along<kCorner, 0>(in_x);
          in_y = signed_along<kCorner, 1>(in_y);
          in_z = signed_along<kCorner, 2>(in_z);
          if constexpr (kFreedom == Freedom::oblique) {
            const float* const normal = all_normals + at;
            const Float8 nx = load8(normal);
            const Float8 ny = load8(normal + kOfAxis);
            const Float8 nz = load8(normal + 2 * kOfAxis);
            const Float8 across = nx * in_x + ny * in_y + nz * in_z;
            in_x -= across * nx;
            in_y -= across * ny;
            in_z -= across * nz;
          }
          store8(v, load8(v) + in_x);
          store8(v + kOfAxis, load8(v + kOfAxis) + in_y);
          store8(v + 2 * kOfAxis, load8(v + 2 * kOfAxis) + in_z);
        });
      }
    }
  }
}

void GridRelaxation::BlockPair::sweep(LocalChanges& local) const {
  if (!normals.empty()) {
    sweep_with<Freedom::oblique>(local);
  } else if (is_even) {
    sweep_with<Freedom::even>(local);
  } else {
    sweep_with<Freedom::along_axes>(local);
  }
}

NodeChanges GridRelaxation::relaxed(int sweeps) const {
  NodeChanges changes(static_cast<std::size_t>(block_count_) * (3 * kBlockNodes));
  parallel_for_chunks(std::ssize(changes), 1 << 16, [&](std::int64_t begin, std::int64_t end) {
    std::fill(changes.begin() + begin, changes.begin() + end, 0.0F);
  });
  for (int i = 0; i < sweeps; i += kSweepsAtOnce) {
    for (const std::vector<BlockPair>& pairs : colors_) {
      parallel_for_each(
          std::ssize(pairs),
          [&](std::int64_t p) {
            const BlockPair& pair = pairs[static_cast<std::size_t>(p)];
            LocalChanges local;
            pair.gather(changes, local);
            for (int k = 0; k < kSweepsAtOnce; ++k) pair.sweep(local);
            pair.scatter(local, changes);
          },
          kPairsAtOnce);
    }
  }
  return changes;
}

void GridRelaxation::add(const NodeChanges& changes) {
  for (std::vector<BlockPair>& pairs : colors_) {
    parallel_for_each(
        std::ssize(pairs),
        [&](std::int64_t p) {
          BlockPair& pair = pairs[static_cast<std::size_t>(p)];
          LocalChanges local;
          pair.gather(changes, local);
          for (int row = 0; row < 2 * kBlockSide * kBlockSide; ++row) {
            const FourCells four(row & 1, row >> 1 & 7, row >> 4);
            float* const missing = &pair.missing[kPaired * static_cast<std::size_t>(row) * 4];
            store8(missing, with_flux(load8(missing), four, local.v.data()));
          }
        },
        kPairsAtOnce);
  }
}

}  // namespace spindrift
