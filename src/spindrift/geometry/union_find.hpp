// Disjoint sets whose representative is always the lowest member: the result does not depend on the
// order of the unions.
#pragma once

#include <atomic>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace spindrift {

class UnionFind {
 public:
  explicit UnionFind(std::int64_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }

  [[nodiscard]] std::int32_t find(std::int32_t x) {
    while (parent_[x] != x) {
      parent_[x] = parent_[parent_[x]];
      x = parent_[x];
    }
    return x;
  }

  void unite(std::int32_t a, std::int32_t b) {
    a = find(a);
    b = find(b);
    if (a > b) std::swap(a, b);
    parent_[b] = a;
  }

  // The same, from several threads at once: parents are lower than their children, whoever sets
  // them.
  void unite_among_others(std::int32_t a, std::int32_t b) {
    for (;;) {
      a = find_among_others(a);
      b = find_among_others(b);
      if (a == b) return;
      if (a > b) std::swap(a, b);
      // Unless b has got a parent by now.
      std::int32_t own = b;
      if (shared(b).compare_exchange_strong(own, a, std::memory_order_relaxed)) return;
    }
  }

 private:
  [[nodiscard]] std::atomic_ref<std::int32_t> shared(std::int32_t x) {
    return std::atomic_ref(parent_[static_cast<std::size_t>(x)]);
  }
  // Others may go on while this looks.
  [[nodiscard]] std::int32_t find_among_others(std::int32_t x) {
    for (;;) {
      const std::int32_t parent = shared(x).load(std::memory_order_relaxed);
      if (parent == x) return x;
      const std::int32_t above = shared(parent).load(std::memory_order_relaxed);
      if (above != parent) shared(x).store(above, std::memory_order_relaxed);
      x = above;
    }
  }

  std::vector<std::int32_t> parent_;
};

}  // namespace spindrift
