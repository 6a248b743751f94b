#include "spindrift/surface/thin_openings.hpp"

#include <algorithm>
#include <limits>

#include "spindrift/surface/point_cubes.hpp"

namespace spindrift {
namespace {

// Voxels: liquid that leaves is that of particles as near as this. Outflow comes in cubes of four.
constexpr double kLeaving = 4;

// How far particles or droplets are from what an edit changes, m; negative inside.
template <class Parts>
std::vector<double> distances_to(const SurfaceEdit& edit, const Parts& parts) {
  std::vector<Vec3> places;
  places.reserve(parts.size());
  for (const auto& part : parts) places.push_back(part.position);
  std::vector<double> distances(places.size());
  evaluate_parallel(*edit.shape, places, distances);
  return distances;
}

// Where particles were before the step.
std::vector<Vec3> origins(const MovedThinLiquid& thin) {
  std::vector<Vec3> all;
  all.reserve(thin.liquid.particles.size());
  for (std::size_t i = 0; i < thin.liquid.particles.size(); ++i) {
    const double speed = thin.velocities[i].norm();
    const Vec3 along = speed > 0 ? Vec3(thin.velocities[i] / speed) : Vec3::Zero();
    all.push_back(thin.liquid.particles[i].position - thin.ways[i] * along);
  }
  return all;
}

// What each particle gives, m^3: all of it if it is in an opening. Outflow beyond that is of those
// around where it left; thick liquid has none there.
std::vector<double> given(const MovedThinLiquid& thin, std::span<const double> to_openings,
                          std::span<const EditedVolume> outflow, const Lattice& lattice) {
  const std::vector<ThinParticle>& particles = thin.liquid.particles;
  std::vector<double> volumes(particles.size(), 0.0);
  if (particles.empty()) return volumes;
  const PointCubes cubes(outflow.empty() ? std::vector<Vec3>() : origins(thin), lattice, kLeaving);
  const auto is_gone = [&](std::size_t i) { return to_openings[i] <= 0; };
  for (const EditedVolume& part : outflow) {
    double left = -part.volume;
    double sum = 0;
    const auto weight = [&](std::size_t i, double squared) {
      return is_gone(i) ? 0 : particles[i].volume * (1 - squared / (kLeaving * kLeaving));
    };
    cubes.for_each_near(part.place, [&](std::size_t i, double squared) {
      sum += weight(i, squared);
      if (!is_gone(i)) return;
      const double taken = std::min(left, particles[i].volume - volumes[i]);
      volumes[i] += taken;
      left -= taken;
    });
    if (!(left > 0) || !(sum > 0)) continue;
    cubes.for_each_near(part.place, [&](std::size_t i, double squared) {
      volumes[i] += left * weight(i, squared) / sum;
    });
  }
  for (std::size_t i = 0; i < particles.size(); ++i) {
    volumes[i] = is_gone(i) ? particles[i].volume : std::min(volumes[i], particles[i].volume);
  }
  return volumes;
}

}  // namespace

std::vector<EditedVolume> take_away(std::span<const SurfaceEdit> edits,
                                    std::span<const EditedVolume> outflow, const Lattice& lattice,
                                    MovedThinLiquid& thin) {
  std::vector<EditedVolume> taken;
  std::vector<ThinParticle>& particles = thin.liquid.particles;
  std::vector<double> to_openings(particles.size(), std::numeric_limits<double>::infinity());
  for (const SurfaceEdit& edit : edits) {
    if (edit.kind != SurfaceEdit::Kind::remove) continue;
    const std::vector<double> to_particles = distances_to(edit, particles);
    for (std::size_t i = 0; i < particles.size(); ++i) {
      to_openings[i] = std::min(to_openings[i], to_particles[i]);
    }
    const std::vector<double> to_droplets = distances_to(edit, thin.liquid.droplets);
    for (std::size_t i = 0; i < to_droplets.size(); ++i) {
      Droplet& droplet = thin.liquid.droplets[i];
      if (!(droplet.volume > 0) || to_droplets[i] > 0) continue;
      taken.push_back({edit.tag, -droplet.volume, droplet.position});
      droplet.volume = 0;
    }
  }
  const std::vector<double> volumes = given(thin, to_openings, outflow, lattice);
  for (std::size_t i = 0; i < particles.size(); ++i) particles[i].volume -= volumes[i];
  return taken;
}

void stay_out(std::span<const SurfaceEdit> edits, double voxel, ThinLiquid& thin) {
  constexpr double kRoom = 1;  // voxels
  for (const SurfaceEdit& edit : edits) {
    if (edit.kind != SurfaceEdit::Kind::remove) continue;
    const std::vector<double> distances = distances_to(edit, thin.particles);
    for (std::size_t i = 0; i < distances.size(); ++i) {
      ThinParticle& particle = thin.particles[i];
      if (distances[i] >= particle.reach + kRoom * voxel) continue;
      particle.offset = std::min(0.0, particle.offset);
      particle.shift = Vec3::Zero();
    }
  }
}

}  // namespace spindrift
