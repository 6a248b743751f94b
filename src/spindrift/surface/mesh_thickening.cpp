#include "spindrift/surface/mesh_thickening.hpp"

#include <algorithm>
#include <cmath>

#include "spindrift/core/parallel.hpp"

namespace spindrift {
namespace {

// Of the radius: up to where the offset is whole, and from where on there is none.
constexpr double kWhole = 1.4;
constexpr double kNone = 2.8;

// What each of the particles of `to` gets from all of them.
std::vector<double> mean_offsets(const ParticleCubes& to, const ParticleCubes& from, double reach,
                                 double radius) {
  std::vector<double> offsets(to.particles().size());
  parallel_for_each(std::ssize(offsets), [&](std::int64_t n) {
    double sum = 0;
    double offset = 0;
    const auto k = static_cast<std::size_t>(n);
    from.for_each_near(to.particles()[k].position, [&](std::size_t i, double squared) {
      const double share = 1 - squared / (reach * reach);
      const double weight = share * share * share;
      sum += weight;
      offset += weight * std::max(0.0, radius - from.particles()[i].radius);
    });
    offsets[k] = sum > 0 ? offset / sum : 0;
  });
  return offsets;
}

}  // namespace

MeshThickened::MeshThickened(const ScalarField& liquid, std::vector<MedialParticle> particles,
                             const Lattice& lattice, const MeshThickeningParams& params)
    : liquid_(liquid),
      cubes_(particles, lattice, kNone * params.radius / lattice.spacing),
      voxel_(lattice.spacing),
      params_(params) {
  const double reach = params.support / lattice.spacing;
  offsets_ = mean_offsets(cubes_, ParticleCubes(std::move(particles), lattice, reach), reach,
                          params.radius);
}

void MeshThickened::evaluate(std::span<const Vec3> points, std::span<double> values) const {
  liquid_.evaluate(points, values);
  if (cubes_.is_empty()) return;
  const double none = kNone * params_.radius;
  ParticleCubes::Around around;
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
