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
  for_each_corner([&](auto corner) {
    constexpr int kCorner = corner();
    const float* const v = values + four.at<kCorner>();
    flux += signed_along<kCorner, 0>(load4(v));
    flux += signed_along<kCorner, 1>(load4(v + kLocal));
    flux += signed_along<kCorner, 2>(load4(v + 2 * kLocal));
  });
  return flux;
}

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
};

struct GridRelaxation::Local {
  alignas(32) std::array<float, 3 * kLocal> v;
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
    BlockCells made;
    made.block = block;
    made.cells = mask;
    colors_[static_cast<std::size_t>(color)].push_back(std::move(made));
  }
  for (std::vector<BlockCells>& blocks : colors_) {
    parallel_for_each(
        std::ssize(blocks),
        [&](std::int64_t i) {
          set_up(nodes, freedom, cells, rates, blocks[static_cast<std::size_t>(i)]);
        },
        8);
  }
}

void GridRelaxation::set_up(const GridNodes& nodes, const NodeFreedom& freedom,
                            const NodeSet& /*cells*/, std::span<const float> rates,
                            BlockCells& block) const {
  const Vec3i at = nodes.blocks.coordinate(block.block);
  for (int k = 0; k < 8; ++k) {
    block.blocks[static_cast<std::size_t>(k)] =
        nodes.blocks.find(at + Vec3i(k & 1, k >> 1 & 1, k >> 2));
  }
  block.gives_way.assign(3 * kLocal, 0.0F);
  Buffer<Vec3> values(kLocal, Vec3::Zero());
  Buffer<float> wanted(kLocal, 0.0F);
  for (int z = 0; z < kNodes; ++z) {
    for (int y = 0; y < kNodes; ++y) {
      for (int x = 0; x < kNodes; ++x) {
        const std::int32_t from =
            block.blocks[static_cast<std::size_t>((x >> 3) | (y >> 3) << 1 | (z >> 3) << 2)];
        if (from < 0) continue;
        const auto place = static_cast<std::size_t>(std::int64_t{from} * kBlockNodes +
                                                    node_in_block(Vec3i(x, y, z)));
        const float gives_way = freedom.gives_way[place];
        if (gives_way == 0) continue;
        const std::size_t slot = local_slot({x, y, z});
        values[slot] = nodes.values[place];
        wanted[slot] = rates[place];
        Vec3f share = Vec3f::Constant(gives_way);
        if (freedom.solid_of[place] >= 0) {
          const Vec3& normal =
              freedom.solids[static_cast<std::size_t>(freedom.solid_of[place])].normal;
          if (is_along_axis(normal)) {
            share.array() *= 1 - normal.cast<float>().array().abs().round();
          } else {
            if (block.normals.empty()) block.normals.assign(3 * kLocal, 0.0F);
            for (int axis = 0; axis < 3; ++axis) {
              block.normals[static_cast<std::size_t>(axis) * kLocal + slot] =
                  static_cast<float>(normal[axis]);
            }
          }
        }
        for (int axis = 0; axis < 3; ++axis) {
          block.gives_way[static_cast<std::size_t>(axis) * kLocal + slot] = share[axis];
        }
      }
    }
  }

  block.missing.assign(kBlockNodes, 0.0F);
  block.weights.assign(kBlockNodes, 0.0F);
  for (int k = 0; k < kBlockNodes; ++k) {
    if (!has_node(block.cells, k)) continue;
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
        squares += double{block.gives_way[i]};
        if (!block.normals.empty()) across += sign[axis] * double{block.normals[i]};
      }
      squares -= double{block.gives_way[slot]} * across * across;
    }
    const std::size_t slot = change_slot(static_cast<std::size_t>(k), 0);
    block.missing[slot] = static_cast<float>(flux - 4 * nodes.lattice.spacing * divergence);
    if (squares > 0) block.weights[slot] = static_cast<float>(1 / squares);
  }
}

