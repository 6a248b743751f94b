// The loops of parallel.hpp on plain threads, for the thread sanitizer only.
//
// Debian's TBB is not instrumented: the sanitizer does not see how it hands work from thread to
// thread, reports races that are not there, and a suppression of them would also hide ours, whose
// stacks all pass through TBB. Plain threads it understands, so that every report is about a loop
// body.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace spindrift::detail {

// Calls run(c) for every c in [0, chunks) on at most `limit` threads; rethrows the first exception
// after all threads ended.
template <class Run>
void run_on_plain_threads(std::int64_t chunks, int limit, const Run& run) {
  // Relaxed: the counter must not order the chunks, or it would hide the races looked for.
  std::atomic<std::int64_t> next{0};
  std::mutex mutex;
  std::exception_ptr failure;
  const auto work = [&] {
    for (;;) {
      const std::int64_t c = next.fetch_add(1, std::memory_order_relaxed);
      if (c >= chunks) return;
      try {
        run(c);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
        next.store(chunks, std::memory_order_relaxed);
      }
    }
  };
  std::vector<std::thread> helpers;
  for (std::int64_t i = 1; i < std::min<std::int64_t>(limit, chunks); ++i)
    helpers.emplace_back(work);
  work();
  for (std::thread& helper : helpers) helper.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace spindrift::detail
