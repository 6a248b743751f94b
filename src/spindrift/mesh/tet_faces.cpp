#include "spindrift/mesh/tet_faces.hpp"

#include <algorithm>

#include "spindrift/core/parallel.hpp"

namespace spindrift {

Buffer<FaceUse> sorted_face_uses(const TetMesh& mesh) {
  Buffer<FaceUse> uses(4 * mesh.tets.size());
  parallel_for_each(std::ssize(uses), [&](FaceId face) {
    Triangle corners = face_corners(mesh, face);
    std::sort(corners.begin(), corners.end());
    uses[face].low_middle =
        static_cast<std::uint64_t>(corners[0]) << 32 | static_cast<std::uint64_t>(corners[1]);
    uses[face].high_face =
        static_cast<std::uint64_t>(corners[2]) << 33 | static_cast<std::uint64_t>(face);
  });
  parallel_sort_total(uses.begin(), uses.end());
  return uses;
}

}  // namespace spindrift
