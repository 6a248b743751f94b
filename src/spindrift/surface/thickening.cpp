#include "spindrift/surface/thickening.hpp"

#include <algorithm>
#include <cmath>

#include "spindrift/surface/particle_field.hpp"

namespace spindrift {
namespace {

// A cell's diagonal, and a little.
constexpr double kCell = 1.8;

// Particles remember those within a voxel.
constexpr double kMemory = 1;
// Contours are right about what is thicker than this; of what is thinner by `kThin` they may show
// less than the true radius by a factor of up to 1 + kMostHidden. Measured on balls and capsules.
constexpr double kRight = 1.1;
constexpr double kThin = 0.6;
constexpr double kMostHidden = 0.8;
// What particles are part of shows within two voxels: of a drop none is farther off than one voxel;
// more than sixteen are those of a sheet.
constexpr double kSeen = 2;
constexpr double kDropExtent = 1;
constexpr int kStrandParticles = 16;
// A ball as large as this holds a node wherever it is.
constexpr double kDropRadius = 0.9;
// Contours show sheets as they are, give or take this: of two estimates the greater one counts, and
// without this slack sheets would swell from noise alone.
constexpr double kSheetSlack = 0.1;

// Rounds of it, and voxels that both ends of a particle may be off together.
constexpr int kCorrections = 3;
constexpr double kMostError = 0.3;
// The paper's growth is that of a step; this is how far it goes in ours of the usual length.
constexpr double kPaperStep = 8;

enum class ThinPart { drop, strand, sheet };

ThinPart part_of(const MedialParticle& particle, const ParticleCubes& all) {
  int others = 0;
  bool is_drop = true;
  all.for_each_near(particle.position, [&](std::size_t, double squared) {
    ++others;
    is_drop = is_drop && squared < kDropExtent * kDropExtent;
  });
  if (is_drop) return ThinPart::drop;
  return others > kStrandParticles ? ThinPart::sheet : ThinPart::strand;
}

// Moves points to where nodes are that find them when they are traced back: a forward trace ends a
// voxel or more from there in wild flow, and the surface would be united with a copy beside itself.
// Returns how far off they are, m.
std::vector<double> trace_exactly(const VelocityField& velocity, double dt,
                                  std::vector<Vec3>& points) {
  const std::vector<Vec3> origins = points;
  trace_paths(velocity, dt, PathScheme::midpoint, points);
  std::vector<double> errors(points.size());
  std::vector<Vec3> back;
  for (int round = 0; round <= kCorrections; ++round) {
    back = points;
    trace_paths(velocity, -dt, PathScheme::midpoint, back);
    for (std::size_t i = 0; i < points.size(); ++i) {
      const Vec3 off = origins[i] - back[i];
      errors[i] = off.norm();
      if (round < kCorrections) points[i] += off;
    }
  }
  return errors;
}

// Small ones give their radius to the big ones near by, and go [Chentanez2007 §3.4.3].
void redistribute(std::vector<MedialParticle>& particles, std::vector<double>& ways,
                  const Lattice& lattice, const ThickeningParams& params) {
  if (!(params.redistribution > 0)) return;
  const double small = params.small / 2 * lattice.spacing;
  std::vector<MedialParticle> big;
  for (std::size_t i = 0; i < particles.size(); ++i) {
    if (particles[i].radius <= small) continue;
    // Where they are in the list, in place of the radius.
    big.push_back({particles[i].position, static_cast<double>(i)});
  }
  if (big.empty() || big.size() == particles.size()) return;
  const ParticleCubes cubes(std::move(big), lattice, std::max(params.redistribution, 0.1));
  std::vector<double> more(particles.size(), 0.0);
  std::vector<char> is_gone(particles.size(), 0);
  std::vector<std::size_t> near;
  for (std::size_t i = 0; i < particles.size(); ++i) {
    if (particles[i].radius > small) continue;
    near.clear();
    cubes.for_each_near(particles[i].position, [&](std::size_t k, double) {
      near.push_back(static_cast<std::size_t>(cubes.particles()[k].radius));
    });
    if (near.empty()) continue;
    is_gone[i] = 1;
    for (const std::size_t k : near) {
      more[k] += particles[i].radius / static_cast<double>(near.size());
    }
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < particles.size(); ++i) {
    if (is_gone[i] != 0) continue;
    particles[kept] = particles[i];
    particles[kept].radius =
        std::min(particles[i].radius + more[i],
                 std::max(particles[i].radius, params.held / 2 * lattice.spacing));
    ways[kept++] = ways[i];
  }
  particles.resize(kept);
  ways.resize(kept);
}

}  // namespace

void remember_radii(std::span<const MedialParticle> before, const Lattice& lattice,
                    std::vector<MedialParticle>& particles) {
  const ParticleCubes old({before.begin(), before.end()}, lattice, kMemory);
  if (old.is_empty()) return;
  const ParticleCubes now(particles, lattice, kSeen);
  for (MedialParticle& particle : particles) {
    double sum = 0;
    double radius = 0;
    old.for_each_near(particle.position, [&](std::size_t i, double squared) {
      const double weight = kMemory * kMemory - squared;
      sum += weight;
      radius += weight * old.particles()[i].radius;
    });
    if (!(sum > 0) || part_of(particle, now) == ThinPart::sheet) continue;
    const double measured = particle.radius / lattice.spacing;
    const double hidden = kMostHidden * std::clamp((kRight - measured) / kThin, 0.0, 1.0);
    particle.radius = std::clamp(radius / sum, particle.radius, (1 + hidden) * particle.radius);
  }
}

std::vector<MedialParticle> moved_particles(std::vector<MedialParticle> particles,
                                            const Lattice& lattice, const VelocityField& velocity,
                                            double dt, const ThickeningParams& params) {
  // Both ends of where it is thick: how much thinner it gets shows in how they come closer.
  std::vector<Vec3> ends;
  for (const MedialParticle& particle : particles) {
    ends.push_back(particle.position - particle.radius * particle.axis);
    ends.push_back(particle.position + particle.radius * particle.axis);
  }
  const std::vector<double> errors = trace_exactly(velocity, dt, ends);
  std::vector<double> ways;  // voxels
  std::size_t kept = 0;
  for (std::size_t i = 0; i < particles.size(); ++i) {
    // Where paths meet, nodes do not come from here.
    if (errors[2 * i] + errors[2 * i + 1] > kMostError * lattice.spacing) continue;
    MedialParticle& particle = particles[kept++] = particles[i];
    const Vec3 middle = (ends[2 * i] + ends[2 * i + 1]) / 2;
    const Vec3 across = (ends[2 * i + 1] - ends[2 * i]) / 2;
    ways.push_back((middle - particle.position).norm() / lattice.spacing);
    particle.position = middle;
    // Shear draws the ends apart, but makes nothing thicker.
    particle.radius = std::min(across.norm(), std::max(particle.radius, across.dot(particle.axis)));
  }
  particles.resize(kept);
  redistribute(particles, ways, lattice, params);
  const ParticleCubes moved(particles, lattice, kSeen);
  const double full = params.thinness / 2;
  for (std::size_t i = 0; i < particles.size(); ++i) {
    double radius = particles[i].radius / lattice.spacing;
    const ThinPart part = part_of(particles[i], moved);
    if (part == ThinPart::sheet) radius = std::max(std::min(radius, full), radius - kSheetSlack);
    const double growth = 2 * radius <= params.small ? params.grow_small : params.grow_big;
    if (radius < full) radius = std::min(full, radius + growth * ways[i] / kPaperStep);
    if (part == ThinPart::drop) radius = std::max(radius, kDropRadius);
    particles[i].radius = radius * lattice.spacing;
  }
  return particles;
}

double particle_reach(const ThickeningParams& params) {
  return std::max(params.held, params.thinness) / 2 + kCell;
}

}  // namespace spindrift
