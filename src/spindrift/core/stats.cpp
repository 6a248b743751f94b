#include "spindrift/core/stats.hpp"

#include <algorithm>

#include <sys/resource.h>

namespace spindrift {

namespace {

template <class T>
T& entry(std::vector<Stats::Entry<T>>& entries, std::string_view name) {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const Stats::Entry<T>& e) { return e.name == name; });
  if (found != entries.end()) return found->value;
  entries.push_back({std::string(name), T{}});
  return entries.back().value;
}

template <class T>
T value_or_zero(const std::vector<Stats::Entry<T>>& entries, std::string_view name) {
  for (const Stats::Entry<T>& e : entries) {
    if (e.name == name) return e.value;
  }
  return T{};
}

}  // namespace

Stats::Phase::~Phase() {
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
  stats_.add_seconds(name_, elapsed.count());
}

void Stats::add_seconds(std::string_view phase, double seconds) {
  entry(phases_, phase) += seconds;
}

void Stats::count(std::string_view counter, std::int64_t amount) {
  entry(counters_, counter) += amount;
}

double Stats::seconds(std::string_view phase) const { return value_or_zero(phases_, phase); }

std::int64_t Stats::count_of(std::string_view counter) const {
  return value_or_zero(counters_, counter);
}

std::int64_t peak_bytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::int64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace spindrift
