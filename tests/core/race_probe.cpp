// Has a data race, which the thread sanitizer must find: a test of our use of it.
#include <atomic>
#include <cstdio>

#include "spindrift/core/parallel.hpp"

int main() {
  const spindrift::ThreadLimit limit(2);
  std::atomic<int> started{0};
  int count = 0;
  spindrift::parallel_for_each(
      2,
      [&](std::int64_t) {
        // Both threads are here before either goes on; relaxed, so that this orders nothing.
        started.fetch_add(1, std::memory_order_relaxed);
        while (started.load(std::memory_order_relaxed) < 2) {
        }
        ++count;
      },
      1);
  std::printf("counted %d\n", count);
}
