// Where the time went and how often things happened: named phases and named counters.
//
//   Stats stats;
//   { auto phase = stats.measure("mesh"); build_mesh(); }
//   stats.count("snapped vertices", n);
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace spindrift {

class Stats {
 public:
  template <class T>
  struct Entry {
    std::string name;
    T value;
  };

  // Adds the time from its construction to its destruction to one phase.
  class Phase {
   public:
    Phase(Stats& stats, std::string_view name) : stats_(stats), name_(name) {}
    ~Phase();
    Phase(const Phase&) = delete;
    Phase& operator=(const Phase&) = delete;

   private:
    Stats& stats_;
    std::string name_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  };

  [[nodiscard]] Phase measure(std::string_view name) { return Phase(*this, name); }
  void add_seconds(std::string_view phase, double seconds);
  void count(std::string_view counter, std::int64_t amount = 1);

  // 0 for a name that was never used.
  [[nodiscard]] double seconds(std::string_view phase) const;
  [[nodiscard]] std::int64_t count_of(std::string_view counter) const;

  // In the order of first use.
  [[nodiscard]] const std::vector<Entry<double>>& phases() const { return phases_; }
  [[nodiscard]] const std::vector<Entry<std::int64_t>>& counters() const { return counters_; }

 private:
  std::vector<Entry<double>> phases_;
  std::vector<Entry<std::int64_t>> counters_;
};

// Wall-clock seconds since construction.
class Stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Greatest resident memory of this process so far.
[[nodiscard]] std::int64_t peak_bytes();

}  // namespace spindrift
