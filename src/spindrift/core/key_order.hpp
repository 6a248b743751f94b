// Numbers in the order of their keys, by a radix sort.
#pragma once

#include <cstdint>
#include <span>

#include "spindrift/core/buffer.hpp"

namespace spindrift {

// The indices of the keys, at most 2^31, in ascending keys; equal keys in ascending indices. In
// parallel; takes as long as the greatest key less the least has digits.
[[nodiscard]] Buffer<std::int32_t> key_order(std::span<const std::uint64_t> keys);

}  // namespace spindrift
