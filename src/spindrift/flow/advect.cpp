#include "spindrift/flow/advect.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "spindrift/core/error.hpp"
#include "spindrift/core/parallel.hpp"

namespace spindrift {
namespace {

// Points that are traced and looked up while they are at hand.
constexpr std::int64_t kBatch = 1024;

// Velocities where the points came from, to use(first, velocities) batch by batch.
template <class Use>
void carry(std::span<const Vec3> points, const MeshVelocity& from, double dt, PathScheme scheme,
           const Use& use) {
  parallel_for_chunks(std::ssize(points), kBatch, [&](std::int64_t begin, std::int64_t end) {
    std::vector<Vec3> origins(points.begin() + begin, points.begin() + end);
    trace_paths(from.paths(), -dt, scheme, origins);
    std::vector<Vec3> values(origins.size());
    from.values().evaluate(origins, values);
    use(static_cast<std::size_t>(begin), values);
  });
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
    report.points += to.cell_count();
    carry(to.centers, from, dt, paths, [&](std::size_t first, std::span<const Vec3> values) {
      std::copy(values.begin(), values.end(), cell_velocity.begin() + first);
    });
  }
  if (!normal_velocity.empty()) {
    report.points += to.face_count();
    carry(to.face_centers, from, dt, paths, [&](std::size_t first, std::span<const Vec3> values) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        normal_velocity[first + i] = values[i].dot(to.area_vectors[first + i].normalized());
      }
    });
  }
  return report;
}

}  // namespace spindrift
