#include "spindrift/surface/surface_changes.hpp"

#include <algorithm>
#include <cmath>

#include "spindrift/core/parallel.hpp"

namespace spindrift {
namespace {

// Nodes as close to a solid as this, in lattice units, lie in it: domains often fit the lattice.
constexpr double kOnSolid = 1e-3;
// Slopes along the way out of a solid below this are those of a surface that faces it, within the
// margin: there the liquid touches the solid, and the gap is closed.
constexpr float kFacesSolid = -0.7F;
// Slopes above this in air are those of a film that is gone: only what was continued of it is left,
// and would stay.
constexpr float kLiesOnSolid = 0.9F;
// How far from solids shapes are looked at that end there, in lattice units: the band of a tracker
// and a node.
constexpr double kFlushReach = 4;

void apply(const SurfaceEdit& edit, std::span<const Vec3> points, double spacing,
           std::span<float> values) {
  std::vector<double> metres(points.size());
  edit.shape->evaluate(points, metres);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto shape = static_cast<float>(metres[i] / spacing);
    values[i] = edit.kind == SurfaceEdit::Kind::add ? std::min(values[i], shape)
                                                    : std::max(values[i], -shape);
  }
}

// The share of liquid in the cube around a node.
double liquid_share(float value) { return std::clamp(0.5 - double{value}, 0.0, 1.0); }

// The nodes of a block.
std::vector<Vec3> block_points(const Vec3i& block, const Lattice& lattice) {
  std::vector<Vec3> points(kBlockNodes);
  for (int node = 0; node < kBlockNodes; ++node) {
    points[static_cast<std::size_t>(node)] =
        lattice.position(Vec3i(kBlockSide * block + node_offset(node)));
  }
  return points;
}

std::vector<Vec3i> blocks_in(const Box3& box, const Lattice& lattice) {
  const Vec3i low = block_of_node(lattice.to_lattice(box.min()).array().floor().cast<int>());
  const Vec3i high = block_of_node(lattice.to_lattice(box.max()).array().ceil().cast<int>());
  std::vector<Vec3i> blocks;
  for (int z = low.z(); z <= high.z(); ++z) {
    for (int y = low.y(); y <= high.y(); ++y) {
      for (int x = low.x(); x <= high.x(); ++x) blocks.emplace_back(x, y, z);
    }
  }
  return blocks;
}

}  // namespace

void ContinuedIntoSolids::evaluate(const NodeFunction& outside, std::span<const Vec3> points,
                                   std::span<float> values) const {
  if (solids_.solids == nullptr) {
    outside(points, values);
    return;
  }
  std::vector<double> walls(points.size());
  solids_.solids->evaluate(points, std::span<double>(walls));
  // Nodes in solids are looked up twice: at the margin, and a node farther out.
  std::vector<Vec3> places(points.begin(), points.end());
  std::vector<std::size_t> inside;
  const double deepest = -solids_.depth - 2 * spacing_;  // there is no liquid, whatever is found
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (walls[i] > kOnSolid * spacing_ || walls[i] < deepest) continue;
    const double step = 0.1 * spacing_;
    places[i] = solids_.solids->moved_away(points[i], solids_.margin, step);
    inside.push_back(i);
    places.push_back(solids_.solids->moved_away(points[i], solids_.margin + spacing_, step));
  }
  std::vector<float> found(places.size());
  outside(places, found);
  std::copy_n(found.begin(), points.size(), values.begin());
  for (std::size_t k = 0; k < inside.size(); ++k) {
    const std::size_t i = inside[k];
    const float slope = std::clamp(found[points.size() + k] - found[i], -1.0F, 1.0F);
    if (slope < kFacesSolid || (slope > kLiesOnSolid && found[i] > 0)) continue;
    values[i] -= slope * static_cast<float>((solids_.margin - walls[i]) / spacing_);
  }
  limit(walls, values);
}

void ContinuedIntoSolids::start(const NodeFunction& shape, std::span<const Vec3> points,
                                std::span<float> values) const {
  if (solids_.solids == nullptr) {
    shape(points, values);
    return;
  }
  evaluate([&](std::span<const Vec3> outside,
               std::span<float> distances) { without_flush_sides(shape, outside, distances); },
           points, values);
}

