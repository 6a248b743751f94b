// Which triangles of a mesh pass through each other. Decided exactly.
#pragma once

#include <cstdint>
#include <vector>

#include "spindrift/geometry/triangle_bvh.hpp"

namespace spindrift {

struct SelfIntersectionParams {
  int max_examples = 5;
  // The search ends here: all pairs of a tangle would take minutes, and say no more.
  std::int64_t max_pairs = 100'000;
  // Nor does it look at more candidates, triangles whose boxes overlap: this many, and 100 for each
  // triangle (well-shaped ones have about 20).
  std::int64_t max_candidates = 5'000'000;
};

struct SelfIntersections {
  struct Pair {
    std::int32_t first, second;  // triangles, first < second
  };
  std::int64_t count = 0;
  bool is_capped = false;      // the search ended early: there may be more
  std::vector<Pair> examples;  // the first ones in order of `first`
};

// Counts pairs of triangles that share more than the vertices they have in common: crossing,
// touching from outside, or folded onto each other. Triangles without area are left out, as are
// pairs with the same three vertices (duplicates, which mesh_check counts).
[[nodiscard]] SelfIntersections find_self_intersections(const TriangleMesh& mesh,
                                                        const TriangleBvh& bvh,
                                                        const SelfIntersectionParams& params = {});

// The test of one pair: do the closed triangles share more than their common vertices (by index)?
[[nodiscard]] bool triangles_intersect(const TriangleMesh& mesh, std::int32_t first,
                                       std::int32_t second);

}  // namespace spindrift
