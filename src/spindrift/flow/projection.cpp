#include "spindrift/flow/projection.hpp"

#include "spindrift/core/stats.hpp"
#include "spindrift/flow/pressure_system.hpp"
#include "spindrift/linear/multigrid.hpp"

namespace spindrift {

ProjectionReport project(const CellMesh& mesh, const ProjectionInput& input,
                         const ProjectionParams& params, std::span<double> normal_velocity,
                         std::span<Vec3> cell_velocity, std::span<double> pressure) {
  ProjectionReport report;
  const Stopwatch assembly;
  AssembledPressure assembled(mesh, input, params, normal_velocity, cell_velocity);
  const PressureSystem& system = assembled.system();
  report.seconds_assembly = assembly.seconds();
  report.unknowns = system.matrix().rows();
  report.bodies = std::ssize(assembled.bodies().components);
  report.enclosed_bodies = assembled.enclosed_bodies();
  report.greatest_mismatch = assembled.greatest_mismatch();

  Multigrid solver(system.matrix(), system.keys());
  report.setup = solver.setup();
  Buffer<double> x(static_cast<std::size_t>(report.unknowns), 0.0);
  report.solve = solver.solve(system.right_side(), x, params.solve);
  report.has_converged = report.solve.has_converged;
  report.problem = report.solve.problem;
  if (!report.has_converged) return report;
  report.greatest_divergence = assembled.apply(x, normal_velocity, cell_velocity, pressure);
  return report;
}

}  // namespace spindrift
