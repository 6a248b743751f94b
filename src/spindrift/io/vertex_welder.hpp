// Numbers points by first occurrence, giving equal points the same number.
#pragma once

#include <cstdint>
#include <vector>

#include "spindrift/core/vec.hpp"

namespace spindrift {

// A hash table over a vector of vertices. Its layout is seeded at random, so that no file can be
// made to fill one bucket; the numbers do not depend on the seed.
class VertexWelder {
 public:
  // Appends new points to `vertices`, which must outlive the welder and begins empty.
  explicit VertexWelder(std::vector<Vec3>& vertices);

  // The number of the vertex with exactly these coordinates. 0.0 and -0.0 are equal.
  [[nodiscard]] std::int32_t number_of(const Vec3& point);

 private:
  struct Slot {
    std::int32_t vertex = -1;  // -1: free
    std::uint32_t tag = 0;     // upper half of the hash: spares most looks at the vertex itself
  };

  [[nodiscard]] std::uint64_t hash(const Vec3& point) const;
  void grow();

  std::vector<Vec3>& vertices_;
  std::vector<Slot> slots_;  // a power of two, at most half full; linear probing
  std::uint64_t seed_;
};

}  // namespace spindrift
