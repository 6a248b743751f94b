// A matrix I - G in single precision, eight rows at a time.
//
// Rows are kept in slices of eight with as many slots as the longest of them has entries, lane by
// lane; empty slots have weight 0 and point at their own row. A product loads eight numbers for a
// slot one by one, which is faster than the processor's own gathers, and multiplies them at once.
#pragma once

#include <cstdint>
#include <span>

#include "spindrift/core/buffer.hpp"
#include "spindrift/core/simd.hpp"

namespace spindrift {

struct SlicedMatrix {
  static constexpr int kLanes = 8;

  std::int64_t rows = 0;
  std::int64_t entries = 0;        // of G, without empty slots
  Buffer<std::int32_t> starts{0};  // slots before each slice
  Buffer<std::int32_t> columns;    // of slot s: [8 s, 8 s + 8)
  Buffer<float> weights;

  [[nodiscard]] std::int64_t slices() const { return std::ssize(starts) - 1; }
  [[nodiscard]] std::int64_t bytes() const {
    return 4 * (std::ssize(starts) + std::ssize(columns) + std::ssize(weights));
  }

  // G x for the eight rows of a slice. x is as long as all slices.
  [[nodiscard]] Float8 product(std::int64_t slice, const float* x) const {
    Float8 sum = splat8(0);
    const auto begin = static_cast<std::size_t>(starts[static_cast<std::size_t>(slice)]);
    const auto end = static_cast<std::size_t>(starts[static_cast<std::size_t>(slice) + 1]);
    for (std::size_t s = begin; s < end; ++s) {
      const std::int32_t* c = columns.data() + 8 * s;
      const Float8 values = {x[c[0]], x[c[1]], x[c[2]], x[c[3]],
                             x[c[4]], x[c[5]], x[c[6]], x[c[7]]};
      Float8 w;
      __builtin_memcpy(&w, weights.data() + 8 * s, sizeof w);
      sum += w * values;
    }
    return sum;
  }
};

}  // namespace spindrift
