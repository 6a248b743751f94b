// What lies beyond the boundary faces of a mesh.
#pragma once

#include <cstdint>

namespace spindrift {

// Files that carry tags have these numbers.
enum class FaceTag : std::uint8_t {
  inside = 0,  // another tetrahedron
  air = 1,
  solid = 2,
  open = 3,  // more of the same fluid, at a given pressure
};

struct TaggedFace {
  std::int32_t side;  // 4 tet + side
  FaceTag tag;

  bool operator==(const TaggedFace&) const = default;
};

}  // namespace spindrift
