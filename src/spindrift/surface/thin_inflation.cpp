// Offsets of the surface around thin parts.
#include <algorithm>
#include <bit>
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

// The mean offset of eight nodes, 0 where nothing is near.
class RowOffsets {
 public:
  explicit RowOffsets(std::span<const Pull> pulls) : pulls_(pulls) {}

  // Of those nodes alone that are moved; at least one.
  Float8 at(const RowPoints::Block& block, int y, int z, Int8 is_moved) {
    near_.clear();
    Float8 closest = splat8(kReach * kReach);
    const unsigned moved = true_lanes(is_moved);
    block.for_each_near_row(std::countr_zero(moved), std::bit_width(moved) - 1, y, z,
                            [&](std::size_t i, const Lanes3<Float8>& away, Float8 squared) {
                              near_.push_back({squared, {away.x[0], away.y[0], away.z[0]}, i});
                              closest = lane_min(closest, squared);
                            });
    const Float8 width = root(closest) + kSmooth;
    const Float8 narrowness = 1 / (width * width);
    // Most particles near a row are too far from all of its nodes.
    const Float8 farthest = is_moved ? lane_min(width * width, splat8(kReach * kReach)) : Float8{};
    Float8 sum = {};
    Float8 mean = {};
    for (const Near& near : near_) {
      const Int8 is_near = near.squared < farthest;
      if (true_lanes(is_near) == 0) continue;
      const Float8 share = 1 - near.squared * narrowness;
      const Float8 weight = is_near ? share * share : Float8{};
      sum += weight;
      const Pull& pull = pulls_[near.particle];
      if (!pull.is_any) continue;
      const Float8 distance = root(near.squared);
      const Float8 fade = (kNone + pull.reach - distance) / (kNone - kWhole);
      Float8 offset = splat8(pull.offset);
      if (pull.is_shifted) {
        const Float8 x = near.away.x() + Float8{0, 1, 2, 3, 4, 5, 6, 7};
        const float beside = pull.shift.y() * near.away.y() + pull.shift.z() * near.away.z();
        offset += (pull.shift.x() * x + beside) / lane_max(distance, splat8(1e-9F));
      }
      mean += weight * lane_min(lane_max(fade, Float8{}), splat8(1)) * offset;
    }
    return sum > 0 ? mean / sum : Float8{};
  }

 private:
  struct Near {
    Float8 squared;
    Vec3f away;  // to the row's first node
    std::size_t particle;
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
    has_any = has_any || pulls.back().is_any;
  }
  if (!has_any) return;
  const RowPoints points(places, lattice, kReach);
  SampledField& field = distance.field;
  parallel_for_each(
      field.blocks.size(),
      [&](std::int64_t block) {
        const RowPoints::Block near(points, field.blocks.first_node(block));
        if (std::none_of(near.points().begin(), near.points().end(),
                         [&](std::size_t i) { return pulls[i].is_any; })) {
          return;
        }
        RowOffsets offsets(pulls);
        for (int row = 0; row < kBlockNodes / kBlockSide; ++row) {
          float* const place = field.block_values(block) + kBlockSide * row;
          const Float8 values = load8(place);
          const Int8 is_moved = (values <= kNone) & (values >= -kDeepest);
          if (true_lanes(is_moved) == 0) continue;
          const Float8 offset = offsets.at(near, row % kBlockSide, row / kBlockSide, is_moved);
          store8(place, is_moved ? values - offset : values);
        }
      },
      8);
}

}  // namespace spindrift
