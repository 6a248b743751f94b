#include <algorithm>
#include <cmath>
#include <vector>

#include "spindrift/core/error.hpp"
#include "spindrift/core/parallel_copy.hpp"
#include "spindrift/flow/operators.hpp"
#include "spindrift/flow/pressure_system.hpp"

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

double greatest_divergence(const CellMesh& mesh, std::span<const double> z,
                           std::span<const double> asked) {
  Buffer<double> flows(asked.size());
  divergence(mesh, z, flows);
  // What is no number is greater than all.
  const auto greater = [](double a, double b) { return a >= b || std::isnan(a) ? a : b; };
  return parallel_reduce_chunks(
      std::ssize(flows), 1 << 14, 0.0,
      [&](std::int64_t begin, std::int64_t end) {
        double greatest = 0;
        for (auto c = static_cast<std::size_t>(begin); c < static_cast<std::size_t>(end); ++c) {
          greatest = greater(greatest, std::abs(flows[c] / mesh.volumes[c] - asked[c]));
        }
        return greatest;
      },
      greater);
}

}  // namespace

AssembledPressure::AssembledPressure(const CellMesh& mesh, const ProjectionInput& input,
                                     const ProjectionParams& params,
                                     std::span<const double> normal_velocity,
                                     std::span<const Vec3> cell_velocity)
    : mesh_(mesh) {
  const auto is_of = [](std::int64_t count, const auto& span) {
    return span.empty() || std::ssize(span) == count;
  };
  SPINDRIFT_ASSERT(std::ssize(normal_velocity) == mesh.face_count());
  SPINDRIFT_ASSERT(std::ssize(cell_velocity) == mesh.cell_count());
  SPINDRIFT_ASSERT(is_of(mesh.face_count(), input.solid_velocity));
  SPINDRIFT_ASSERT(is_of(mesh.face_count(), input.boundary_pressure));
  SPINDRIFT_ASSERT(is_of(mesh.cell_count(), input.divergence));
  expect_usable(mesh, input, params);
  bodies_ = input.bodies != nullptr ? *input.bodies : find_components(mesh);
  set_divergence(input);
  if (params.kind == ProjectionKind::two_point) {
    normal_velocity_.assign(normal_velocity.begin(), normal_velocity.end());
  }
  cell_velocity_.resize(cell_velocity.size());
  parallel_copy(cell_velocity, cell_velocity_);
  const ProjectionProblem problem = {
      mesh,        bodies_,          input,         input.dt / params.density,
      divergence_, normal_velocity_, cell_velocity_};
  system_ = params.kind == ProjectionKind::two_point ? two_point_system(problem)
                                                     : consistent_system(problem);
  system_->balance_right_side(bodies_);
}

// Those asked for, changed evenly in each enclosed body to what its solid faces let through.
void AssembledPressure::set_divergence(const ProjectionInput& input) {
  divergence_.resize(static_cast<std::size_t>(mesh_.cell_count()));
  if (input.divergence.empty()) {
    parallel_fill(divergence_, 0.0);
  } else {
    parallel_copy(input.divergence, divergence_);
  }
  for (const FlowComponent& body : bodies_.components) enclosed_bodies_ += !body.has_pressure;
  if (enclosed_bodies_ == 0) return;
  std::vector<double> missing = sum_by_body(
      bodies_, [&](std::size_t c) { return -divergence_[c] * mesh_.volumes[c]; });  // m^3/s
  for (std::size_t f = 0; f < input.solid_velocity.size(); ++f) {
    if (mesh_.face_cells[f][1] >= 0 || has_pressure(mesh_.tags[f])) continue;
    const auto body =
        static_cast<std::size_t>(bodies_.of_cell[static_cast<std::size_t>(mesh_.face_cells[f][0])]);
    missing[body] += mesh_.area_vectors[f].norm() * input.solid_velocity[f];
  }
  for (std::size_t b = 0; b < missing.size(); ++b) {
    const FlowComponent& body = bodies_.components[b];
    missing[b] = body.has_pressure ? 0 : missing[b] / body.volume;
    greatest_mismatch_ = std::max(greatest_mismatch_, std::abs(missing[b]));
  }
  for (std::size_t c = 0; c < divergence_.size(); ++c) {
    divergence_[c] += missing[static_cast<std::size_t>(bodies_.of_cell[c])];
  }
}

double AssembledPressure::apply(std::span<double> x, std::span<double> normal_velocity,
                                std::span<Vec3> cell_velocity, std::span<double> pressure) const {
  system_->balance_pressure(bodies_, x);
  system_->apply(x, normal_velocity, cell_velocity, pressure);
  return greatest_divergence(mesh_, normal_velocity, divergence_);
}

}  // namespace spindrift
