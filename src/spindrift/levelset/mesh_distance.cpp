#include "spindrift/levelset/mesh_distance.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include "spindrift/core/error.hpp"
#include "spindrift/core/parallel.hpp"
#include "spindrift/levelset/block_tile.hpp"
#include "spindrift/levelset/curved_patch.hpp"
#include "spindrift/levelset/fixed_surface.hpp"
#include "spindrift/levelset/prism_raster.hpp"
#include "spindrift/levelset/triangle_bins.hpp"
#include "spindrift/levelset/triangle_lanes.hpp"
#include "spindrift/levelset/winding_rows.hpp"

namespace spindrift {
namespace {

// Half the side and half the diagonal of an octant (4 nodes a side) and of a tile (2 nodes a side).
constexpr float kOctantHalf = 1.5F;
constexpr float kTileHalfDiagonal = 0.866026F;

// Finds the closest triangle of every node in one block. Scratch memory lives on from block to
// block.
class BlockRaster {
 public:
  BlockRaster(const FixedSurface& surface, const TriangleBins& bins, float band)
      : surface_(surface), bins_(bins), band_(band) {}

  // Fills in the kBlockNodes distances of a block, negative at the nodes `inside`, and says which
  // are less than the band.
  BlockMask run(const Vec3i& block, const BlockMask& inside, float* distances);

 private:
  void gather(const Vec3i& block);
  Points8 corners(const Vec3i& block, const std::array<std::int32_t, 8>& triangles,
                  std::size_t corner) const;
  void set_up(const Vec3i& block);
  struct NearGroup {
    std::int32_t group;
    SphereLanes spheres;
  };
  using Near = std::vector<NearGroup>;
  void filter();
  struct Closest {
    Float8 squared;  // distance, at most band^2
    Int8 candidate;  // -1: none is closer
  };
  Closest closest_in_tile(const Near& near, const Points8& nodes, const Points8& center);
  Float8 curved(const Vec3i& block, const Points8& nodes, Int8 candidate, Float8 flat) const;

