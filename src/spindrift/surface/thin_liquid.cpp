#include "spindrift/surface/thin_liquid.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "spindrift/surface/within_reach.hpp"

namespace spindrift {
namespace {

// Voxels.
// A ball as large as this holds a node wherever it is.
constexpr double kVisibleRadius = 0.9;
// Droplets as near to one another as this become one.
constexpr double kMerge = 1;

double ball_volume(double radius) { return 4 * std::numbers::pi / 3 * std::pow(radius, 3); }

// Moves points to where nodes are that find them when they are traced back.
void trace_exactly(const VelocityField& velocity, double dt, std::vector<Vec3>& points) {
  const std::vector<Vec3> origins = points;
  trace_paths(velocity, dt, PathScheme::midpoint, points);
  std::vector<Vec3> back = points;
  trace_paths(velocity, -dt, PathScheme::midpoint, back);
  for (std::size_t i = 0; i < points.size(); ++i) points[i] += origins[i] - back[i];
}

void fly(const Flight& flight, double voxel, Droplet& droplet) {
  droplet.position += flight.dt * (droplet.velocity + flight.dt / 2 * flight.gravity);
  droplet.velocity += flight.dt * flight.gravity;
  if (flight.solids == nullptr || flight.solids->distance(droplet.position) >= 0) return;
  const Vec3 out = flight.solids->moved_away(droplet.position, 1e-3 * voxel, 0.1 * voxel);
  const Vec3 way = out - droplet.position;
  droplet.position = out;
  if (!(way.norm() > 0)) return;
  const Vec3 normal = way.normalized();
  const double into = (droplet.velocity - flight.solids->velocity_at(out)).dot(normal);
  droplet.velocity -= std::min(0.0, into) * normal;
}

std::vector<Droplet> merged(std::span<const Droplet> droplets, const Lattice& lattice) {
  std::vector<std::uint64_t> keys;
  for (const Droplet& droplet : droplets) {
    const Vec3 place = lattice.to_lattice(droplet.position) / kMerge;
    keys.push_back(block_key(place.array().floor().cast<int>()));
  }
  std::vector<std::size_t> order(droplets.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
  std::vector<Droplet> all;
  for (std::size_t begin = 0; begin < order.size();) {
    Droplet sum;
    std::size_t end = begin;
    for (; end < order.size() && keys[order[end]] == keys[order[begin]]; ++end) {
      const Droplet& one = droplets[order[end]];
      sum.volume += one.volume;
      sum.position += one.volume * one.position;
      sum.velocity += one.volume * one.velocity;
    }
    all.push_back({sum.position / sum.volume, sum.velocity / sum.volume, sum.volume});
    begin = end;
  }
  return all;
}

}  // namespace

std::vector<MedialParticle> ThinLiquid::middles() const {
  std::vector<MedialParticle> middles;
  for (const ThinParticle& particle : particles) {
    if (particle.is_wedge) continue;
    // Of a film only one side moves.
    const double radius =
        (particle.is_film ? 2 : 1) * particle.reach + particle.offset + particle.body_offset;
    middles.push_back({.position = particle.position,
                       .radius = std::max(0.0, radius),
                       .is_film = particle.is_film});
  }
  return middles;
}

std::vector<double> ThinLiquid::held_areas(std::size_t bodies) const {
  std::vector<double> areas(bodies, 0.0);
  for (const ThinParticle& particle : particles) {
    if (particle.body >= 0) areas[static_cast<std::size_t>(particle.body)] += particle.area;
  }
  return areas;
}

double ThinLiquid::carried() const {
  double sum = 0;
  for (const ThinParticle& particle : particles) sum += particle.volume;
  return sum;
}

std::vector<double> ThinLiquid::carried(std::size_t bodies) const {
  std::vector<double> sums(bodies, 0.0);
  for (const ThinParticle& particle : particles) {
    if (particle.body >= 0) sums[static_cast<std::size_t>(particle.body)] += particle.volume;
  }
  return sums;
}

double ThinLiquid::shown() const {
  double sum = 0;
  for (const ThinParticle& particle : particles) sum += particle.shown;
  return sum;
}

double ThinLiquid::in_flight() const {
  double sum = 0;
  for (const Droplet& droplet : droplets) sum += droplet.volume;
  return sum;
}

void change_bodies(std::span<const ThinChange> changes, ThinLiquid& liquid) {
  if (changes.empty()) return;
  for (ThinParticle& particle : liquid.particles) {
    if (particle.body < 0) continue;
    const ThinChange& change = changes[static_cast<std::size_t>(particle.body)];
    particle.volume *= change.share;
    particle.body_offset = change.offset;
    particle.shown += change.offset * particle.area;
  }
}

MovedThinLiquid moved_thin_liquid(ThinLiquid liquid, const Flight& flight, const Lattice& lattice) {
  MovedThinLiquid moved;
  moved.liquid = std::move(liquid);
  std::vector<Vec3> ends;
  for (const ThinParticle& particle : moved.liquid.particles) ends.push_back(particle.position);
  trace_exactly(flight.velocity, flight.dt, ends);
  expect_within_reach(ends, lattice);
  for (std::size_t i = 0; i < ends.size(); ++i) {
    ThinParticle& particle = moved.liquid.particles[i];
    const Vec3 way = ends[i] - particle.position;
    moved.ways.push_back(way.norm());
    moved.velocities.push_back(flight.dt > 0 ? Vec3(way / flight.dt) : Vec3::Zero());
    particle.position = ends[i];
  }
  for (Droplet& droplet : moved.liquid.droplets) {
    fly(flight, lattice.spacing, droplet);
    expect_within_reach({&droplet.position, 1}, lattice);
  }
  moved.liquid.droplets = merged(moved.liquid.droplets, lattice);
  return moved;
}

std::vector<MedialParticle> visible_droplets(std::span<const Droplet> droplets,
                                             const Lattice& lattice) {
  std::vector<MedialParticle> balls;
  const double least = ball_volume(kVisibleRadius * lattice.spacing);
  for (const Droplet& droplet : droplets) {
    if (droplet.volume < least) continue;
    balls.push_back({droplet.position, std::cbrt(3 * droplet.volume / (4 * std::numbers::pi))});
  }
  return balls;
}

}  // namespace spindrift
