// The values of OpenVDB's leaves as they lie in its files, made from our blocks at once.
//
// A file holds of a leaf a mask of its active values, what its inactive ones are, and the active
// values, packed by Blosc, a frame for each leaf. OpenVDB would want the values in its tree first,
// pack one leaf after the other, and each of them twice: it notes their lengths for readers that
// load parts of a file. These lengths are left out; who misses them finds them in the leaves.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "spindrift/levelset/block_set.hpp"

namespace spindrift {

// Our blocks are OpenVDB's leaves, but for the order of the nodes in them: x and z change places.
// A word for each x, in it a byte for each y, and a bit for each z.
using LeafMask = std::array<std::uint64_t, kBlockSide>;
[[nodiscard]] LeafMask leaf_mask(const BlockMask& mask);

// A block of distances in lattice units, which are `spacing`. They are rounded to 16 bits, and none
// is written that is farther from 0 than `outside`, rounded towards 0; those that are not known are
// `outside`, with their own signs.
void append_distance_leaf(const BlockMask& known, const float* values, float spacing, float outside,
                          std::string& bytes);

// A block of velocities, in half precision; those that are not known are 0.
void append_velocity_leaf(const BlockMask& known, const Vec3f* values, std::string& bytes);

}  // namespace spindrift
