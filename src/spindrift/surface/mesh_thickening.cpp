#include "spindrift/surface/mesh_thickening.hpp"

#include <algorithm>
#include <cmath>

#include "spindrift/core/parallel.hpp"

namespace spindrift {
namespace {

// Of the radius: up to where the offset is whole, and from where on there is none.
constexpr double kWhole = 1.4;
constexpr double kNone = 2.8;

// What each of the particles gets from all of them, but no less than it needs itself.
std::vector<double> mean_offsets(std::span<const MedialParticle> particles,
                                 std::span<const Vec3> places, const Lattice& lattice, double reach,
                                 double radius) {
  const PointCubes cubes(places, lattice, reach);
  std::vector<double> offsets(particles.size());
  parallel_for_each(std::ssize(offsets), [&](std::int64_t n) {
    double sum = 0;
    double offset = 0;
    const auto k = static_cast<std::size_t>(n);
    cubes.for_each_near(places[k], [&](std::size_t i, double squared) {
      const double share = 1 - squared / (reach * reach);
      const double weight = share * share * share;
      sum += weight;
      offset += weight * std::max(0.0, radius - particles[i].radius);
    });
    offsets[k] = std::max(sum > 0 ? offset / sum : 0, radius - particles[k].radius);
  });
  return offsets;
}

}  // namespace

MeshThickened::MeshThickened(const ScalarField& liquid, std::span<const MedialParticle> particles,
                             const Lattice& lattice, const MeshThickeningParams& params)
    : liquid_(liquid),
      places_(positions(particles)),
      cubes_(places_, lattice, kNone * params.radius / lattice.spacing),
      offsets_(mean_offsets(particles, places_, lattice, params.support / lattice.spacing,
                            params.radius)),
      voxel_(lattice.spacing),
      params_(params) {}

void MeshThickened::evaluate(std::span<const Vec3> points, std::span<double> values) const {
  liquid_.evaluate(points, values);
  if (cubes_.is_empty()) return;
  const double none = kNone * params_.radius;
  PointCubes::Around around;
  for (std::size_t p = 0; p < points.size(); ++p) {
    // Far out only the sign counts, and that the value is no more than the distance.
    if (values[p] > none) {
      values[p] -= params_.radius;
      continue;
    }
    double closest = 1e300;
    std::size_t particle = 0;
    cubes_.for_each_near(points[p], around, [&](std::size_t i, double squared) {
      if (squared >= closest) return;
      closest = squared;
      particle = i;
    });
    const double far = std::sqrt(closest) * voxel_;
    if (far >= none) continue;
    values[p] -=
        std::min(1.0, (none - far) / (none - kWhole * params_.radius)) * offsets_[particle];
  }
}

}  // namespace spindrift
