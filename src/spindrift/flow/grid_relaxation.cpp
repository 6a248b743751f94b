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

// A block with the nodes after its last ones. Its rows along x: five even nodes, then, eight places
// from the first, four odd ones.
constexpr int kNodes = kBlockSide + 1;
constexpr int kRow = 12;
constexpr int kLocal = kNodes * kNodes * kRow;
constexpr std::size_t kOdd = 8;

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
  template <int kCorner>
  [[nodiscard]] std::size_t at() const {
    constexpr std::size_t kRows = ((kCorner >> 2) * kNodes + (kCorner >> 1 & 1)) * kRow;
    return first + kRows + ((kCorner & 1) == 0 ? low : high);
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
template <int kCorner, int kAxis>
Float4 signed_along(Float4 v) {
  if constexpr ((kCorner >> kAxis & 1) != 0) {
    return v;
  } else {
    return -v;
  }
}

// The flux out of four cells, added to another.
Float4 with_flux(Float4 flux, const FourCells& four, const float* values) {
  // Six sums side by side: one would wait for itself 24 times.
  std::array<std::array<Float4, 3>, 2> sums{};
  for_each_corner([&](auto corner) {
    constexpr int kCorner = corner();
    const float* const v = values + four.at<kCorner>();
    auto& sum = sums[kCorner & 1];
    sum[0] += signed_along<kCorner, 0>(load4(v));
    sum[1] += signed_along<kCorner, 1>(load4(v + kLocal));
    sum[2] += signed_along<kCorner, 2>(load4(v + 2 * kLocal));
  });
  return flux + ((sums[0][0] + sums[1][0]) + (sums[0][1] + sums[1][1])) + (sums[0][2] + sums[1][2]);
}

// Changes of a block's nodes, and of those after its last ones: kLocal for each axis.
struct LocalChanges {
  alignas(32) std::array<float, 3 * kLocal> v;
};

}  // namespace

// The cells of a block, and what their nodes are like.
struct GridRelaxation::BlockCells {
  std::int64_t block = 0;
  // The block and those after it: bit 0 of the place along x, bit 1 y, bit 2 z; -1: none.
  std::array<std::int32_t, 8> blocks{};
  BlockMask cells{};
  Buffer<float> missing, weights;  // of the cells, as nodes are: even ones first
  Buffer<float> gives_way;         // kLocal for each axis
  Buffer<float> normals;           // the same, of solids across the axes; empty: none

  void set_up(const GridNodes& nodes, const NodeFreedom& freedom, std::span<const float> rates);
  void gather(const NodeChanges& changes, LocalChanges& local) const;
  void scatter(const LocalChanges& local, NodeChanges& changes) const;
  template <bool kOblique>
  void sweep(LocalChanges& local) const;

 private:
  // Of a node in a row of the block or after it.
  void set_freedom(const NodeFreedom& freedom, std::size_t place, std::size_t slot);
  // From the velocities of the nodes and the divergence that they should have.
  void set_equations(std::span<const Vec3> values, std::span<const float> wanted, double spacing);

  // Calls visit(local row, row of the block, first node of the row after it); null: no such block.
  template <class Changes, class Visit>
  void for_each_row(Changes& changes, const Visit& visit) const {
    for (int axis = 0; axis < 3; ++axis) {
      for (int z = 0; z < kNodes; ++z) {
        for (int y = 0; y < kNodes; ++y) {
          const auto side = static_cast<std::size_t>((y >> 3) << 1 | (z >> 3) << 2);
          const auto row = [&](std::int32_t of) {
            return of < 0 ? nullptr
                          : &changes[static_cast<std::size_t>(of) * (3 * kBlockNodes) +
                                     static_cast<std::size_t>(axis * kBlockNodes + ((y & 7) << 3) +
                                                              ((z & 7) << 6))];
          };
          visit(static_cast<std::size_t>(axis) * kLocal + row_of(y, z), row(blocks[side]),
                row(blocks[side | 1]));
        }
      }
    }
  }
};

GridRelaxation::~GridRelaxation() = default;

