// Which triangles of a mesh pass through each other. Decided exactly.
#pragma once

#include <cstdint>
#include <vector>

#include "spindrift/geometry/triangle_bvh.hpp"

namespace spindrift {

struct SelfIntersections {
  struct Pair {
    std::int32_t first, second;  // triangles, first < second
  };
  std::int64_t count = 0;
  std::vector<Pair> examples;  // the first ones in order of `first`, at most the number asked for
};

// Counts pairs of triangles that share more than the vertices they have in common: crossing,
// touching from outside, or folded onto each other. Triangles without area are left out, as are
// pairs with the same three vertices (duplicates, which mesh_check counts).
[[nodiscard]] SelfIntersections find_self_intersections(const TriangleMesh& mesh,
                                                        const TriangleBvh& bvh, int max_examples);

// The test of one pair: do the closed triangles share more than their common vertices (by index)?
[[nodiscard]] bool triangles_intersect(const TriangleMesh& mesh, std::int32_t first,
                                       std::int32_t second);

}  // namespace spindrift
