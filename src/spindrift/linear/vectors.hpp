// Sums over long vectors, the same bits for any number of threads.
#pragma once

#include <cmath>
#include <span>

#include "spindrift/core/parallel.hpp"

namespace spindrift {

inline constexpr std::int64_t kVectorChunk = 1 << 14;

// Sum of value(i) for i in [0, count).
template <class Value>
[[nodiscard]] double sum_over(std::int64_t count, const Value& value) {
  return parallel_reduce_chunks(
      count, kVectorChunk, 0.0,
      [&](std::int64_t begin, std::int64_t end) {
        double sum = 0;
        for (std::int64_t i = begin; i < end; ++i) sum += value(static_cast<std::size_t>(i));
        return sum;
      },
      [](double a, double b) { return a + b; });
}

[[nodiscard]] inline double dot(std::span<const double> a, std::span<const double> b) {
  return sum_over(std::ssize(a), [&](std::size_t i) { return a[i] * b[i]; });
}
[[nodiscard]] inline double norm(std::span<const double> a) { return std::sqrt(dot(a, a)); }

}  // namespace spindrift
