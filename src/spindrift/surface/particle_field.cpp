#include "spindrift/surface/particle_field.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace spindrift {
namespace {

constexpr double kNowhere = 1e9;
// R over the distance to the closest particle, and what is added to it, voxels.
constexpr double kWidening = 1.2;
constexpr double kLeastWidth = 0.9;

}  // namespace

ParticleCubes::ParticleCubes(std::vector<MedialParticle> particles, const Lattice& lattice,
                             double reach)
    : lattice_(lattice), reach_(reach) {
  std::vector<std::uint64_t> keys;
  std::vector<std::uint64_t> around;
  for (const MedialParticle& particle : particles) {
    const Vec3i cube = (lattice.to_lattice(particle.position) / reach).array().floor().cast<int>();
    keys.push_back(block_key(cube));
  }
  std::vector<std::size_t> order(particles.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
  cubes_ = BlockSet(keys);
  for (std::int64_t c = 0; c < cubes_.size(); ++c) {
    const Vec3i cube = cubes_.coordinate(c);
    for (int n = 0; n < 27; ++n) {
      around.push_back(block_key(cube + Vec3i(n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1)));
    }
  }
  near_ = BlockSet(std::move(around));
  starts_.assign(static_cast<std::size_t>(cubes_.size()) + 1, 0);
  for (const std::size_t i : order) {
    ++starts_[static_cast<std::size_t>(cubes_.find(block_of_key(keys[i]))) + 1];
    particles_.push_back(particles[i]);
    places_.push_back(lattice.to_lattice(particles[i].position));
  }
  std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
}

void ParticleField::evaluate(std::span<const Vec3> points, std::span<double> values) const {
  struct Near {
    std::size_t particle;
    double squared;
  };
  std::vector<Near> near;
  ParticleCubes::Around around;
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
      const MedialParticle& particle = cubes_.particles()[other.particle];
      sum += weight;
      radius += weight * particle.radius;
      middle += weight * (particle.position - points[p]);
    }
    values[p] = (middle.norm() - radius) / sum;
  }
}

}  // namespace spindrift
