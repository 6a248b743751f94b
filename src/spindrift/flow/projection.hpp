// Pressure: makes a velocity keep volume.
//
//   u = u* - (dt / rho) grad p,   with div u as asked for in every cell.
//
// Two ways, with the same velocities kept: normal components z on faces, vectors u in cells.
//
// two_point [Chentanez 2007, section 3.1]: a pressure in every cell, differences of two pressures
// on faces. Fed with z*. Not exact for linear pressures on graded meshes: gravity acts as a
// potential on bodies that touch solids, so that a pool stays at rest, and as a force on the
// others, so that drops fall freely.
//
// consistent: a pressure on every face, its gradient in every cell by Gauss's theorem, and normal
// velocities equal on both sides of faces (Crouzeix-Raviart elements, or hybridised Raviart-Thomas
// ones [Arnold & Brezzi 1985]). Fed with u*. Exact for linear pressures: rest and free fall both
// are. Cells with more than four faces get a term against oscillations that linear pressures do not
// feel; what it lets through faces is not in the cells' vectors, and a second projection finds it.
#pragma once

#include <limits>
#include <memory>
#include <span>
#include <string>

#include "spindrift/flow/components.hpp"
#include "spindrift/linear/solve_report.hpp"

namespace spindrift {

enum class ProjectionKind { two_point, consistent };

struct ProjectionParams {
  ProjectionKind kind = ProjectionKind::consistent;
  double density = 1000;  // kg/m^3
  SolveParams solve;
  // 1/s: if some cell's divergence differs by more from what was asked for, the solver goes on with
  // a smaller tolerance.
  double greatest_divergence = std::numeric_limits<double>::infinity();
};

// Spans are empty, for zero, or have an entry for every face or cell.
struct ProjectionInput {
  double dt = 0;                              // s
  Vec3 gravity = Vec3::Zero();                // m/s^2, acts during dt
  std::span<const double> solid_velocity;     // m/s on solid faces, along their area vectors
  std::span<const double> boundary_pressure;  // Pa on air and open faces
  std::span<const double> divergence;         // 1/s, asked for in the cells
  const FlowComponents* bodies = nullptr;     // find_components() of the mesh, if it is known
};

struct ProjectionReport {
  bool has_converged = false;
  std::string problem;  // why not; velocities are then as they were
  std::int64_t unknowns = 0;
  SetupReport setup;
  SolveReport solve;  // of all tolerances together
  std::int64_t bodies = 0, enclosed_bodies = 0;
  // What enclosed bodies could not take in or give off, 1/s; their divergence is that much off.
  double greatest_mismatch = 0;
  // Of divergences from what was asked for, 1/s.
  double greatest_divergence = 0;
  double seconds_assembly = 0;
};

// Faces' z and cells' u: z* and u* before, the projected ones afterwards. `pressure`: in cells, Pa;
// may be empty.
[[nodiscard]] ProjectionReport project(const CellMesh& mesh, const ProjectionInput& input,
                                       const ProjectionParams& params,
                                       std::span<double> normal_velocity,
                                       std::span<Vec3> cell_velocity,
                                       std::span<double> pressure = {});

// The same in parts, for several projections of the same velocities. Refers to the mesh and the
// input; copies z* and u*.
class Projector {
 public:
  Projector(const CellMesh& mesh, const ProjectionInput& input, const ProjectionParams& params,
            std::span<const double> normal_velocity, std::span<const Vec3> cell_velocity);
  ~Projector();
  Projector(Projector&&) noexcept;

  // Finds the pressure alone, going on from that of the last call; then it, in a cell, and the
  // velocity that follows through a face of the boundary.
  [[nodiscard]] ProjectionReport solve(double tolerance);
  [[nodiscard]] double pressure_in(std::int64_t cell) const;
  [[nodiscard]] double velocity_through(std::int64_t face) const;

  // The same with all velocities. Fills in the results only if it has converged.
  [[nodiscard]] ProjectionReport project(double tolerance, std::span<double> normal_velocity,
                                         std::span<Vec3> cell_velocity, std::span<double> pressure);

  // Takes these faces, which were solid, for air without pressure from now on; those of the last
  // call are solid again. Ascending. Their tags are the caller's matter. False if that needs
  // another Projector. Solves take least iterations with those that were let go before the first
  // one.
  [[nodiscard]] bool release(std::span<const std::int32_t> faces);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace spindrift
