// Offsets of the surface around thin parts.
#include <vector>

#include "spindrift/core/parallel.hpp"
#include "spindrift/surface/row_points.hpp"
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

bool has_offset(const ThinParticle& particle, ThinOffset which) {
  if (which == ThinOffset::of_body) return particle.body_offset != 0;
  return particle.offset != 0 || particle.shift != Vec3::Zero();
}

// How a particle moves the surface around it, in voxels.
struct Pull {
  float reach = 0;
  float offset = 0;
  Vec3f shift = Vec3f::Zero();
};

Pull pull_of(const ThinParticle& particle, ThinOffset which, double voxel) {
  const auto reach = static_cast<float>(particle.reach / voxel);
  if (which == ThinOffset::of_body) {
    return {.reach = reach, .offset = static_cast<float>(particle.body_offset / voxel)};
  }
  return {reach, static_cast<float>(particle.offset / voxel),
          (particle.shift / voxel).cast<float>()};
}

// The mean offset of eight nodes, 0 where nothing is near.
class RowOffsets {
 public:
  explicit RowOffsets(std::span<const Pull> pulls) : pulls_(pulls) {}

  Float8 at(const RowPoints::Block& block, int y, int z) {
    near_.clear();
    Float8 closest = splat8(kReach * kReach);
    block.for_each_near_row(y, z, [&](std::size_t i, const Lanes3<Float8>& away, Float8 squared) {
      near_.push_back({i, away, squared});
      closest = lane_min(closest, squared);
    });
    const Float8 width = root(closest) + kSmooth;
    const Float8 narrowness = 1 / (width * width);
    Float8 sum = {};
    Float8 mean = {};
    for (const Near& near : near_) {
      const Pull& pull = pulls_[near.particle];
      const Float8 share = lane_max(1 - near.squared * narrowness, Float8{});
      const Float8 weight = near.squared < kReach * kReach ? share * share : Float8{};
      const Float8 distance = root(near.squared);
      const Float8 fade = (kNone + pull.reach - distance) / (kNone - kWhole);
      const Lanes3<Float8> shift = {splat8(pull.shift.x()), splat8(pull.shift.y()),
                                    splat8(pull.shift.z())};
      const Float8 offset = pull.offset + dot(shift, near.away) / lane_max(distance, splat8(1e-9F));
      sum += weight;
      mean += weight * lane_min(lane_max(fade, Float8{}), splat8(1)) * offset;
    }
    return sum > 0 ? mean / sum : Float8{};
  }

 private:
  struct Near {
    std::size_t particle;
    Lanes3<Float8> away;
    Float8 squared;
  };
  std::span<const Pull> pulls_;
  std::vector<Near> near_;
};

}  // namespace

void inflate_thin_parts(const ThinLiquid& liquid, ThinOffset which, BandDistance& distance) {
  const Lattice& lattice = distance.field.lattice;
  std::vector<Vec3> places;
  std::vector<Pull> pulls;
  bool has_any = false;
  for (const ThinParticle& particle : liquid.particles) {
    places.push_back(particle.position);
    pulls.push_back(pull_of(particle, which, lattice.spacing));
    has_any = has_any || has_offset(particle, which);
  }
  if (!has_any) return;
  const RowPoints points(places, lattice, kReach);
  SampledField& field = distance.field;
  parallel_for_each(
      field.blocks.size(),
      [&](std::int64_t block) {
        const RowPoints::Block near(points, field.blocks.first_node(block));
        if (near.is_empty()) return;
        RowOffsets offsets(pulls);
        for (int row = 0; row < kBlockNodes / kBlockSide; ++row) {
          float* const place = field.block_values(block) + kBlockSide * row;
          const Float8 values = load8(place);
          const Int8 is_moved = (values <= kNone) & (values >= -kDeepest);
          if (true_lanes(is_moved) == 0) continue;
          const Float8 offset = offsets.at(near, row % kBlockSide, row / kBlockSide);
          store8(place, is_moved ? values - offset : values);
        }
      },
      8);
}

}  // namespace spindrift