GridRelaxation::GridRelaxation(const GridNodes& nodes, const NodeFreedom& freedom,
                               const NodeSet& cells, std::span<const float> rates)
    : block_count_(nodes.blocks.size()) {
  for (std::int64_t block = 0; block < block_count_; ++block) {
    const BlockMask& mask = cells[static_cast<std::size_t>(block)];
    if (std::all_of(mask.begin(), mask.end(), [](std::uint64_t word) { return word == 0; })) {
      continue;
    }
    const Vec3i at = nodes.blocks.coordinate(block);
    const int color = (at.x() & 1) | (at.y() & 1) << 1 | (at.z() & 1) << 2;
    BlockCells& made = colors_[static_cast<std::size_t>(color)].emplace_back();
    made.block = block;
    made.cells = mask;
  }
  for (std::vector<BlockCells>& blocks : colors_) {
    parallel_for_each(
        std::ssize(blocks),
        [&](std::int64_t i) { blocks[static_cast<std::size_t>(i)].set_up(nodes, freedom, rates); },
        8);
  }
}

void GridRelaxation::BlockCells::set_up(const GridNodes& nodes, const NodeFreedom& freedom,
                                        std::span<const float> rates) {
  const Vec3i at = nodes.blocks.coordinate(block);
  for (int k = 0; k < 8; ++k) {
    blocks[static_cast<std::size_t>(k)] = nodes.blocks.find(at + Vec3i(k & 1, k >> 1 & 1, k >> 2));
  }
  gives_way.assign(3 * kLocal, 0.0F);
  Buffer<Vec3> values(kLocal, Vec3::Zero());
  Buffer<float> wanted(kLocal, 0.0F);
  for (int z = 0; z < kNodes; ++z) {
    for (int y = 0; y < kNodes; ++y) {
      for (int x = 0; x < kNodes; ++x) {
        const std::int32_t from =
            blocks[static_cast<std::size_t>((x >> 3) | (y >> 3) << 1 | (z >> 3) << 2)];
        if (from < 0) continue;
        const auto place = static_cast<std::size_t>(std::int64_t{from} * kBlockNodes +
                                                    node_in_block(Vec3i(x, y, z)));
        if (freedom.gives_way[place] == 0) continue;
        const std::size_t slot = local_slot({x, y, z});
        values[slot] = nodes.values[place];
        wanted[slot] = rates[place];
        set_freedom(freedom, place, slot);
      }
    }
  }
  set_equations(values, wanted, nodes.lattice.spacing);
}

void GridRelaxation::BlockCells::set_freedom(const NodeFreedom& freedom, std::size_t place,
                                             std::size_t slot) {
  Vec3f share = Vec3f::Constant(freedom.gives_way[place]);
  if (freedom.solid_of[place] >= 0) {
    const Vec3& normal = freedom.solids[static_cast<std::size_t>(freedom.solid_of[place])].normal;
    if (is_along_axis(normal)) {
      share.array() *= 1 - normal.cast<float>().array().abs().round();
    } else {
      if (normals.empty()) normals.assign(3 * kLocal, 0.0F);
      for (int axis = 0; axis < 3; ++axis) {
        normals[static_cast<std::size_t>(axis) * kLocal + slot] = static_cast<float>(normal[axis]);
      }
    }
  }
  for (int axis = 0; axis < 3; ++axis) {
    gives_way[static_cast<std::size_t>(axis) * kLocal + slot] = share[axis];
  }
}

void GridRelaxation::BlockCells::set_equations(std::span<const Vec3> values,
                                               std::span<const float> wanted, double spacing) {
  missing.assign(kBlockNodes, 0.0F);
  weights.assign(kBlockNodes, 0.0F);
  for (int k = 0; k < kBlockNodes; ++k) {
    if (!has_node(cells, k)) continue;
    double flux = 0;
    double squares = 0;
    double divergence = 0;
    for (int corner = 0; corner < 8; ++corner) {
      const std::size_t slot =
          local_slot(node_offset(k) + Vec3i(corner & 1, corner >> 1 & 1, corner >> 2));
      const Vec3 sign = corner_sign(corner);
      flux += sign.dot(values[slot]);
      divergence += double{wanted[slot]} / 8;
      double across = 0;
      for (int axis = 0; axis < 3; ++axis) {
        const std::size_t i = static_cast<std::size_t>(axis) * kLocal + slot;
        squares += double{gives_way[i]};
        if (!normals.empty()) across += sign[axis] * double{normals[i]};
      }
      squares -= double{gives_way[slot]} * across * across;
    }
    const std::size_t slot = change_slot(static_cast<std::size_t>(k), 0);
    missing[slot] = static_cast<float>(flux - 4 * spacing * divergence);
    if (squares > 0) weights[slot] = static_cast<float>(1 / squares);
  }
}

