// Disjoint sets whose representative is always the lowest member: the result does not depend on the
// order of the unions.
#pragma once

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

 private:
  std::vector<std::int32_t> parent_;
};

}  // namespace spindrift
