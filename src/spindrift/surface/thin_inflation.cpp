// Offsets of the surface around thin parts.
#include <algorithm>
#include <vector>

#include "spindrift/core/parallel.hpp"
#include "spindrift/surface/node_points.hpp"
#include "spindrift/surface/thin_liquid.hpp"

namespace spindrift {
namespace {

// Voxels beyond a thin part's surface: up to where the offset is whole, and from where on there is
// none.
constexpr float kWhole = 1;
constexpr float kNone = 1.75;
// Farther in there is no surface that a step could come upon.
constexpr float kDeepest = 2;
// Offsets are means over particles as near as this, beyond the closest.
constexpr float kSmooth = 1.5;
constexpr float kReach = static_cast<float>(kHeldThickness) / 2 + kNone;

// How a particle moves the surface around it, in voxels.
struct Pull {
  float reach = 0;
  float offset = 0;
  Vec3f shift = Vec3f::Zero();
  bool is_shifted = false;
  bool is_any = false;
};

Pull pull_of(const ThinParticle& particle, ThinOffset which, double voxel) {
  Pull pull;
  pull.reach = static_cast<float>(particle.reach / voxel);
  if (which == ThinOffset::of_body) {
    pull.offset = static_cast<float>(particle.body_offset / voxel);
  } else {
    pull.offset = static_cast<float>(particle.offset / voxel);
    pull.shift = (particle.shift / voxel).cast<float>();
    pull.is_shifted = particle.shift != Vec3::Zero();
  }
  pull.is_any = pull.offset != 0 || pull.is_shifted;
  return pull;
}

// The mean offset at the nodes of the cube that `near` is at, 0 where nothing is near; right at
// those that are moved alone. At least one is.
Float8 mean_offset(const NodePoints::Block& near, std::span<const Pull> pulls, Int8 is_moved) {
  Float8 closest = splat8(kReach * kReach);
  near.for_each_closest([&](std::size_t, const Lanes3<Float8>&, Float8 squared) {
    closest = lane_min(closest, squared);
  });
  const Float8 width = root(closest) + kSmooth;
  const Float8 narrowness = 1 / (width * width);
  const Float8 farthest = is_moved ? lane_min(width * width, splat8(kReach * kReach)) : Float8{};
  Float8 sum = {};
  Float8 mean = {};
  near.for_each_within(greatest(is_moved ? width : Float8{}),
                       [&](std::size_t i, const Lanes3<Float8>& away, Float8 squared) {
                         const Int8 is_near = squared < farthest;
                         if (true_lanes(is_near) == 0) return;
                         const Float8 share = 1 - squared * narrowness;
                         const Float8 weight = is_near ? share * share : Float8{};
                         sum += weight;
                         const Pull& pull = pulls[i];
                         if (!pull.is_any) return;
                         const Float8 distance = root(squared);
                         const Float8 fade = (kNone + pull.reach - distance) / (kNone - kWhole);
                         Float8 offset = splat8(pull.offset);
                         if (pull.is_shifted) {
                           const Float8 along = pull.shift.x() * away.x +
                                                (pull.shift.y() * away.y + pull.shift.z() * away.z);
                           offset += along / lane_max(distance, splat8(1e-9F));
                         }
                         mean += weight * lane_min(lane_max(fade, Float8{}), splat8(1)) * offset;
                       });
  return sum > 0 ? mean / sum : Float8{};
}

}  // namespace

void inflate_thin_parts(const ThinLiquid& liquid, ThinOffset which, BandDistance& distance) {
  const Lattice& lattice = distance.field.lattice;
  std::vector<Vec3> places;
  std::vector<Pull> pulls;
  places.reserve(liquid.particles.size());
  pulls.reserve(liquid.particles.size());
  bool has_any = false;
  for (const ThinParticle& particle : liquid.particles) {
    places.push_back(particle.position);
    pulls.push_back(pull_of(particle, which, lattice.spacing));
    has_any = has_any || pulls.back().is_any;
  }
  if (!has_any) return;
  const NodePoints points(places, lattice, kReach);
  SampledField& field = distance.field;
  constexpr std::int64_t kBlocksAtOnce = 8;
  parallel_for_chunks(
      field.blocks.size(), kBlocksAtOnce, [&](std::int64_t begin, std::int64_t end) {
        NodePoints::Block near(points);
        for (std::int64_t block = begin; block < end; ++block) {
          near.move_to_block(field.blocks.first_node(block));
          if (std::none_of(near.points().begin(), near.points().end(), [&](std::int32_t i) {
                return pulls[static_cast<std::size_t>(i)].is_any;
              })) {
            continue;
          }
          float* const all = field.block_values(block);
          for (int cube = 0; cube < kBlockCubes; ++cube) {
            const Float8 values = load_cube(all, cube);
            const Int8 is_moved = (values <= kNone) & (values >= -kDeepest);
            if (true_lanes(is_moved) == 0 || !near.move_to(cube)) continue;
            const Float8 offset = mean_offset(near, pulls, is_moved);
            store_cube(all, cube, is_moved ? values - offset : values);
          }
        }
      });
}

}  // namespace spindrift
