// Long arrays copied and filled by all threads: one alone does not keep the memory busy.
#pragma once

#include <algorithm>
#include <iterator>

#include "spindrift/core/buffer.hpp"
#include "spindrift/core/parallel.hpp"

namespace spindrift {

namespace detail {
inline constexpr std::int64_t kCopiedAtOnce = 1 << 16;
}  // namespace detail

// Of contiguous arrays of the same size.
template <class From, class To>
void parallel_copy(const From& from, To&& to) {
  parallel_for_chunks(
      std::ssize(from), detail::kCopiedAtOnce, [&](std::int64_t begin, std::int64_t end) {
        std::copy(std::data(from) + begin, std::data(from) + end, std::data(to) + begin);
      });
}

template <class To, class T>
void parallel_fill(To&& to, const T& value) {
  parallel_for_chunks(std::ssize(to), detail::kCopiedAtOnce,
                      [&](std::int64_t begin, std::int64_t end) {
                        std::fill(std::data(to) + begin, std::data(to) + end, value);
                      });
}

// Like Buffer<T>(count, value).
template <class T>
[[nodiscard]] Buffer<T> filled_buffer(std::size_t count, const T& value) {
  Buffer<T> result(count);
  parallel_fill(result, value);
  return result;
}

}  // namespace spindrift
