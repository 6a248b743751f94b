#include "spindrift/levelset/contour_cells.hpp"

#include <cmath>
#include <cstring>

#include "spindrift/core/error.hpp"
#include "spindrift/core/parallel.hpp"
#include "spindrift/core/simd.hpp"

namespace spindrift {
namespace {

constexpr std::int64_t kChunk = 64;  // blocks
constexpr std::uint64_t kFirstColumn = 0x0101010101010101u;

BlockMask negative_nodes(const float* values) {
  BlockMask mask{};
  for (int row = 0; row < kBlockSide * kBlockSide; ++row) {
    Float8 lanes;
    std::memcpy(&lanes, values + row * kBlockSide, sizeof(lanes));
    mask[static_cast<std::size_t>(row >> 3)] |= std::uint64_t{true_lanes(lanes < Float8{})}
                                                << (8 * (row & 7));
  }
  return mask;
}

[[maybe_unused]] bool has_numbers_only(const float* values, const BlockMask& known) {
  for (int node = 0; node < kBlockNodes; ++node) {
    if (has_node(known, node) && std::isnan(values[node])) return false;
  }
  return true;
}

std::uint64_t one_up_x(std::uint64_t word, std::uint64_t beyond) {
  return (word >> 1 & ~(kFirstColumn << 7)) | (beyond & kFirstColumn) << 7;
}
std::uint64_t one_up_y(std::uint64_t word, std::uint64_t beyond) {
  return word >> 8 | beyond << 56;
}

}  // namespace

FieldSigns find_signs(const SampledField& field) {
  FieldSigns signs;
  const std::int64_t count = field.blocks.size();
  signs.inside.resize(static_cast<std::size_t>(count));
  signs.kinds.resize(static_cast<std::size_t>(count));
  signs.around.resize(static_cast<std::size_t>(count));
  parallel_for_each(
      count,
      [&](std::int64_t b) {
        const auto block = static_cast<std::size_t>(b);
        const BlockMask& known = field.known[block];
        SPINDRIFT_DEBUG_ASSERT(has_numbers_only(field.block_values(b), known));
        BlockMask inside = negative_nodes(field.block_values(b));
        std::uint64_t any_inside = 0, any_outside = 0;
        for (std::size_t z = 0; z < kBlockSide; ++z) {
          any_outside |= known[z] & ~inside[z];
          inside[z] &= known[z];
          any_inside |= inside[z];
        }
        signs.inside[block] = inside;
        signs.kinds[block] =
            static_cast<std::uint8_t>((any_inside != 0 ? 1 : 0) | (any_outside != 0 ? 2 : 0));
        signs.around[block] = field.blocks.neighborhood(field.blocks.coordinate(b));
      },
      kChunk);
  return signs;
}

Octant octant_below(const BlockSet::Neighborhood& around, unsigned down) {
  const unsigned lowest = 13 - ((down & 1) + 3 * (down >> 1 & 1) + 9 * (down >> 2));
  Octant octant;
  for (unsigned k = 0; k < 8; ++k) {
    octant[k] = around[lowest + (k & 1) + 3 * (k >> 1 & 1) + 9 * (k >> 2)];
  }
  return octant;
}

bool has_both_signs(const FieldSigns& signs, const Octant& octant) {
  unsigned kinds = 0;
  for (const std::int32_t block : octant) {
    if (block >= 0) kinds |= signs.kinds[static_cast<std::size_t>(block)];
  }
  return kinds == 3;
}

ReachingMask reaching_mask(const std::vector<BlockMask>& masks, const Octant& octant) {
  static constexpr BlockMask kNone{};
  std::array<const BlockMask*, 8> blocks;
  for (std::size_t k = 0; k < 8; ++k) {
    blocks[k] = octant[k] < 0 ? &kNone : &masks[static_cast<std::size_t>(octant[k])];
  }
  ReachingMask mask;
  for (std::size_t z = 0; z <= kBlockSide; ++z) {
    const std::size_t above = z == kBlockSide ? 4 : 0, slice = z % kBlockSide;
    const auto word = [&](std::size_t k) { return (*blocks[above + k])[slice]; };
    const std::uint64_t right = one_up_x(word(0), word(1));
    const std::uint64_t right_of_next = one_up_x(word(2), word(3));
    mask.words[z] = {word(0), right, one_up_y(word(0), word(2)), one_up_y(right, right_of_next)};
  }
  return mask;
}

CrossedCells crossed_cells(const ReachingMask& inside, const ReachingMask& known) {
  struct Slice {
    std::uint64_t any_inside = 0, any_outside = 0, all_known = ~std::uint64_t{0};
  };
  const auto slice_of = [&](std::size_t z) {
    Slice slice;
    for (std::size_t k = 0; k < 4; ++k) {
      slice.any_inside |= inside.words[z][k];
      slice.any_outside |= known.words[z][k] & ~inside.words[z][k];
      slice.all_known &= known.words[z][k];
    }
    return slice;
  };
  CrossedCells cells;
  Slice below = slice_of(0);
  for (std::size_t z = 0; z < kBlockSide; ++z) {
    const Slice above = slice_of(z + 1);
    const std::uint64_t crossed =
        (below.any_inside | above.any_inside) & (below.any_outside | above.any_outside);
    const std::uint64_t all_known = below.all_known & above.all_known;
    cells.complete[z] = crossed & all_known;
    cells.open[z] = crossed & ~all_known;
    below = above;
  }
  return cells;
}

std::array<BlockMask, 3> crossed_edges(const ReachingMask& inside, const ReachingMask& known) {
  std::array<BlockMask, 3> edges;
  for (std::size_t z = 0; z < kBlockSide; ++z) {
    const auto crossed = [&](std::size_t other_z, std::size_t other) {
      return (inside.words[z][0] ^ inside.words[other_z][other]) & known.words[z][0] &
             known.words[other_z][other];
    };
    edges[0][z] = crossed(z, 1);
    edges[1][z] = crossed(z, 2);
    edges[2][z] = crossed(z + 1, 0);
  }
  return edges;
}

}  // namespace spindrift
