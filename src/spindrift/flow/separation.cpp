#include "spindrift/flow/separation.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "spindrift/core/error.hpp"

namespace spindrift {
namespace {

// Of passes that only tell where liquid is let go, and which way it goes there.
constexpr double kTrialTolerance = 1e-3;
// Where no solid pulls more than so many times what it may, that is not exact enough: a pool at
// rest pulls nowhere.
constexpr double kCertainPull = 4;
// If no more than one in so many of the faces that are let go is so for the first time, no other
// trial tells which way those go: so it is in most steps of the dam break of the paper's size.
constexpr std::size_t kFewAreNew = 4;

using Faces = std::vector<std::int32_t>;

}  // namespace

SeparationReport project_separating(CellMesh& mesh, const ProjectionInput& given,
                                    const ProjectionParams& params,
                                    const SeparationParams& separation,
                                    std::span<double> normal_velocity,
                                    std::span<Vec3> cell_velocity, std::span<double> pressure) {
  SPINDRIFT_ASSERT(std::ssize(pressure) == mesh.cell_count());
  Faces solid_faces;
  for (std::size_t f = 0; f < mesh.tags.size(); ++f) {
    if (mesh.tags[f] == FaceTag::solid) solid_faces.push_back(static_cast<std::int32_t>(f));
  }
  SPINDRIFT_ASSERT(std::includes(solid_faces.begin(), solid_faces.end(), separation.likely.begin(),
                                 separation.likely.end()));
  ProjectionInput input = given;
  SeparationReport report;
  std::optional<Projector> projector;
  bool is_new = false;  // the projector: its set-up has not been counted
  const auto set_up = [&] {
    projector.emplace(mesh, input, params, normal_velocity, cell_velocity);
    is_new = true;
  };
  // Whether it was found.
  const auto has_found = [&](const ProjectionReport& projection) {
    report.projection = projection;
    ++report.solves;
    report.iterations += projection.solve.iterations;
    report.seconds_solve += projection.solve.seconds;
    if (std::exchange(is_new, false)) {
      report.seconds_setup += projection.seconds_assembly + projection.setup.seconds;
    }
    return projection.has_converged;
  };
  const auto pull_on = [&](std::int32_t face) {
    return -projector->pressure_in(mesh.face_cells[static_cast<std::size_t>(face)][0]);
  };
  const auto goes_into_solid = [&](std::int32_t face) {
    const auto f = static_cast<std::size_t>(face);
    const double wall = input.solid_velocity.empty() ? 0.0 : input.solid_velocity[f];
    return projector->velocity_through(face) > wall;
  };
  bool is_of_these_tags = false;  // the projector: it cannot take back what it was made without
  const auto let_go = [&](Faces faces) {
    for (const std::int32_t f : solid_faces)
      mesh.tags[static_cast<std::size_t>(f)] = FaceTag::solid;
    for (const std::int32_t f : faces) mesh.tags[static_cast<std::size_t>(f)] = FaceTag::air;
    report.released = std::move(faces);
    input.bodies = nullptr;  // air may be at others now
    if (!is_of_these_tags && projector->release(report.released)) return;
    set_up();
    is_of_these_tags = true;
  };
  const double exact = params.solve.tolerance;
  const double trial = std::max(exact, kTrialTolerance);
  const auto project_exactly = [&] {
    (void)has_found(projector->project(exact, normal_velocity, cell_velocity, pressure));
    return report;
  };

  set_up();
  if (!separation.likely.empty()) let_go(separation.likely);
  if (!has_found(projector->solve(trial))) return report;
  Faces held;
  std::set_difference(solid_faces.begin(), solid_faces.end(), report.released.begin(),
                      report.released.end(), std::back_inserter(held));
  const bool pulls_for_certain = std::any_of(held.begin(), held.end(), [&](std::int32_t face) {
    return pull_on(face) > kCertainPull * separation.least_pull;
  });
  if (!pulls_for_certain && !has_found(projector->solve(exact))) return report;
  Faces pulling;
  std::copy_if(held.begin(), held.end(), std::back_inserter(pulling),
               [&](std::int32_t face) { return pull_on(face) > separation.least_pull; });
  Faces stay;
  std::remove_copy_if(report.released.begin(), report.released.end(), std::back_inserter(stay),
                      goes_into_solid);
  if (pulling.empty() && stay.size() == report.released.size()) return project_exactly();
  Faces released;
  std::merge(stay.begin(), stay.end(), pulling.begin(), pulling.end(),
             std::back_inserter(released));
  // Where most of what seemed likely is wrong, so may be what pulled beside it.
  const bool was_likely_wrong = 2 * stay.size() < report.released.size();
  let_go(released);
  if (was_likely_wrong || kFewAreNew * pulling.size() > released.size()) {
    if (!has_found(projector->solve(trial))) return report;
    if (std::erase_if(released, goes_into_solid) > 0) let_go(released);
  }
  return project_exactly();
}

}  // namespace spindrift
