#include "spindrift/flow/projection.hpp"

#include <cmath>

#include <fmt/format.h>

#include "spindrift/core/error.hpp"
#include "spindrift/core/parallel.hpp"
#include "spindrift/core/stats.hpp"
#include "spindrift/flow/operators.hpp"
#include "spindrift/flow/pressure_system.hpp"
#include "spindrift/linear/multigrid.hpp"

namespace spindrift {
namespace {

// Throws where the method is not defined.
void expect_usable(const CellMesh& mesh, const ProjectionInput& input,
                   const ProjectionParams& params) {
  const auto expect = [](bool holds, const char* problem, const char* advice) {
    if (!holds) throw InputError({}, problem, advice);
  };
  expect(input.dt > 0 && std::isfinite(input.dt), "the time step is not positive",
         "give a positive number of seconds");
  expect(params.density > 0 && std::isfinite(params.density), "the density is not positive",
         "give a positive number of kg/m3");
  const auto all = [](std::int64_t count, const auto& holds) {
    return parallel_reduce_chunks(
               count, 1 << 14, 1,
               [&](std::int64_t begin, std::int64_t end) {
                 int good = 1;
                 for (std::int64_t i = begin; i < end; ++i) {
                   good &= holds(static_cast<std::size_t>(i));
                 }
                 return good;
               },
               [](int a, int b) { return a & b; }) != 0;
  };
  expect(all(mesh.cell_count(),
             [&](std::size_t c) { return mesh.volumes[c] > 0 && std::isfinite(mesh.volumes[c]); }),
         "a cell has no volume", "mesh again without it");
  expect(all(mesh.face_count(),
             [&](std::size_t f) {
               const double squared = mesh.area_vectors[f].squaredNorm();
               return squared > 0 && std::isfinite(squared);
             }),
         "a face has no area", "mesh again without it");
}

// The divergences asked for, changed evenly in each enclosed body to what its solid faces let
// through.
Buffer<double> possible_divergence(const CellMesh& mesh, const FlowComponents& bodies,
                                   const ProjectionInput& input, ProjectionReport& report) {
  Buffer<double> result(static_cast<std::size_t>(mesh.cell_count()), 0.0);
  if (!input.divergence.empty()) {
    std::copy(input.divergence.begin(), input.divergence.end(), result.begin());
  }
  std::vector<double> missing(bodies.components.size(), 0.0);  // m^3/s
  for (std::size_t c = 0; c < result.size(); ++c) {
    missing[static_cast<std::size_t>(bodies.of_cell[c])] -= result[c] * mesh.volumes[c];
  }
  if (!input.solid_velocity.empty()) {
    for (std::size_t f = 0; f < mesh.face_cells.size(); ++f) {
      if (mesh.face_cells[f][1] >= 0 || has_pressure(mesh.tags[f])) continue;
      const auto body =
          static_cast<std::size_t>(bodies.of_cell[static_cast<std::size_t>(mesh.face_cells[f][0])]);
      missing[body] += mesh.area_vectors[f].norm() * input.solid_velocity[f];
    }
  }
  for (std::size_t b = 0; b < missing.size(); ++b) {
    const FlowComponent& body = bodies.components[b];
    missing[b] = body.has_pressure ? 0 : missing[b] / body.volume;
    report.greatest_mismatch = std::max(report.greatest_mismatch, std::abs(missing[b]));
    report.enclosed_bodies += !body.has_pressure;
  }
  for (std::size_t c = 0; c < result.size(); ++c) {
    result[c] += missing[static_cast<std::size_t>(bodies.of_cell[c])];
  }
  return result;
}

double greatest_divergence(const CellMesh& mesh, std::span<const double> z,
                           std::span<const double> asked) {
  Buffer<double> flows(asked.size());
  divergence(mesh, z, flows);
  double greatest = 0;
  for (std::size_t c = 0; c < flows.size(); ++c) {
    greatest = std::max(greatest, std::abs(flows[c] / mesh.volumes[c] - asked[c]));
  }
  return greatest;
}

}  // namespace

ProjectionReport project(const CellMesh& mesh, const ProjectionInput& input,
                         const ProjectionParams& params, std::span<double> normal_velocity,
                         std::span<Vec3> cell_velocity, std::span<double> pressure) {
  expect_usable(mesh, input, params);
  ProjectionReport report;
  const Stopwatch assembly;
  const FlowComponents bodies = find_components(mesh);
  report.bodies = std::ssize(bodies.components);
  const Buffer<double> asked = possible_divergence(mesh, bodies, input, report);
  // Worked on beside the velocities: if there is no solution, these stay.
  Buffer<double> z(normal_velocity.begin(), normal_velocity.end());
  Buffer<Vec3> u(cell_velocity.begin(), cell_velocity.end());
  const ProjectionProblem problem = {mesh, bodies, input, input.dt / params.density, asked, z, u};
  const auto system = params.kind == ProjectionKind::two_point ? two_point_system(problem)
                                                               : consistent_system(problem);
  system->balance_right_side(bodies);
  report.unknowns = system->matrix().rows();
  report.seconds_assembly = assembly.seconds();

  Multigrid solver(system->matrix(), system->keys());
  report.setup = solver.setup();
  Buffer<double> x(static_cast<std::size_t>(report.unknowns), 0.0);
  report.solve = solver.solve(system->right_side(), x, params.solve);
  report.has_converged = report.solve.has_converged;
  report.problem = report.solve.problem;
  if (!report.has_converged) return report;
  system->balance_pressure(bodies, x);
  system->apply(x, pressure);
  report.greatest_divergence = greatest_divergence(mesh, z, asked);
  std::copy(z.begin(), z.end(), normal_velocity.begin());
  std::copy(u.begin(), u.end(), cell_velocity.begin());
  return report;
}

}  // namespace spindrift