void ContinuedIntoSolids::without_flush_sides(const NodeFunction& shape,
                                              std::span<const Vec3> points,
                                              std::span<float> values) const {
  shape(points, values);
  std::vector<double> walls(points.size());
  solids_.solids->evaluate(points, std::span<double>(walls));
  std::vector<std::size_t> flush;
  for (std::size_t i = 0; i < points.size(); ++i) {
    constexpr float kAlike = 1e-4F;  // lattice units
    const auto wall = static_cast<float>(walls[i] / spacing_);
    if (wall < kFlushReach && std::abs(values[i] + wall) < kAlike) flush.push_back(i);
  }
  std::vector<Vec3> places(flush.size());
  std::vector<float> deeper(flush.size());
  for (double away = kFlushReach; away > 0.5; away /= 2) {
    for (std::size_t k = 0; k < flush.size(); ++k) {
      places[k] = solids_.solids->moved_away(points[flush[k]], away * spacing_, 0.1 * spacing_);
    }
    shape(places, deeper);
    for (std::size_t k = 0; k < flush.size(); ++k) {
      values[flush[k]] = std::min(values[flush[k]], deeper[k]);
    }
  }
}

void ContinuedIntoSolids::take_out_of_solids(std::span<const Vec3> points,
                                             std::span<float> values) const {
  const SolidsAt* solids = solids_.before != nullptr ? solids_.before : solids_.solids;
  if (solids == nullptr) return;
  std::vector<double> walls(points.size());
  solids->evaluate(points, std::span<double>(walls));
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto depth = static_cast<float>(-walls[i] / spacing_);
    if (depth > 0) values[i] = std::max(values[i], depth);
  }
}

void ContinuedIntoSolids::limit(std::span<const double> walls, std::span<float> values) const {
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = std::max(values[i], static_cast<float>(-(walls[i] + solids_.depth) / spacing_));
  }
}

NodeFunction edited(const NodeFunction& function, const std::vector<SurfaceEdit>& edits,
                    const Lattice& lattice) {
  return [&function, &edits, spacing = lattice.spacing](std::span<const Vec3> points,
                                                        std::span<float> values) {
    function(points, values);
    for (const SurfaceEdit& edit : edits) apply(edit, points, spacing, values);
  };
}

std::vector<EditedVolume> edited_volumes(const NodeFunction& before,
                                         const std::vector<SurfaceEdit>& edits,
                                         const SolidsAt* solids, const Lattice& lattice) {
  const double voxel = std::pow(lattice.spacing, 3);
  std::vector<EditedVolume> all;
  for (std::size_t last = 0; last < edits.size(); ++last) {
    if (edits[last].kind != SurfaceEdit::Kind::add) continue;
    const std::vector<Vec3i> blocks = blocks_in(edits[last].box, lattice);
    std::vector<EditedVolume> in_blocks(blocks.size());
    parallel_for_each(
        std::ssize(blocks),
        [&](std::int64_t b) {
          const std::vector<Vec3> points =
              block_points(blocks[static_cast<std::size_t>(b)], lattice);
          std::vector<float> values(points.size());
          before(points, values);
          for (std::size_t e = 0; e < last; ++e) {
            apply(edits[e], points, lattice.spacing, values);
          }
          std::vector<double> solid(points.size(), 1e9);
          if (solids != nullptr) {
            solids->evaluate(std::span<const Vec3>(points), std::span<double>(solid));
          }
          // Of what edits that come later leave.
          const auto shares = [&] {
            std::vector<float> left = values;
            for (std::size_t e = last + 1; e < edits.size(); ++e) {
              apply(edits[e], points, lattice.spacing, left);
            }
            std::vector<double> of_nodes(points.size());
            for (std::size_t i = 0; i < points.size(); ++i) {
              const auto wall = static_cast<float>(-solid[i] / lattice.spacing);
              of_nodes[i] = liquid_share(std::max(left[i], wall));
            }
            return of_nodes;
          };
          const std::vector<double> old_shares = shares();
          apply(edits[last], points, lattice.spacing, values);
          const std::vector<double> new_shares = shares();
          EditedVolume& change = in_blocks[static_cast<std::size_t>(b)];
          change.tag = edits[last].tag;
          double weight = 0;
          for (std::size_t i = 0; i < points.size(); ++i) {
            const double difference = new_shares[i] - old_shares[i];
            change.volume += voxel * difference;
            change.place += std::abs(difference) * points[i];
            weight += std::abs(difference);
          }
          if (weight > 0) change.place /= weight;
        },
        1);
    for (const EditedVolume& change : in_blocks) {
      if (change.volume != 0) all.push_back(change);
    }
  }
  return all;
}

}  // namespace spindrift
