#include "spindrift/flow/projection.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "spindrift/core/parallel_copy.hpp"
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

struct Projector::Parts {
  ProjectionParams params;
  Stopwatch assembly;
  AssembledPressure assembled;
  double seconds_assembly;
  std::optional<Multigrid> solver;  // once it is needed: for what is released until then
  Buffer<double> right_side;
  Buffer<double> x;
  std::vector<std::int32_t> released_rows;

  Parts(const CellMesh& mesh, const ProjectionInput& input, const ProjectionParams& how,
        std::span<const double> normal_velocity, std::span<const Vec3> cell_velocity)
      : params(how),
        assembled(mesh, input, how, normal_velocity, cell_velocity),
        seconds_assembly(assembly.seconds()),
        right_side(assembled.system().right_side().size()),
        x(filled_buffer(right_side.size(), 0.0)) {
    parallel_copy(assembled.system().right_side(), right_side);
  }

  [[nodiscard]] ProjectionReport begin_report() const {
    ProjectionReport report;
    report.seconds_assembly = seconds_assembly;
    report.unknowns = assembled.system().matrix().rows();
    report.bodies = std::ssize(assembled.bodies().components);
    report.enclosed_bodies = assembled.enclosed_bodies();
    report.greatest_mismatch = assembled.greatest_mismatch();
    return report;
  }

  void solve_to(double tolerance, bool is_trial, ProjectionReport& report) {
    SolveParams solve = params.solve;
    solve.tolerance = tolerance;
    solve.is_trial = is_trial;
    if (!solver) {
      const PressureSystem& system = assembled.system();
      solver.emplace(system.matrix(), system.keys(), MultigridParams(), released_rows);
    }
    report.setup = solver->setup();
    add(solver->solve(right_side, x, solve), report.solve);
    report.has_converged = report.solve.has_converged;
    report.problem = report.solve.problem;
  }
};

Projector::Projector(const CellMesh& mesh, const ProjectionInput& input,
                     const ProjectionParams& params, std::span<const double> normal_velocity,
                     std::span<const Vec3> cell_velocity)
    : parts_(std::make_unique<Parts>(mesh, input, params, normal_velocity, cell_velocity)) {}
Projector::~Projector() = default;
Projector::Projector(Projector&&) noexcept = default;

bool Projector::release(std::span<const std::int32_t> faces) {
  // An enclosed body that is let go is no longer enclosed, and takes what it could not before.
  if (parts_->assembled.enclosed_bodies() > 0) return false;
  const PressureSystem& system = parts_->assembled.system();
  std::vector<std::int32_t> rows;
  for (const std::int32_t face : faces) {
    rows.push_back(system.row_of_face(face));
    if (rows.back() < 0) return false;
  }
  if (parts_->solver) parts_->solver->hold_at_zero(rows);
  for (const std::int32_t row : parts_->released_rows) {
    const auto i = static_cast<std::size_t>(row);
    parts_->right_side[i] = system.right_side()[i];
  }
  for (const std::int32_t row : rows) {
    parts_->right_side[static_cast<std::size_t>(row)] = 0;
    parts_->x[static_cast<std::size_t>(row)] = 0;
  }
  parts_->released_rows = std::move(rows);
  return true;
}

ProjectionReport Projector::solve(double tolerance) {
  ProjectionReport report = parts_->begin_report();
  parts_->solve_to(tolerance, true, report);
  return report;
}

double Projector::pressure_in(std::int64_t cell) const {
  return parts_->assembled.system().pressure_in(cell, parts_->x);
}

double Projector::velocity_through(std::int64_t face) const {
  return parts_->assembled.system().velocity_through(face, parts_->x);
}

ProjectionReport Projector::project(double tolerance, std::span<double> normal_velocity,
                                    std::span<Vec3> cell_velocity, std::span<double> pressure) {
  const ProjectionParams& params = parts_->params;
  ProjectionReport report = parts_->begin_report();
  Buffer<double> z(normal_velocity.size());
  Buffer<Vec3> u(cell_velocity.size());
  Buffer<double> p(pressure.size());
  for (;;) {
    parts_->solve_to(tolerance, false, report);
    if (!report.has_converged) return report;
    report.greatest_divergence = parts_->assembled.apply(parts_->x, z, u, p);
    if (report.greatest_divergence <= params.greatest_divergence) break;
    report.has_converged = false;
    report.problem = fmt::format("the divergence is {:.2g} 1/s", report.greatest_divergence);
    if (!std::isfinite(report.greatest_divergence)) return report;
    constexpr double kLeast = 1e-14;  // of what rounding allows
    if (report.solve.residual() <= kLeast) return report;
    tolerance = std::max(kLeast, 0.5 * report.solve.residual() * params.greatest_divergence /
                                     report.greatest_divergence);
  }
  parallel_copy(z, normal_velocity);
  parallel_copy(u, cell_velocity);
  parallel_copy(p, pressure);
  return report;
}

ProjectionReport project(const CellMesh& mesh, const ProjectionInput& input,
                         const ProjectionParams& params, std::span<double> normal_velocity,
                         std::span<Vec3> cell_velocity, std::span<double> pressure) {
  return Projector(mesh, input, params, normal_velocity, cell_velocity)
      .project(params.solve.tolerance, normal_velocity, cell_velocity, pressure);
}

}  // namespace spindrift
