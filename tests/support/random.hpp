// Random points for tests, the same on every platform; a failing test prints the seed.
#pragma once

#include <cstdint>

#include "spindrift/core/vec.hpp"

namespace spindrift::test {

// SplitMix64 [Steele, Lea, Flood 2014].
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  // In [0, 1).
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  double between(double low, double high) { return low + (high - low) * unit(); }
  std::int64_t below(std::int64_t limit) {
    return static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(limit));
  }
  Vec3 in_box(const Box3& box) {
    const Vec3 t(unit(), unit(), unit());
    return box.min() + t.cwiseProduct(box.max() - box.min());
  }
  Vec3 direction() {
    for (;;) {
      const Vec3 v(between(-1, 1), between(-1, 1), between(-1, 1));
      const double length = v.norm();
      if (length > 0.1 && length <= 1) return v / length;
    }
  }

 private:
  std::uint64_t state_;
};

}  // namespace spindrift::test
