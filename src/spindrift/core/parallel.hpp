// Parallel loops whose results do not depend on the number of threads, bit for bit.
//
// Work is cut into chunks whose bounds depend only on the range and the chunk size. A loop body may
// write only to places that belong to its own indices (gather, do not scatter); a reduction
// combines the chunks' partial results in ascending order. All threads of Spindrift come from here.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#ifdef SPINDRIFT_PLAIN_THREADS
#include "spindrift/core/parallel_plain.hpp"
#else
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>
#include <tbb/parallel_sort.h>
#endif

namespace spindrift {

// Cores that this process may use.
[[nodiscard]] int available_threads();

// Limits all parallel loops to `count` threads (0: all cores) while it lives.
class ThreadLimit {
 public:
  explicit ThreadLimit(int count);
  ~ThreadLimit();
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;

 private:
  struct Control;
  std::unique_ptr<Control> control_;
};

// Threads that parallel loops may use now: the least of all limits alive.
[[nodiscard]] int thread_limit();

// Number of chunks of `chunk` indices that cover [0, count).
[[nodiscard]] inline std::int64_t chunk_count(std::int64_t count, std::int64_t chunk) {
  return (count + chunk - 1) / chunk;
}

// Calls body(begin, end) for consecutive chunks of [0, count). Small ranges run in the caller.
template <class Body>
void parallel_for_chunks(std::int64_t count, std::int64_t chunk, const Body& body) {
  const std::int64_t chunks = chunk_count(count, chunk);
  const auto run = [&](std::int64_t c) { body(c * chunk, std::min(count, (c + 1) * chunk)); };
  if (chunks <= 1) {
    if (chunks == 1) run(0);
    return;
  }
#ifdef SPINDRIFT_PLAIN_THREADS
  detail::run_on_plain_threads(chunks, thread_limit(), run);
#else
  tbb::parallel_for(std::int64_t{0}, chunks, run);
#endif
}

// Calls body(i) for every i in [0, count).
template <class Body>
void parallel_for_each(std::int64_t count, const Body& body, std::int64_t chunk = 1024) {
  parallel_for_chunks(count, chunk, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) body(i);
  });
}

// Combines map(begin, end) over chunks in ascending order, starting from `identity`.
template <class T, class Map, class Combine>
[[nodiscard]] T parallel_reduce_chunks(std::int64_t count, std::int64_t chunk, T identity,
                                       const Map& map, const Combine& combine) {
  static_assert(!std::is_same_v<T, bool>, "neighbouring bits of a vector<bool> share a byte");
  std::vector<T> partial(static_cast<std::size_t>(chunk_count(count, chunk)), identity);
  parallel_for_chunks(count, chunk, [&](std::int64_t begin, std::int64_t end) {
    partial[static_cast<std::size_t>(begin / chunk)] = map(begin, end);
  });
  T result = std::move(identity);
  for (T& value : partial) result = combine(std::move(result), std::move(value));
  return result;
}

// Runs two independent pieces of work, perhaps at the same time.
template <class First, class Second>
void parallel_invoke(const First& first, const Second& second) {
#ifdef SPINDRIFT_PLAIN_THREADS
  detail::run_on_plain_threads(2, thread_limit(),
                               [&](std::int64_t which) { which == 0 ? first() : second(); });
#else
  tbb::parallel_invoke(first, second);
#endif
}

// Sorts by a strict total order: equal elements must be indistinguishable, or the result would
// depend on the threads.
template <class Iterator, class Less = std::less<>>
void parallel_sort_total(Iterator begin, Iterator end, const Less& less = {}) {
#ifdef SPINDRIFT_PLAIN_THREADS
  std::sort(begin, end, less);
#else
  tbb::parallel_sort(begin, end, less);
#endif
}

}  // namespace spindrift
