#include "spindrift/flow/separation.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <vector>

#include "spindrift/core/error.hpp"

namespace spindrift {
namespace {

// Of passes that only tell where liquid is let go, and which way it goes there.
constexpr double kTrialTolerance = 1e-3;
// Where no solid pulls more than so many times what it may, that is not exact enough: a pool at
// rest pulls nowhere.
constexpr double kCertainPull = 4;

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
  std::optional<Projector> projector(std::in_place, mesh, input, params, z_before, u_before);
  SeparationReport report;
  // Whether it was found.
  const auto project_to = [&](double tolerance) {
    report.projection = projector->project(tolerance, normal_velocity, cell_velocity, pressure);
    ++report.solves;
    report.iterations += report.projection.solve.iterations;
    if (report.projection.has_converged) return true;
    std::copy(z_before.begin(), z_before.end(), normal_velocity.begin());
    std::copy(u_before.begin(), u_before.end(), cell_velocity.begin());
    return false;
  };
  const auto pull_on = [&](std::int32_t face) {
    return -pressure[static_cast<std::size_t>(mesh.face_cells[static_cast<std::size_t>(face)][0])];
  };
  const auto let_go = [&](const std::vector<std::int32_t>& faces) {
    for (const std::int32_t f : solid_faces)
      mesh.tags[static_cast<std::size_t>(f)] = FaceTag::solid;
    for (const std::int32_t f : faces) mesh.tags[static_cast<std::size_t>(f)] = FaceTag::air;
    report.released = std::ssize(faces);
    if (!projector->release(faces)) projector.emplace(mesh, input, params, z_before, u_before);
  };
  const double exact = params.solve.tolerance;
  const double trial = std::max(exact, kTrialTolerance);

  if (!project_to(trial)) return report;
  const bool pulls_for_certain = std::any_of(
      solid_faces.begin(), solid_faces.end(),
      [&](std::int32_t face) { return pull_on(face) > kCertainPull * separation.least_pull; });
  if (!pulls_for_certain && !project_to(exact)) return report;
  std::vector<std::int32_t> released;
  std::copy_if(solid_faces.begin(), solid_faces.end(), std::back_inserter(released),
               [&](std::int32_t face) { return pull_on(face) > separation.least_pull; });
  if (released.empty()) return report;
  let_go(released);
  if (!project_to(trial)) return report;
  const std::int64_t goes_into_solid = std::erase_if(released, [&](std::int32_t face) {
    const auto f = static_cast<std::size_t>(face);
    return normal_velocity[f] > solid_velocity(f);
  });
  if (goes_into_solid > 0) let_go(released);
  (void)project_to(exact);
  return report;
}

}  // namespace spindrift
