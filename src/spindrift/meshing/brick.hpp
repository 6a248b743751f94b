// The lattice of isosurface stuffing, in bricks of 8 x 8 x 8 finest cells.
//
// Vertices of the body-centred lattice are the corners and the centres of cells. Coordinates count
// half cells: corners are even, centres odd. A brick owns the corners and centres whose index
// (coordinate / 2, rounded down) lies in it; one bit stands for each, as in a BlockMask. Centres of
// larger leaves, and the middles of their faces and edges, are corners of the finest cells.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "spindrift/core/buffer.hpp"
#include "spindrift/core/vec.hpp"
#include "spindrift/levelset/block_set.hpp"

namespace spindrift {

enum Sublattice { kCorners = 0, kCenters = 1 };

inline constexpr int kBrickUnits = 2 * kBlockSide;  // half cells along a brick

// Edges of the lattice, by type, each owned by one of its ends: 0 to 2 from a corner one cell up
// along an axis, 3 to 5 the same from a centre, 6 to 13 from a centre to a corner of its cell, the
// upper one along x, y, z where bit 0, 1, 2 of (type - 6) is set.
inline constexpr int kEdgeTypes = 14;
inline constexpr int kShortEdges = 6;

[[nodiscard]] constexpr Sublattice edge_owner_lattice(int type) {
  return type < 3 ? kCorners : kCenters;
}
// From the owner's index to the other end's, which is a corner's for short edges.
[[nodiscard]] inline Vec3i edge_step(int type) {
  if (type < kShortEdges) return Vec3i::Unit(type % 3);
  const int d = type - kShortEdges;
  return {d & 1, d >> 1 & 1, d >> 2};
}
// From the owner to the other end, in half cells.
[[nodiscard]] inline Vec3i edge_vector(int type) {
  const Vec3i step = 2 * edge_step(type);
  return type < kShortEdges ? step : Vec3i(step - Vec3i::Ones());
}

// A node of a mask, in half cells from the brick's first corner.
[[nodiscard]] inline Vec3i node_units(Sublattice lattice, int node) {
  return 2 * node_offset(node) + Vec3i::Constant(lattice);
}

template <class Visit>
void for_each_bit(const BlockMask& mask, const Visit& visit) {
  for (int z = 0; z < kBlockSide; ++z) {
    for (std::uint64_t bits = mask[static_cast<std::size_t>(z)]; bits != 0; bits &= bits - 1) {
      visit(64 * z + std::countr_zero(bits));
    }
  }
}

// row(y, z): the eight bits of a row.
template <class Row>
[[nodiscard]] BlockMask mask_of_rows(const Row& row) {
  BlockMask mask{};
  for (int z = 0; z < kBlockSide; ++z) {
    for (int y = 0; y < kBlockSide; ++y) {
      mask[static_cast<std::size_t>(z)] |= std::uint64_t{row(y, z)} << (8 * y);
    }
  }
  return mask;
}

// Numbers the set bits of a mask.
struct MaskRanks {
  std::array<std::uint16_t, kBlockSide> before{};  // set bits in the words below
  int count = 0;

  MaskRanks() = default;
  explicit MaskRanks(const BlockMask& mask) {
    for (std::size_t z = 0; z < kBlockSide; ++z) {
      before[z] = static_cast<std::uint16_t>(count);
      count += std::popcount(mask[z]);
    }
  }
  [[nodiscard]] int rank(const BlockMask& mask, int node) const {
    const auto z = static_cast<std::size_t>(node >> 6);
    const std::uint64_t below = (std::uint64_t{1} << (node & 63)) - 1;
    return before[z] + std::popcount(mask[z] & below);
  }
};

// A mask with the bits of the neighbouring bricks around it.
class PaddedMask {
 public:
  // part(k): the mask of neighbour k of 27, as in BlockSet::Neighborhood.
  template <class Part>
  explicit PaddedMask(const Part& part) {
    for (int z = -1; z <= kBlockSide; ++z) {
      const auto layer = static_cast<std::size_t>(z & 7);
      const int step = (z >> 3) + 1;
      const std::size_t first = 9 * static_cast<std::size_t>(step);
      // The words of three neighbours along x: eight rows at a time.
      const auto rows = [&](std::size_t k) {
        const auto widened = [](std::uint64_t word) {
          return __builtin_convertvector(std::bit_cast<Bytes8>(word), Rows8);
        };
        return widened(part(k)[layer]) >> 7 | widened(part(k + 1)[layer]) << 1 |
               (widened(part(k + 2)[layer]) & 1) << 9;
      };
      row(-1, z) = rows(first)[kBlockSide - 1];
      const Rows8 middle = rows(first + 3);
      __builtin_memcpy(&row(0, z), &middle, sizeof middle);
      row(kBlockSide, z) = rows(first + 6)[0];
    }
  }
  PaddedMask() = default;

  // Bit x + 1 of row (y, z) stands for node (x, y, z), each from -1 to 8.
  [[nodiscard]] std::uint16_t row(int y, int z) const { return rows_[index(y, z)]; }
  [[nodiscard]] std::uint16_t& row(int y, int z) { return rows_[index(y, z)]; }
  [[nodiscard]] bool has(int x, int y, int z) const { return (row(y, z) >> (x + 1) & 1) != 0; }

  // The bits of nodes (x + dx, y + dy, z + dz) for x from 0 to 7, each of dx, dy, dz from -1 to 1.
  [[nodiscard]] unsigned moved_row(int y, int z, int dx, int dy, int dz) const {
    return static_cast<unsigned>(row(y + dy, z + dz)) >> (dx + 1) & 0xff;
  }

 private:
  static_assert(std::endian::native == std::endian::little);
  using Bytes8 = std::uint8_t __attribute__((vector_size(8)));
  using Rows8 = std::uint16_t __attribute__((vector_size(16)));
  static std::size_t index(int y, int z) {
    const int row = 10 * (z + 1) + y + 1;
    return static_cast<std::size_t>(row);
  }
  std::array<std::uint16_t, 100> rows_{};
};

}  // namespace spindrift
