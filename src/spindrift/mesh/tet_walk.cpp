#include "spindrift/mesh/tet_walk.hpp"

namespace spindrift {

void step_exactly(const TetMesh& mesh, const TetNeighbors& neighbors, const Vec3& point,
                  const FaceVolumes& volumes, TetWalk& walk) {
  bool is_on_face = false;
  for (int k = 0; k < 4; ++k) {
    if (volumes.values[k] > volumes.error) continue;
    const int side = side_of_face(mesh, walk.tet, k, point);
    if (side == 0) is_on_face = true;
    if (side >= 0) continue;
    const std::int32_t neighbor =
        neighbors[static_cast<std::size_t>(walk.tet)][static_cast<std::size_t>(k)];
    if (neighbor < 0 || --walk.steps_left < 0) {
      walk.state = TetWalk::State::kStuck;
    } else {
      walk.tet = neighbor >> 2;
    }
    return;
  }
  walk.state = is_on_face ? TetWalk::State::kOnFace : TetWalk::State::kInside;
}

}  // namespace spindrift
