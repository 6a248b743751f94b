// Offsets of the surface around thin parts.
#include <algorithm>
#include <cmath>

#include "spindrift/core/parallel.hpp"
#include "spindrift/surface/point_cubes.hpp"
#include "spindrift/surface/thin_liquid.hpp"

namespace spindrift {
namespace {

// Voxels beyond a thin part's surface: up to where the offset is whole, and from where on there is
// none.
constexpr double kWhole = 1;
constexpr double kNone = 1.75;
// Farther in there is no surface that a step could come upon.
constexpr double kDeepest = 2;
// Offsets are means over particles as near as this, beyond the closest.
constexpr double kSmooth = 1.5;
constexpr double kReach = kHeldThickness / 2 + kNone;

bool has_offset(const ThinParticle& particle, ThinOffset which) {
  if (which == ThinOffset::of_body) return particle.body_offset != 0;
  return particle.offset != 0 || particle.shift != Vec3::Zero();
}

double offset_at(const ThinParticle& particle, ThinOffset which, const Vec3& place) {
  if (which == ThinOffset::of_body) return particle.body_offset;
  const Vec3 away = place - particle.position;
  const double distance = away.norm();
  return particle.offset + (distance > 0 ? particle.shift.dot(away) / distance : 0);
}

}  // namespace

void inflate_thin_parts(const ThinLiquid& liquid, ThinOffset which, BandDistance& distance) {
  const Lattice& lattice = distance.field.lattice;
  std::vector<Vec3> places;
  bool has_any = false;
  for (const ThinParticle& particle : liquid.particles) {
    places.push_back(particle.position);
    has_any = has_any || has_offset(particle, which);
  }
  if (!has_any) return;
  const PointCubes cubes(places, lattice, kReach);
  SampledField& field = distance.field;
  parallel_for_each(
      field.blocks.size(),
      [&](std::int64_t block) {
        float* const values = field.block_values(block);
        const Vec3i first = field.blocks.first_node(block);
        struct Near {
          std::size_t particle;
          double squared;
        };
        std::vector<Near> near;
        PointCubes::Around around;
        for (int node = 0; node < kBlockNodes; ++node) {
          if (double{values[node]} > kNone || double{values[node]} < -kDeepest) continue;
          near.clear();
          double closest = 1e300;
          const Vec3 place = lattice.position(Vec3i(first + node_offset(node)));
          cubes.for_each_near(place, around, [&](std::size_t i, double squared) {
            near.push_back({i, squared});
            closest = std::min(closest, squared);
          });
          if (near.empty()) continue;
          const double width = std::sqrt(closest) + kSmooth;
          double sum = 0;
          double mean = 0;
          for (const Near& other : near) {
            const double share = 1 - other.squared / (width * width);
            if (share <= 0) continue;
            const ThinParticle& particle = liquid.particles[other.particle];
            const double beyond = std::sqrt(other.squared) - particle.reach / lattice.spacing;
            const double fade = std::clamp((kNone - beyond) / (kNone - kWhole), 0.0, 1.0);
            sum += share * share;
            mean += share * share * fade * offset_at(particle, which, place);
          }
          values[node] -= static_cast<float>(mean / sum / lattice.spacing);
        }
      },
      8);
}

}  // namespace spindrift
