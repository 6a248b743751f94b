#include "spindrift/flow/projection.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "spindrift/core/stats.hpp"
#include "spindrift/flow/pressure_system.hpp"
#include "spindrift/linear/multigrid.hpp"

namespace spindrift {
namespace {

// A solve that went on where the last one ended.
void add(const SolveReport& next, SolveReport& all) {
  const std::size_t known = all.residuals.empty() ? 0 : 1;  // it begins with the last one's end
  all.residuals.insert(
      all.residuals.end(),
      next.residuals.begin() +
          std::min<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(known), std::ssize(next.residuals)),
      next.residuals.end());
  all.iterations += next.iterations;
  all.seconds += next.seconds;
  all.has_converged = next.has_converged;
  all.problem = next.problem;
}

}  // namespace

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
  Buffer<double> z(normal_velocity.size());
  Buffer<Vec3> u(cell_velocity.size());
  Buffer<double> p(pressure.size());
  SolveParams solve = params.solve;
  for (;;) {
    add(solver.solve(system.right_side(), x, solve), report.solve);
    report.has_converged = report.solve.has_converged;
    report.problem = report.solve.problem;
    if (!report.has_converged) return report;
    report.greatest_divergence = assembled.apply(x, z, u, p);
    if (report.greatest_divergence <= params.greatest_divergence) break;
    report.has_converged = false;
    report.problem = fmt::format("the divergence is {:.2g} 1/s", report.greatest_divergence);
    if (!std::isfinite(report.greatest_divergence)) return report;
    constexpr double kLeast = 1e-14;  // of what rounding allows
    if (report.solve.residual() <= kLeast) return report;
    solve.tolerance = std::max(kLeast, 0.5 * report.solve.residual() * params.greatest_divergence /
                                           report.greatest_divergence);
  }
  std::copy(z.begin(), z.end(), normal_velocity.begin());
  std::copy(u.begin(), u.end(), cell_velocity.begin());
  std::copy(p.begin(), p.end(), pressure.begin());
  return report;
}

}  // namespace spindrift
