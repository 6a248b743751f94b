// From tetrahedron to tetrahedron towards a point.
#pragma once

#include <bit>
#include <cstdint>

#include "spindrift/mesh/tet_containment.hpp"
#include "spindrift/mesh/tet_neighbors.hpp"

namespace spindrift {

struct TetWalk {
  enum class State : std::uint8_t {
    kGoing,
    kInside,  // the point lies in `tet` and on none of its faces
    kOnFace,  // in `tet` and on one of its faces, which others may share
    kStuck,   // at the boundary, or after too many steps: nothing is known of the point
  };
  // From the seed of a cell a few steps are enough, unless the cell is large for what is in it.
  static constexpr std::int32_t kMaxSteps = 200;

  std::int32_t tet;
  std::int32_t steps_left = kMaxSteps;
  State state = State::kGoing;
};

// The end of a walk that floating-point numbers cannot tell.
void step_exactly(const TetMesh& mesh, const TetNeighbors& neighbors, const Vec3& point,
                  const FaceVolumes& volumes, TetWalk& walk);

// Crosses the face that the point lies beyond by the largest volume, of those that have another
// tetrahedron behind them; or ends the walk.
inline void step(const TetMesh& mesh, const TetNeighbors& neighbors, const Vec3& point,
                 TetWalk& walk) {
  const FaceVolumes volumes = face_volumes(mesh, walk.tet, point);
  const Double4 error = splat4(volumes.error);
  if (true_lanes4(volumes.values > error) == 15) {
    walk.state = TetWalk::State::kInside;
    return;
  }
  unsigned beyond = true_lanes4(volumes.values < -error);
  if (beyond == 0) return step_exactly(mesh, neighbors, point, volumes, walk);
  if (--walk.steps_left < 0) {
    walk.state = TetWalk::State::kStuck;
    return;
  }
  const auto& around = neighbors[static_cast<std::size_t>(walk.tet)];
  double least = 0;
  std::int32_t next = -1;
  for (; beyond != 0; beyond &= beyond - 1) {
    const int k = std::countr_zero(beyond);
    const std::int32_t neighbor = around[static_cast<std::size_t>(k)];
    if (neighbor < 0 || volumes.values[k] >= least) continue;
    least = volumes.values[k];
    next = neighbor;
  }
  if (next < 0) {
    walk.state = TetWalk::State::kStuck;
  } else {
    walk.tet = next >> 2;
  }
}

}  // namespace spindrift
