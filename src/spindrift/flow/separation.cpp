#include "spindrift/flow/separation.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <vector>

#include "spindrift/core/error.hpp"
#include "spindrift/core/stats.hpp"

namespace spindrift {
namespace {

// Of passes that only tell where liquid is let go, and which way it goes there.
constexpr double kTrialTolerance = 1e-3;
// Where no solid pulls more than so many times what it may, that is not exact enough: a pool at
// rest pulls nowhere.
constexpr double kCertainPull = 4;

}  // namespace

SeparationReport project_separating(CellMesh& mesh, const ProjectionInput& given,
                                    const ProjectionParams& params,
                                    const SeparationParams& separation,
                                    std::span<double> normal_velocity,
                                    std::span<Vec3> cell_velocity, std::span<double> pressure) {
  SPINDRIFT_ASSERT(std::ssize(pressure) == mesh.cell_count());
  std::vector<std::int32_t> solid_faces;
  for (std::size_t f = 0; f < mesh.tags.size(); ++f) {
    if (mesh.tags[f] == FaceTag::solid) solid_faces.push_back(static_cast<std::int32_t>(f));
  }
  ProjectionInput input = given;
  SeparationReport report;
  std::optional<Projector> projector;
  const auto set_up = [&] {
    const Stopwatch watch;
    projector.emplace(mesh, input, params, normal_velocity, cell_velocity);
    report.seconds_setup += watch.seconds();
  };
  // Whether it was found.
  const auto has_found = [&](const ProjectionReport& projection) {
    report.projection = projection;
    ++report.solves;
    report.iterations += projection.solve.iterations;
    report.seconds_solve += projection.solve.seconds;
    return projection.has_converged;
  };
  const auto pull_on = [&](std::int32_t face) {
    return -projector->pressure_in(mesh.face_cells[static_cast<std::size_t>(face)][0]);
  };
  const auto let_go = [&](const std::vector<std::int32_t>& faces) {
    for (const std::int32_t f : solid_faces)
      mesh.tags[static_cast<std::size_t>(f)] = FaceTag::solid;
    for (const std::int32_t f : faces) mesh.tags[static_cast<std::size_t>(f)] = FaceTag::air;
    report.released = std::ssize(faces);
    input.bodies = nullptr;  // air may be at others now
    if (!projector->release(faces)) set_up();
  };
  const double exact = params.solve.tolerance;
  const double trial = std::max(exact, kTrialTolerance);
  const auto project_exactly = [&] {
    (void)has_found(projector->project(exact, normal_velocity, cell_velocity, pressure));
    return report;
  };

  set_up();
  if (!has_found(projector->solve(trial))) return report;
  const bool pulls_for_certain = std::any_of(
      solid_faces.begin(), solid_faces.end(),
      [&](std::int32_t face) { return pull_on(face) > kCertainPull * separation.least_pull; });
  if (!pulls_for_certain && !has_found(projector->solve(exact))) return report;
  std::vector<std::int32_t> released;
  std::copy_if(solid_faces.begin(), solid_faces.end(), std::back_inserter(released),
               [&](std::int32_t face) { return pull_on(face) > separation.least_pull; });
  if (released.empty()) return project_exactly();
  let_go(released);
  if (!has_found(projector->solve(trial))) return report;
  const std::int64_t goes_into_solid = std::erase_if(released, [&](std::int32_t face) {
    const auto f = static_cast<std::size_t>(face);
    const double wall = input.solid_velocity.empty() ? 0.0 : input.solid_velocity[f];
    return projector->velocity_through(face) > wall;
  });
  if (goes_into_solid > 0) let_go(released);
  return project_exactly();
}

}  // namespace spindrift
