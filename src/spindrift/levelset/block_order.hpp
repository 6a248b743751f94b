// Numbers in the order of the blocks that they are in.
#pragma once

#include <cstdint>
#include <span>

#include "spindrift/core/key_order.hpp"

namespace spindrift {

// The same as key_order() of block_key()s. Those of a liquid fill a box: their coordinates in it
// have half as many digits.
[[nodiscard]] KeyOrder block_key_order(std::span<const std::uint64_t> keys);

}  // namespace spindrift