void GridRelaxation::BlockCells::gather(const NodeChanges& changes, LocalChanges& local) const {
  for_each_row(changes, [&](std::size_t slot, const float* own, const float* after) {
    float* const to = &local.v[slot];
    store4(to, own == nullptr ? Float4{} : load4(own));
    store4(to + 4, after == nullptr ? Float4{} : Float4{*after, 0, 0, 0});
    store4(to + kOdd, own == nullptr ? Float4{} : load4(own + 4));
  });
}

void GridRelaxation::BlockCells::scatter(const LocalChanges& local, NodeChanges& changes) const {
  for_each_row(changes, [&](std::size_t slot, float* own, float* after) {
    const float* const from = &local.v[slot];
    if (own != nullptr) {
      store4(own, load4(from));
      store4(own + 4, load4(from + kOdd));
    }
    if (after != nullptr) *after = from[4];
  });
}

template <bool kOblique>
void GridRelaxation::BlockCells::sweep(LocalChanges& local) const {
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
        const auto cell = static_cast<std::size_t>((z * 8 + y) * 8 + parity * 4);
        const Float4 flux = with_flux(load4(&missing[cell]), four, local.v.data());
        const Float4 step = -kRelaxation * flux * load4(&weights[cell]);
        for_each_corner([&](auto corner) {
          constexpr int kCorner = corner();
          const std::size_t at = four.at<kCorner>();
          float* const v = &local.v[at];
          const float* const share = shares + at;
          Float4 in_x = load4(share) * signed_along<kCorner, 0>(step);
          Float4 in_y = load4(share + kLocal) * signed_along<kCorner, 1>(step);
          Float4 in_z = load4(share + 2 * kLocal) * signed_along<kCorner, 2>(step);
          if constexpr (kOblique) {
            const float* const normal = all_normals + at;
            const Float4 nx = load4(normal);
            const Float4 ny = load4(normal + kLocal);
            const Float4 nz = load4(normal + 2 * kLocal);
            const Float4 across = nx * in_x + ny * in_y + nz * in_z;
            in_x -= across * nx;
            in_y -= across * ny;
            in_z -= across * nz;
          }
          store4(v, load4(v) + in_x);
          store4(v + kLocal, load4(v + kLocal) + in_y);
          store4(v + 2 * kLocal, load4(v + 2 * kLocal) + in_z);
        });
      }
    }
  }
}

NodeChanges GridRelaxation::relaxed(int sweeps) const {
  NodeChanges changes(static_cast<std::size_t>(block_count_) * (3 * kBlockNodes), 0.0F);
  for (int i = 0; i < sweeps; i += kSweepsAtOnce) {
    for (const std::vector<BlockCells>& blocks : colors_) {
      parallel_for_each(
          std::ssize(blocks),
          [&](std::int64_t b) {
            const BlockCells& block = blocks[static_cast<std::size_t>(b)];
            LocalChanges local;
            block.gather(changes, local);
            for (int k = 0; k < kSweepsAtOnce; ++k) {
              block.normals.empty() ? block.sweep<false>(local) : block.sweep<true>(local);
            }
            block.scatter(local, changes);
          },
          16);
    }
  }
  return changes;
}

void GridRelaxation::add(const NodeChanges& changes) {
  for (std::vector<BlockCells>& blocks : colors_) {
    parallel_for_each(
        std::ssize(blocks),
        [&](std::int64_t b) {
          BlockCells& block = blocks[static_cast<std::size_t>(b)];
          LocalChanges local;
          block.gather(changes, local);
          for (int row = 0; row < 2 * kBlockSide * kBlockSide; ++row) {
            const FourCells four(row & 1, row >> 1 & 7, row >> 4);
            float* const missing = &block.missing[static_cast<std::size_t>(row) * 4];
            store4(missing, with_flux(load4(missing), four, local.v.data()));
          }
        },
        16);
  }
}

}  // namespace spindrift
