// A projection in which solids push liquid and do not pull it.
//
// On the faces where liquid touches a solid either it moves with the solid, and the pressure is
// not negative, or the pressure is zero, and it moves away: liquid falls off ceilings. Which face
// is which follows by trial [the active-set form of Batty et al. 2007]: faces where the solid would
// have to pull are let go, as air; those of them that would then go into the solid are taken back.
// Once each way: what is left is small, and another step follows. That one starts from where they
// were let go before, most of which stays, so that a single trial tells the rest.
#pragma once

#include <cstdint>
#include <vector>

#include "spindrift/flow/projection.hpp"

namespace spindrift {

struct SeparationParams {
  double least_pull = 0;  // Pa: solids may pull as much without letting go
  // Solid faces, ascending, that are let go unless liquid would go into the solid there.
  std::vector<std::int32_t> likely = {};
};

struct SeparationReport {
  ProjectionReport projection;  // the last one
  int solves = 0;
  std::vector<std::int32_t> released;  // faces that are let go, ascending
  std::int64_t iterations = 0;         // of all solves
  double seconds_setup = 0;            // making the system, and the multigrid of it
  double seconds_solve = 0;
};

// As project(); faces that are let go are tagged as air afterwards.
[[nodiscard]] SeparationReport project_separating(CellMesh& mesh, const ProjectionInput& input,
                                                  const ProjectionParams& params,
                                                  const SeparationParams& separation,
                                                  std::span<double> normal_velocity,
                                                  std::span<Vec3> cell_velocity,
                                                  std::span<double> pressure);

}  // namespace spindrift
