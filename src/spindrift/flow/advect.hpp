// A velocity carried along itself, from one mesh to another: generalised semi-Lagrangian advection
// [Stam 1999; Feldman 2005; Chentanez 2007, section 3.1].
//
//   u*(x) = u(x traced back by dt)    in the barycentres of the new mesh's cells and faces
#pragma once

#include "spindrift/flow/mesh_velocity.hpp"

namespace spindrift {

struct AdvectionReport {
  std::int64_t points = 0;  // that were traced
};

// `normal_velocity` on faces, along their area vectors, and `cell_velocity` in cells; either may be
// empty, and is then left out: projections need one of them. The cells may be of any shape, and are
// best in an order that keeps neighbours together. The same bits for any number of threads.
AdvectionReport advect(const MeshVelocity& from, const CellMesh& to, double dt,
                       std::span<double> normal_velocity, std::span<Vec3> cell_velocity,
                       PathScheme paths = PathScheme::midpoint);

}  // namespace spindrift
