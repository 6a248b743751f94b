// Numbers in the order of their keys, by a radix sort.
#pragma once

#include <cstdint>
#include <span>

#include "spindrift/core/buffer.hpp"

namespace spindrift {

struct KeyOrder {
  Buffer<std::int32_t> indices;  // of the keys, in ascending keys; of equal keys ascending
  Buffer<std::uint64_t> keys;    // in that order
};

// Of at most 2^31 keys. In parallel; takes as long as the greatest key less the least has digits.
[[nodiscard]] KeyOrder key_order(std::span<const std::uint64_t> keys);

}  // namespace spindrift
