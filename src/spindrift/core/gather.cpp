#include "spindrift/core/gather.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <vector>

namespace spindrift {
namespace {

constexpr int kRounds = 5;
constexpr std::size_t kGathers = 1000;

// Seconds of a round, the fastest; `sum` is there for the compiler.
template <class Gather>
double seconds(const Gather& gather, const std::vector<float>& numbers,
               const std::vector<std::int16_t>& places, Float8& sum) {
  double best = std::numeric_limits<double>::max();
  for (int round = 0; round < kRounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < kGathers; ++i) sum += gather(numbers.data(), &places[8 * i]);
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    best = std::min(best, time.count());
  }
  return best;
}

// A tenth of a millisecond, once.
bool measure() {
  const std::vector<float> numbers(1024, 1.0F);
  std::vector<std::int16_t> places(8 * kGathers);
  std::uint32_t state = 1;
  for (std::int16_t& place : places) {
    state = state * 1664525U + 1013904223U;  // [Press et al., Numerical Recipes]
    place = static_cast<std::int16_t>(state >> 22);
  }
  Float8 sum = splat8(0);
  const double at_once =
      seconds([](const float* from, const std::int16_t* p) { return gather_at_once(from, p); },
              numbers, places, sum);
  const double by_loads =
      seconds([](const float* from, const std::int16_t* p) { return gather_by_loads(from, p); },
              numbers, places, sum);
  return at_once < by_loads && sum[0] > 0;
}

}  // namespace

const bool kHasFastGathers = measure();

}  // namespace spindrift