NodeChanges GridRelaxation::relaxed(int sweeps) const {
  NodeChanges changes(static_cast<std::size_t>(block_count_) * (3 * kBlockNodes), 0.0F);
  for (int i = 0; i < sweeps; ++i) {
    for (const std::vector<BlockCells>& blocks : colors_) {
      parallel_for_each(
          std::ssize(blocks),
          [&](std::int64_t b) {
            const BlockCells& block = blocks[static_cast<std::size_t>(b)];
            Local local;
            gather(block, changes, local);
            block.normals.empty() ? sweep<false>(block, local) : sweep<true>(block, local);
            scatter(block, local, changes);
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
          Local local;
          gather(block, changes, local);
          for (int row = 0; row < 2 * kBlockSide * kBlockSide; ++row) {
            const FourCells four(row & 1, row >> 1 & 7, row >> 4);
            float* const missing = &block.missing[static_cast<std::size_t>(row) * 4];
            store4(missing, with_flux(load4(missing), four, local.v.data()));
          }
        },
        16);
  }
}

void GridRelaxation::gather(const BlockCells& block, const NodeChanges& changes,
                            Local& local) const {
  for (int axis = 0; axis < 3; ++axis) {
    for (int z = 0; z < kNodes; ++z) {
      for (int y = 0; y < kNodes; ++y) {
        float* const to = &local.v[static_cast<std::size_t>(axis) * kLocal + row_of(y, z)];
        const auto side = static_cast<std::size_t>((y >> 3) << 1 | (z >> 3) << 2);
        const auto row = [&](std::int32_t from) {
          return &changes[static_cast<std::size_t>(from) * (3 * kBlockNodes) +
                          static_cast<std::size_t>(axis * kBlockNodes + ((y & 7) << 3) +
                                                   ((z & 7) << 6))];
        };
        const std::int32_t low = block.blocks[side];
        const std::int32_t high = block.blocks[side | 1];
        store4(to, low < 0 ? Float4{} : load4(row(low)));
        store4(to + 4, high < 0 ? Float4{} : Float4{*row(high), 0, 0, 0});
        store4(to + kOdd, low < 0 ? Float4{} : load4(row(low) + 4));
      }
    }
  }
}

void GridRelaxation::scatter(const BlockCells& block, const Local& local,
                             NodeChanges& changes) const {
  for (int axis = 0; axis < 3; ++axis) {
    for (int z = 0; z < kNodes; ++z) {
      for (int y = 0; y < kNodes; ++y) {
        const float* const from = &local.v[static_cast<std::size_t>(axis) * kLocal + row_of(y, z)];
        const auto side = static_cast<std::size_t>((y >> 3) << 1 | (z >> 3) << 2);
        const auto row = [&](std::int32_t to) {
          return &changes[static_cast<std::size_t>(to) * (3 * kBlockNodes) +
                          static_cast<std::size_t>(axis * kBlockNodes + ((y & 7) << 3) +
                                                   ((z & 7) << 6))];
        };
        const std::int32_t low = block.blocks[side];
        const std::int32_t high = block.blocks[side | 1];
        if (low >= 0) {
          store4(row(low), load4(from));
          store4(row(low) + 4, load4(from + kOdd));
        }
        if (high >= 0) *row(high) = from[4];
      }
    }
  }
}

template <bool kOblique>
void GridRelaxation::sweep(const BlockCells& block, Local& local) const {
  constexpr std::array<unsigned, 2> kEveryOther = {0x55, 0xaa};
  const float* const shares = block.gives_way.data();
  const float* const normals = block.normals.data();
  for (int color = 0; color < 8; ++color) {
    const int parity = color & 1;
    for (int z = color >> 2; z < kBlockSide; z += 2) {
      for (int y = color >> 1 & 1; y < kBlockSide; y += 2) {
        const auto row = static_cast<unsigned>(block.cells[static_cast<std::size_t>(z)] >> (8 * y));
        if ((row & kEveryOther[static_cast<std::size_t>(parity)]) == 0) continue;
        const FourCells four(parity, y, z);
        const auto cell = static_cast<std::size_t>((z * 8 + y) * 8 + parity * 4);
        const Float4 flux = with_flux(load4(&block.missing[cell]), four, local.v.data());
        const Float4 step = -kRelaxation * flux * load4(&block.weights[cell]);
        for_each_corner([&](auto corner) {
          constexpr int kCorner = corner();
          const std::size_t at = four.at<kCorner>();
          float* const v = &local.v[at];
          const float* const share = shares + at;
          Float4 in_x = load4(share) * signed_along<kCorner, 0>(step);
          Float4 in_y = load4(share + kLocal) * signed_along<kCorner, 1>(step);
          Float4 in_z = load4(share + 2 * kLocal) * signed_along<kCorner, 2>(step);
          if constexpr (kOblique) {
            const float* const normal = normals + at;
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

}  // namespace spindrift
