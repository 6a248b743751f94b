#include "spindrift/surface/particle_field.hpp"

#include <algorithm>
#include <cmath>

namespace spindrift {
namespace {

constexpr double kNowhere = 1e9;
// R over the distance to the closest particle, and what is added to it, voxels.
constexpr double kWidening = 1.2;
constexpr double kLeastWidth = 0.9;

}  // namespace

std::vector<Vec3> positions(std::span<const MedialParticle> particles) {
  std::vector<Vec3> all;
  all.reserve(particles.size());
  for (const MedialParticle& particle : particles) all.push_back(particle.position);
  return all;
}

void ParticleField::evaluate(std::span<const Vec3> points, std::span<double> values) const {
  struct Near {
    std::size_t particle;
    double squared;
  };
  std::vector<Near> near;
  PointCubes::Around around;
  for (std::size_t p = 0; p < points.size(); ++p) {
    near.clear();
    double closest = reach_ * reach_;
    cubes_.for_each_near(points[p], around, [&](std::size_t i, double squared) {
      near.push_back({i, squared});
      closest = std::min(closest, squared);
    });
    values[p] = kNowhere;
    if (near.empty()) continue;
    const double width = kWidening * std::sqrt(closest) + kLeastWidth;
    double sum = 0;
    double radius = 0;
    Vec3 middle = Vec3::Zero();
    for (const Near& other : near) {
      const double share = 1 - other.squared / (width * width);
      if (share <= 0) continue;
      const double weight = share * share * share;
      const MedialParticle& particle = particles_[other.particle];
      sum += weight;
      radius += weight * particle.radius;
      middle += weight * (particle.position - points[p]);
    }
    values[p] = (middle.norm() - radius) / sum;
  }
}

}  // namespace spindrift
