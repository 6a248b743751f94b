#include "spindrift/flow/separation.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "spindrift/core/error.hpp"

namespace spindrift {
namespace {

// Of the pass between the first and the last: it only tells which way liquid goes where it was let
// go.
constexpr double kTrialTolerance = 1e-3;

}  // namespace

SeparationReport project_separating(CellMesh& mesh, const ProjectionInput& input,
                                    const ProjectionParams& params,
                                    const SeparationParams& separation,
                                    std::span<double> normal_velocity,
                                    std::span<Vec3> cell_velocity, std::span<double> pressure) {
  SPINDRIFT_ASSERT(std::ssize(pressure) == mesh.cell_count());
  const Buffer<double> z_before(normal_velocity.begin(), normal_velocity.end());
  const Buffer<Vec3> u_before(cell_velocity.begin(), cell_velocity.end());
  std::vector<std::int32_t> solid_faces;
  for (std::size_t f = 0; f < mesh.tags.size(); ++f) {
    if (mesh.tags[f] == FaceTag::solid) solid_faces.push_back(static_cast<std::int32_t>(f));
  }
  const auto solid_velocity = [&](std::size_t f) {
    return input.solid_velocity.empty() ? 0.0 : input.solid_velocity[f];
  };
  std::optional<Projector> projector;
  const auto assemble = [&] { projector.emplace(mesh, input, params, z_before, u_before); };
  assemble();

  SeparationReport report;
  std::vector<std::int32_t> released;
  for (;;) {
    const bool is_trial = report.passes == 1 && separation.most_passes > 2;
    const double tolerance =
        is_trial ? std::max(params.solve.tolerance, kTrialTolerance) : params.solve.tolerance;
    report.projection = projector->project(tolerance, normal_velocity, cell_velocity, pressure);
    ++report.passes;
    report.iterations += report.projection.solve.iterations;
    if (!report.projection.has_converged || report.passes == separation.most_passes) break;
    bool is_changed = false;
    for (const std::int32_t face : solid_faces) {
      const auto f = static_cast<std::size_t>(face);
      FaceTag& tag = mesh.tags[f];
      if (tag == FaceTag::air) {
        if (normal_velocity[f] <= solid_velocity(f)) continue;
        tag = FaceTag::solid;
        is_changed = true;
      } else if (report.passes == 1) {
        // Later passes only take back, so that they come to an end.
        const auto cell = static_cast<std::size_t>(mesh.face_cells[f][0]);
        if (pressure[cell] >= -separation.least_pull) continue;
        tag = FaceTag::air;
        is_changed = true;
      }
    }
    if (!is_changed && !is_trial) break;
    released.clear();
    for (const std::int32_t face : solid_faces) {
      if (mesh.tags[static_cast<std::size_t>(face)] == FaceTag::air) released.push_back(face);
    }
    if (is_changed && !projector->release(released)) assemble();
  }
  for (const std::int32_t face : solid_faces) {
    report.released += mesh.tags[static_cast<std::size_t>(face)] == FaceTag::air;
  }
  return report;
}

}  // namespace spindrift
