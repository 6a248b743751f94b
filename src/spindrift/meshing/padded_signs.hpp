// Masks of a brick together with those of its neighbours.
#pragma once

#include "spindrift/meshing/octree.hpp"

namespace spindrift {

inline constexpr BlockMask kNoNodes{};
inline constexpr BlockMask kAllNodes = {~std::uint64_t{0}, ~std::uint64_t{0}, ~std::uint64_t{0},
                                        ~std::uint64_t{0}, ~std::uint64_t{0}, ~std::uint64_t{0},
                                        ~std::uint64_t{0}, ~std::uint64_t{0}};

// `of` gives the mask of a surface brick; the others have all the same.
template <class Of>
[[nodiscard]] PaddedMask padded(const Octree& tree, const Brick& brick, const BlockMask& of_outside,
                                const BlockMask& of_inside, const Of& of) {
  return PaddedMask([&](std::size_t k) -> const BlockMask& {
    const std::int32_t neighbor = brick.around[k];
    if (neighbor < 0) return of_outside;
    const std::int32_t surface = tree.bricks[static_cast<std::size_t>(neighbor)].surface;
    return surface < 0 ? of_inside : of(tree.surface_bricks[static_cast<std::size_t>(surface)]);
  });
}

// Which vertices are inside and outside, of corners and centres.
struct PaddedSigns {
  std::array<PaddedMask, 2> inside, outside;

  PaddedSigns(const Octree& tree, const Brick& brick) {
    for (const Sublattice lattice : {kCorners, kCenters}) {
      inside[lattice] =
          padded(tree, brick, kNoNodes, kAllNodes,
                 [&](const SurfaceBrick& s) -> const BlockMask& { return s.inside[lattice]; });
      outside[lattice] =
          padded(tree, brick, kAllNodes, kNoNodes,
                 [&](const SurfaceBrick& s) -> const BlockMask& { return s.outside[lattice]; });
    }
  }
};

// Any of the 14 neighbours in the lattice, given the vertex's own lattice and the other one.
[[nodiscard]] inline unsigned any_neighbor(const PaddedMask& own, const PaddedMask& other,
                                           Sublattice lattice, int y, int z) {
  unsigned bits = 0;
  for (const int d : {-1, 1}) {
    bits |=
        own.moved_row(y, z, d, 0, 0) | own.moved_row(y, z, 0, d, 0) | own.moved_row(y, z, 0, 0, d);
  }
  // A corner lies between the centres below it and its own; a centre between its corner and those
  // above.
  const int low = lattice == kCorners ? -1 : 0;
  for (int k = 0; k < 8; ++k) {
    bits |= other.moved_row(y, z, low + (k & 1), low + (k >> 1 & 1), low + (k >> 2));
  }
  return bits;
}

}  // namespace spindrift