  const FixedSurface& surface_;
  const TriangleBins& bins_;
  float band_;
  std::vector<std::int32_t> candidates_;
  std::vector<TriangleLanes> lanes_;  // the candidates, eight in a group
  std::vector<SphereLanes> spheres_;
  std::array<Near, 8> near_;       // the groups near each octant
  std::vector<Float8> to_sphere_;  // for each of them, squared distances from a tile's centre
};

void BlockRaster::gather(const Vec3i& block) {
  candidates_.clear();
  const int reach = static_cast<int>(std::ceil(band_));
  const BlockSet::Neighborhood around = bins_.blocks.neighborhood(block);
  for (int k = 0; k < std::ssize(around); ++k) {
    const std::int32_t bin = around[static_cast<std::size_t>(k)];
    if (bin < 0) continue;
    const Vec3i offset(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1);
    const Vec3i first = -kBlockSide * offset;  // of our nodes, from the bin's first
    bins_.add_near(bin, first.array() - reach, first.array() + (kBlockSide - 1 + reach),
                   offset.array() >= 0, candidates_);
  }
}

// Corner `corner` of eight candidates, from the first node of the block.
Points8 BlockRaster::corners(const Vec3i& block, const std::array<std::int32_t, 8>& triangles,
                             std::size_t corner) const {
  std::array<const void*, 8> from;
  for (std::size_t k = 0; k < 8; ++k) {
    const Triangle& t = surface_.triangles[static_cast<std::size_t>(triangles[k])];
    from[k] = &surface_.points[static_cast<std::size_t>(t[corner])];
  }
  const Lanes3<Int8> fixed = load_points(from);
  const Vec3i first = kBlockSide * block - surface_.base;
  const Float8 unit = splat8(std::ldexp(1.0F, -surface_.bits));
  const auto local = [&](Int8 coordinate, int zero) {
    return __builtin_convertvector(coordinate - (zero << surface_.bits), Float8) * unit;
  };
  return {local(fixed.x, first.x()), local(fixed.y, first.y()), local(fixed.z, first.z())};
}

void BlockRaster::set_up(const Vec3i& block) {
  // Spare lanes repeat the last triangle.
  const std::size_t groups = (candidates_.size() + 7) / 8;
  if (groups > 0) candidates_.resize(8 * groups, candidates_.back());
  lanes_.resize(groups);
  spheres_.resize(groups);
  for (std::size_t g = 0; g < groups; ++g) {
    std::array<std::int32_t, 8> triangles;
    std::copy_n(candidates_.begin() + static_cast<std::ptrdiff_t>(8 * g), 8, triangles.begin());
    set_up_lanes(corners(block, triangles, 0), corners(block, triangles, 1),
                 corners(block, triangles, 2), lanes_[g], spheres_[g]);
  }
}

// Finds the groups with a sphere that comes within the band of each octant. Along each axis the
// octants have two places only.
void BlockRaster::filter() {
  for (Near& near : near_) near.clear();
  const Float8 zero = splat8(0);
  const auto beyond = [&](Float8 center, int side) {
    const Float8 d = center - splat8(4.0F * static_cast<float>(side) + kOctantHalf);
    const Float8 out = lane_max(lane_max(d, -d) - splat8(kOctantHalf), zero);
    return out * out;
  };
  for (std::size_t g = 0; g < lanes_.size(); ++g) {
    const SphereLanes& spheres = spheres_[g];
    const Points8& c = spheres.center;
    const std::array<Float8, 2> x = {beyond(c.x, 0), beyond(c.x, 1)};
    const std::array<Float8, 2> y = {beyond(c.y, 0), beyond(c.y, 1)};
    const std::array<Float8, 2> z = {beyond(c.z, 0), beyond(c.z, 1)};
    const Float8 reach = spheres.radius + splat8(band_);
    const Float8 reach_squared = reach * reach;
    for (std::size_t octant = 0; octant < 8; ++octant) {
      const Float8 squared = x[octant & 1] + y[octant >> 1 & 1] + z[octant >> 2];
      if (true_lanes(squared < reach_squared) != 0) {
        near_[octant].push_back({static_cast<std::int32_t>(g), spheres});
      }
    }
  }
}

// The centres of the triangles' spheres lie on the triangles: the nearest one, measured first,
// bounds the distance of every node, and tells which groups are too far to matter. Of the others,
// only those triangles are measured that could be closer to some node than what it has already.
BlockRaster::Closest BlockRaster::closest_in_tile(const Near& near, const Points8& nodes,
                                                  const Points8& center) {
  to_sphere_.resize(near.size());
  constexpr float kFar = 1e12F;
  Float8 nearest = splat8(kFar);
  Int8 nearest_group = Int8{};
  for (std::size_t i = 0; i < near.size(); ++i) {
    const Points8 d = near[i].spheres.center - center;
    to_sphere_[i] = dot(d, d);
    const Int8 is_nearer = to_sphere_[i] < nearest;
    nearest = lane_min(nearest, to_sphere_[i]);
    nearest_group = is_nearer ? Int8{} + near[i].group : nearest_group;
  }
  Closest best = {splat8(band_ * band_), ~Int8{}};
  const auto measure = [&](std::int32_t group, int lane) {
    const Float8 squared = squared_distances(lanes_[static_cast<std::size_t>(group)], lane, nodes);
    const Int8 is_closer = squared < best.squared;
    best.squared = is_closer ? squared : best.squared;
    best.candidate = is_closer ? Int8{} + (8 * group + lane) : best.candidate;
  };
  const int first = std::countr_zero(true_lanes(nearest == splat8(least(nearest))));
  const std::int32_t first_group = nearest_group[first];
  measure(first_group, first);
  const Float8 reach = splat8(std::sqrt(greatest(best.squared)) + kTileHalfDiagonal);
  for (std::size_t i = 0; i < near.size(); ++i) {
    const Float8 limit = near[i].spheres.radius + reach;
    if (true_lanes(to_sphere_[i] < limit * limit) == 0) continue;
    const std::int32_t group = near[i].group;
    unsigned bits = could_be_closer(lanes_[static_cast<std::size_t>(group)], center, best.squared);
    if (group == first_group) bits &= ~(1U << first);
    for (; bits != 0; bits &= bits - 1) {
      measure(group, std::countr_zero(bits));
    }
  }
  return best;
}

// The distances of eight nodes to the curved surface; each has its closest candidate.
Float8 BlockRaster::curved(const Vec3i& block, const Points8& nodes, Int8 candidate,
                           Float8 flat) const {
  std::array<std::int32_t, 8> triangles;
  for (std::size_t k = 0; k < 8; ++k) {
    const int place = std::max(0, candidate[static_cast<int>(k)]);
    triangles[k] = candidates_[static_cast<std::size_t>(place)];
  }
  PatchLanes patch;
  for (std::size_t c = 0; c < 3; ++c) {
    patch.corners[c] = corners(block, triangles, c);
    std::array<const void*, 8> from;
    for (std::size_t k = 0; k < 8; ++k) {
      const Triangle& t = surface_.triangles[static_cast<std::size_t>(triangles[k])];
      from[k] = surface_.normals[static_cast<std::size_t>(t[c])].data();
    }
    const Lanes3<Int8> bits = load_points(from);
    patch.normals[c] = {std::bit_cast<Float8>(bits.x), std::bit_cast<Float8>(bits.y),
                        std::bit_cast<Float8>(bits.z)};
  }
  const Float8 distance = curved_distance(patch, nodes, flat);
  return candidate >= Int8{} ? distance : flat;
}

BlockMask BlockRaster::run(const Vec3i& block, const BlockMask& inside, float* distances) {
  gather(block);
  set_up(block);
  filter();
  const Float8 band = splat8(band_);
  BlockMask known{};
  for (int octant = 0; octant < 8; ++octant) {
    const Vec3i corner(4 * (octant & 1), 4 * (octant >> 1 & 1), 4 * (octant >> 2));
    const Near& near = near_[static_cast<std::size_t>(octant)];
    for (int tile = 0; tile < 8; ++tile) {
      const Vec3i low = corner + Vec3i(2 * (tile & 1), 2 * (tile >> 1 & 1), 2 * (tile >> 2));
      const BlockTile place(low);
      if (near.empty()) {
        place.store(place.negated(band, inside), distances);
        continue;
      }
      const Vec3f first = low.cast<float>();
      const Points8 nodes = {splat8(first.x()) + kLaneX, splat8(first.y()) + kLaneY,
                             splat8(first.z()) + kLaneZ};
      const Closest best = closest_in_tile(
          near, nodes,
          {splat8(first.x() + 0.5F), splat8(first.y() + 0.5F), splat8(first.z() + 0.5F)});
      Float8 distance = place.negated(root(best.squared), inside);
      if (true_lanes(best.candidate >= Int8{}) != 0) {
        if (!surface_.normals.empty()) distance = curved(block, nodes, best.candidate, distance);
        place.add((distance < band) & (distance > -band), known);
      }
      place.store(distance, distances);
    }
  }
  return known;
}

}  // namespace

BandDistance mesh_distance(const TriangleMesh& mesh, std::span<const Vec3f> normals,
                           const Lattice& lattice, const DistanceParams& params) {
  SPINDRIFT_ASSERT(params.band >= 1 && params.band <= 7);
  const FixedSurface surface = fixed_surface(mesh, normals, lattice);
  const TriangleBins bins = bin_triangles(surface);
  BandDistance distance;
  distance.band = params.band;
  distance.field = unknown_field(lattice, blocks_within(bins, params.band));
  SampledField& field = distance.field;
  const InsideNodes inside = inside_nodes(surface, bins, field.blocks);
  distance.open_rows = inside.open_rows;
  if (normals.empty()) {
    rasterise_prisms(surface, bins, inside, params.band, field);
    return distance;
  }

  constexpr std::int64_t kBlocksAtOnce = 32;
  parallel_for_chunks(field.blocks.size(), kBlocksAtOnce,
                      [&](std::int64_t begin, std::int64_t end) {
                        BlockRaster raster(surface, bins, params.band);
                        for (std::int64_t block = begin; block < end; ++block) {
                          float* values = field.block_values(block);
                          field.known[static_cast<std::size_t>(block)] =
                              raster.run(field.blocks.coordinate(block),
                                         inside.masks[static_cast<std::size_t>(block)], values);
                        }
                      });
  return distance;
}

}  // namespace spindrift
