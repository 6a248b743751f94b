// Has a data race, which the thread sanitizer must find: a test of our use of it.
#include <cstdio>

#include "spindrift/core/parallel.hpp"

int main() {
  const spindrift::ThreadLimit limit(2);
  std::int64_t count = 0;
  spindrift::parallel_for_each(100'000, [&](std::int64_t) { ++count; });
  std::printf("counted %lld\n", static_cast<long long>(count));
}
