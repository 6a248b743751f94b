#include "spindrift/surface/mesh_thickening.hpp"

#include <algorithm>
#include <cmath>

#include "spindrift/core/parallel.hpp"

namespace spindrift {
namespace {

// Of the radius: up to where the offset is whole, and from where on there is none.
constexpr double kWhole = 1.4;
constexpr double kNone = 2.8;

// What each of the particles gets from all of them, but no less than it needs itself.
std::vector<double> mean_offsets(std::span<const MedialParticle> particles,
                                 std::span<const Vec3> places, const Lattice& lattice,
                                 const MeshThickeningParams& params) {
  const double reach = params.support / lattice.spacing;
  const double radius = params.radius;
  const PointCubes cubes(places, lattice, reach, PointCubes::Looks::at_points);
  std::vector<double> offsets(particles.size());
  parallel_for_each(std::ssize(offsets), [&](std::int64_t n) {
    double sum = 0;
    double offset = 0;
    const auto k = static_cast<std::size_t>(n);
    cubes.for_each_near(places[k], [&](std::size_t i, double squared) {
      const double share = 1 - squared / (reach * reach);
      const double weight = share * share * share;
      sum += weight;
      offset += weight * std::max(0.0, radius - particles[i].radius);
    });
    offsets[k] =
        std::min(std::max(sum > 0 ? offset / sum : 0, radius - particles[k].radius), params.most);
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
      cell_(among.cells.spacing),
      half_cells_{among.cells.origin, among.cells.spacing / 2} {
  const std::vector<MedialParticle> parts = thickened_parts(particles, params);
  const std::vector<Vec3> places = positions(parts);
  const std::vector<double> offsets = mean_offsets(parts, places, lattice, params);
  offsets_.emplace(OffsetPoints{places, offsets, kWhole * params.radius, kNone * params.radius},
                   liquid, half_cells_);
  const auto reach = [&](const Vec3& place, double distance) {
    reached_.extend(Vec3(place.array() - distance));
    reached_.extend(Vec3(place.array() + distance));
  };
  for (const Vec3& place : places) reach(place, kNone * params.radius + cell_);
  for (const double offset : offsets) most_ = std::max(most_, offset);

  anchors_ = anchors_of(liquid, particles, *offsets_, params, among);
  if (anchors_.empty()) return;
  const std::vector<Vec3> anchor_places = places_of(anchors_);
  const double far = kAnchorNone * cell_;
  anchor_cubes_.emplace(anchor_places, lattice, far / lattice.spacing);
  // And a node: places between it and the next one belong to its block.
  anchor_blocks_ = blocks_around(anchor_places, half_cells_, far + half_cells_.spacing);
  for (const Vec3& place : anchor_places) reach(place, far);
  // An anchor's ball reaches no farther out than its vertex was from the liquid, and its radius.
  std::vector<double> distances(anchors_.size());
  evaluate_parallel(liquid, anchor_places, distances);
  for (std::size_t i = 0; i < anchors_.size(); ++i) {
    most_ = std::max({most_, anchors_[i].offset, distances[i] + kAnchorRadius * cell_});
  }
}

double MeshThickened::with_anchors(const Vec3& place, double distance,
                                   PointCubes::Around& around) const {
  double offset = 0;
  double ball = 1e300;
  anchor_cubes_->for_each_near(place, around, [&](std::size_t i, double squared) {
    const double far = std::sqrt(squared) * voxel_;
    ball = std::min(ball, far - kAnchorRadius * cell_);
    offset =
        std::max(offset, fade(far, kAnchorWhole * cell_, kAnchorNone * cell_) * anchors_[i].offset);
  });
  return std::min(distance - offset, ball);
}

void MeshThickened::evaluate(std::span<const Vec3> points, std::span<double> values) const {
  liquid_.evaluate(points, values);
  OffsetGrid::Reader offset_at(*offsets_);
  BlockFinder anchored(anchor_blocks_);
  PointCubes::Around around;
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
    values[p] -= offset_at(points[p]);
    const Vec3 at = half_cells_.to_lattice(points[p]);
    if (anchored.find(block_of_node(at.array().floor().cast<int>())) >= 0) {
      values[p] = std::min(values[p], with_anchors(points[p], distance, around));
    }
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
