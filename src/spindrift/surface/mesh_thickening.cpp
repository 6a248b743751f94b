#include "spindrift/surface/mesh_thickening.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "spindrift/core/error.hpp"
#include "spindrift/core/key_order.hpp"
#include "spindrift/core/parallel.hpp"
#include "spindrift/surface/point_tiles.hpp"

namespace spindrift {
namespace {

// Of the radius: up to where the offset is whole, and from where on there is none.
constexpr double kWhole = 1.4;
constexpr double kNone = 2.8;

// Particles that share a cube of a lattice, as one at their mean place. A kernel many cubes wide
// hardly tells them apart, and there may be dozens of them where the surface is much finer than the
// mesh.
struct Crowds {
  std::vector<Vec3> places;
  std::vector<double> counts;
  std::vector<double> missing;  // of their radii, m, all together
};

Crowds crowds_of(std::span<const MedialParticle> particles, const Lattice& cubes, double radius) {
  constexpr int kBits = 21;  // of a coordinate
  Vec3i least = Vec3i::Constant(std::numeric_limits<int>::max());
  std::vector<Vec3i> cube_of(particles.size());
  for (std::size_t i = 0; i < particles.size(); ++i) {
    cube_of[i] = cubes.to_lattice(particles[i].position).array().floor().cast<int>();
    least = least.cwiseMin(cube_of[i]);
  }
  std::vector<std::uint64_t> keys(particles.size());
  for (std::size_t i = 0; i < particles.size(); ++i) {
    const Vec3i from_least = cube_of[i] - least;
    SPINDRIFT_ASSERT(from_least.maxCoeff() < 1 << kBits);
    for (int axis = 2; axis >= 0; --axis) {
      keys[i] = keys[i] << kBits | static_cast<std::uint64_t>(from_least[axis]);
    }
  }
  const KeyOrder order = key_order(keys);
  Crowds crowds;
  for (std::size_t k = 0; k < order.keys.size(); ++k) {
    if (k == 0 || order.keys[k] != order.keys[k - 1]) {
      crowds.places.emplace_back(Vec3::Zero());
      crowds.counts.push_back(0);
      crowds.missing.push_back(0);
    }
    const auto i = static_cast<std::size_t>(order.indices[k]);
    crowds.places.back() += particles[i].position;
    crowds.counts.back() += 1;
    crowds.missing.back() += std::max(0.0, radius - particles[i].radius);
  }
  for (std::size_t c = 0; c < crowds.places.size(); ++c) crowds.places[c] /= crowds.counts[c];
  return crowds;
}

// What each of the particles gets from all of them, but no less than it needs itself.
std::vector<double> mean_offsets(std::span<const MedialParticle> particles,
                                 const Lattice& half_cells, const MeshThickeningParams& params) {
  // A narrow kernel would miss a particle's own crowd.
  constexpr double kCubesWithin = 4;
  constexpr int kTile = 4;  // cubes
  const Lattice cubes = {half_cells.origin,
                         std::min(half_cells.spacing, params.support / kCubesWithin)};
  const double reach = params.support / cubes.spacing;
  const Crowds crowds = crowds_of(particles, cubes, params.radius);
  const PointTiles among(crowds.places, cubes, kTile);
  const auto in_order = [&](const std::vector<double>& values) {
    return among.in_order<float>([&](std::size_t i) { return static_cast<float>(values[i]); });
  };
  const std::vector<float> counts = in_order(crowds.counts);
  const std::vector<float> missing = in_order(crowds.missing);
  const PointTiles at(positions(particles), cubes, kTile);
  std::vector<double> offsets(particles.size());
  for_each_tile(at, among, reach, [&](const PointTiles::Tile& tile, NearTile& near) {
    const float* const count = near.gathered(counts);
    const float* const missed = near.gathered(missing);
    const auto narrowness = static_cast<float>(1 / (reach * reach));
    for (std::size_t n = tile.begin; n < tile.end; ++n) {
      Float8 sum = {};
      Float8 offset = {};
      for (std::size_t k = 0; k < near.count(); k += 8) {
        const Lanes3<Float8> away = near.away(k, at.place(n));
        const Float8 share = lane_max(1 - narrowness * dot(away, away), Float8{});
        const Float8 weight = share * share * share;
        sum += weight * load8(count + k);
        offset += weight * load8(missed + k);
      }
      const auto i = static_cast<std::size_t>(at.order()[n]);
      const double weights = sum_of(sum);
      const double mean = weights > 0 ? sum_of(offset) / weights : 0;
      offsets[i] = std::min(std::max(mean, params.radius - particles[i].radius), params.most);
    }
  });
  return offsets;
}

bool is_thickened(const MedialParticle& part, const MeshThickeningParams& params) {
  return !part.is_film && 2 * part.radius <= params.thinness;
}

std::vector<MedialParticle> thickened_parts(std::span<const MedialParticle> particles,
                                            const MeshThickeningParams& params) {
  std::vector<MedialParticle> parts;
  for (const MedialParticle& part : particles) {
    if (is_thickened(part, params)) parts.push_back(part);
  }
  return parts;
}

std::vector<Vec3> places_of(std::span<const MeshAnchor> anchors) {
  std::vector<Vec3> all;
  all.reserve(anchors.size());
  for (const MeshAnchor& anchor : anchors) all.push_back(anchor.position);
  return all;
}

// Of a distance: 1 up to `whole`, 0 from `none` on.
double fade(double distance, double whole, double none) {
  return std::clamp((none - distance) / (none - whole), 0.0, 1.0);
}

std::vector<MeshAnchor> anchors_of(const ScalarField& liquid,
                                   std::span<const MedialParticle> particles,
                                   const OffsetGrid& offsets, const MeshThickeningParams& params,
                                   const MeshedAmong& among) {
  std::vector<MedialParticle> parts;
  for (const MedialParticle& part : particles) {
    const double room = part.is_film ? 2 * kAnchoredRadius : kAnchoredRadius;
    if (part.radius <= room * among.cells.spacing) parts.push_back(part);
  }
  std::vector<const ScalarField*> in_the_way;
  if (among.solids != nullptr) in_the_way.push_back(among.solids);
  if (among.outlets != nullptr) in_the_way.push_back(among.outlets);
  return mesh_anchors(liquid, parts, offsets, in_the_way, among.cells, params.most);
}

}  // namespace

MeshThickened::MeshThickened(const ScalarField& liquid, std::span<const MedialParticle> particles,
                             const Lattice& lattice, const MeshThickeningParams& params,
                             const MeshedAmong& among)
    : liquid_(liquid),
      outlets_(among.outlets),
      voxel_(lattice.spacing),
      cell_(among.cells.spacing) {
  const Lattice half_cells{among.cells.origin, cell_ / 2};
  const std::vector<MedialParticle> parts = thickened_parts(particles, params);
  const std::vector<Vec3> places = positions(parts);
  const std::vector<double> offsets = mean_offsets(parts, half_cells, params);
  offsets_.emplace(OffsetPoints{places, offsets, kWhole * params.radius, kNone * params.radius},
                   liquid, half_cells);
  const auto reach = [&](const Vec3& place, double distance) {
    reached_.extend(Vec3(place.array() - distance));
    reached_.extend(Vec3(place.array() + distance));
  };
  for (const Vec3& place : places) reach(place, kNone * params.radius + cell_);
  for (const double offset : offsets) most_ = std::max(most_, offset);

  const std::vector<MeshAnchor> anchors = anchors_of(liquid, particles, *offsets_, params, among);
  std::copy_if(anchors.begin(), anchors.end(), std::back_inserter(offset_anchors_),
               [](const MeshAnchor& anchor) { return anchor.offset > 0; });
  const std::vector<Vec3> anchor_places = places_of(anchors);
  const double far = kAnchorNone * cell_;
  anchor_lists_.emplace(anchor_places, lattice, cell_ / voxel_, far / voxel_);
  offset_anchor_lists_.emplace(places_of(offset_anchors_), lattice, cell_ / voxel_, far / voxel_);
  for (const Vec3& place : anchor_places) reach(place, far);
  // An anchor's ball reaches no farther out than its vertex was from the liquid, and its radius.
  std::vector<double> distances(anchors.size());
  evaluate_parallel(liquid, anchor_places, distances);
  for (std::size_t i = 0; i < anchors.size(); ++i) {
    most_ = std::max({most_, anchors[i].offset, distances[i] + kAnchorRadius * cell_});
  }
}

double MeshThickened::anchor_offset(const PointLists::Place& place,
                                    PointLists::Reader& anchors) const {
  double offset = 0;
  anchors.for_each_near(place, [&](std::size_t i, double squared) {
    const double share =
        fade(std::sqrt(squared) * voxel_, kAnchorWhole * cell_, kAnchorNone * cell_);
    offset = std::max(offset, share * offset_anchors_[i].offset);
  });
  return offset;
}

void MeshThickened::evaluate(std::span<const Vec3> points, std::span<double> values) const {
  liquid_.evaluate(points, values);
  OffsetGrid::Reader offset_at(*offsets_);
  PointLists::Reader anchors(*anchor_lists_);
  PointLists::Reader offset_anchors(*offset_anchor_lists_);
  struct Added {
    std::size_t point;
    double distance;  // from the liquid
  };
  std::vector<Added> added;  // to the liquid
  for (std::size_t p = 0; p < points.size(); ++p) {
    // Deep in the liquid only the sign counts, and that values are no more than the distance; far
    // from all thin parts nothing changes.
    const double distance = values[p];
    if (distance < -cell_ || !reached_.contains(points[p])) continue;
    const PointLists::Place place = anchor_lists_->find(points[p]);
    const double ball = std::sqrt(anchors.closest(place)) * voxel_ - kAnchorRadius * cell_;
    values[p] = std::min(
        {distance - offset_at(points[p]), distance - anchor_offset(place, offset_anchors), ball});
    if (outlets_ != nullptr && distance > 0 && values[p] <= 0) added.push_back({p, distance});
  }
  if (added.empty()) return;
  std::vector<Vec3> places;
  for (const Added& one : added) places.push_back(points[one.point]);
  std::vector<double> from_outlets(places.size());
  outlets_->evaluate(places, from_outlets);
  for (std::size_t i = 0; i < added.size(); ++i) {
    double& value = values[added[i].point];
    value = std::max(value, std::min(-from_outlets[i], added[i].distance));
  }
}

}  // namespace spindrift
