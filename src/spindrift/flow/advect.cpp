#include "spindrift/flow/advect.hpp"

#include <cmath>
#include <vector>

#include "spindrift/core/error.hpp"
#include "spindrift/core/parallel_copy.hpp"

namespace spindrift {
namespace {

// Velocities where the points came from.
Buffer<Vec3> carried_to(std::span<const Vec3> points, const MeshVelocity& from, double dt,
                        PathScheme scheme, AdvectionReport& report) {
  report.points += std::ssize(points);
  Buffer<Vec3> origins(points.size());
  parallel_copy(points, origins);
  {
    const auto phase = report.stats.measure("trace");
    trace_paths(from.paths(), -dt, scheme, origins);
  }
  const auto phase = report.stats.measure("look up");
  Buffer<Vec3> values(points.size());
  evaluate_parallel(from.values(), origins, values);
  return values;
}

}  // namespace

AdvectionReport advect(const MeshVelocity& from, const CellMesh& to, double dt,
                       std::span<double> normal_velocity, std::span<Vec3> cell_velocity,
                       PathScheme paths) {
  SPINDRIFT_ASSERT(std::isfinite(dt));
  SPINDRIFT_ASSERT(normal_velocity.empty() || normal_velocity.size() == to.face_centers.size());
  SPINDRIFT_ASSERT(cell_velocity.empty() || cell_velocity.size() == to.centers.size());
  AdvectionReport report;
  if (!cell_velocity.empty()) {
    const Buffer<Vec3> values = carried_to(to.centers, from, dt, paths, report);
    parallel_copy(values, cell_velocity);
  }
  if (!normal_velocity.empty()) {
    const Buffer<Vec3> values = carried_to(to.face_centers, from, dt, paths, report);
    parallel_for_each(to.face_count(), [&](std::int64_t face) {
      const auto f = static_cast<std::size_t>(face);
      normal_velocity[f] = values[f].dot(to.area_vectors[f].normalized());
    });
  }
  return report;
}

}  // namespace spindrift
