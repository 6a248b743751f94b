// Thin liquid at the start: what a shape has that its contour does not show.
#include <algorithm>
#include <cmath>

#include "spindrift/core/parallel.hpp"
#include "spindrift/surface/thin_liquid.hpp"

namespace spindrift {
namespace {

// Half of a voxel's diagonal.
constexpr double kHalfDiagonal = 0.87;
// Points along each edge of a voxel that say how much of it is liquid.
constexpr int kPoints = 6;
// Voxels as near to a thin sample as this belong to it.
constexpr int kAround = 2;

void sort_and_unite(std::vector<std::uint64_t>& keys) {
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
}

// The voxels of bodies that are thin all over, and those with liquid but no contour.
std::vector<std::uint64_t> thin_voxels(std::span<const ThinSample> samples,
                                       const SampledField& nodes, const ScalarField& shape,
                                       const ScalarField& distance) {
  std::vector<std::uint64_t> keys;
  const Lattice& lattice = nodes.lattice;
  std::size_t most_keys = 1 << 20;
  for (const ThinSample& sample : samples) {
    if (!sample.is_of_thin_body) continue;
    // Samples share most of their voxels.
    if (keys.size() > most_keys) {
      sort_and_unite(keys);
      most_keys = std::max(most_keys, 2 * keys.size());
    }
    const Vec3 place = lattice.to_lattice(sample.particle.position);
    const Vec3i voxel = place.array().floor().cast<int>();
    const int reach = kAround + static_cast<int>(sample.particle.radius / lattice.spacing);
    for (int z = -reach; z <= reach; ++z) {
      for (int y = -reach; y <= reach; ++y) {
        for (int x = -reach; x <= reach; ++x) keys.push_back(block_key(voxel + Vec3i(x, y, z)));
      }
    }
  }
  std::vector<Vec3> middles;
  for (std::int64_t block = 0; block < nodes.blocks.size(); ++block) {
    const Vec3i first = nodes.blocks.first_node(block);
    for (int node = 0; node < kBlockNodes; ++node) {
      middles.push_back(lattice.position(Vec3i(first + node_offset(node))) +
                        Vec3::Constant(lattice.spacing / 2));
    }
  }
  std::vector<double> drawn(middles.size());
  std::vector<double> shown(middles.size());
  evaluate_parallel(shape, middles, drawn);
  evaluate_parallel(distance, middles, shown);
  const double most = kHalfDiagonal * lattice.spacing;
  for (std::size_t i = 0; i < middles.size(); ++i) {
    if (drawn[i] > most || shown[i] < most) continue;
    keys.push_back(block_key(lattice.to_lattice(middles[i]).array().floor().cast<int>()));
  }
  sort_and_unite(keys);
  return keys;
}

}  // namespace

ThinLiquid thin_start(std::span<const ThinSample> samples, const SampledField& nodes,
                      const ScalarField& shape, const ScalarField& distance) {
  const Lattice& lattice = nodes.lattice;
  const std::vector<std::uint64_t> voxels = thin_voxels(samples, nodes, shape, distance);
  std::vector<ThinParticle> parts(voxels.size());
  parallel_for_each(std::ssize(voxels), [&](std::int64_t n) {
    const auto v = static_cast<std::size_t>(n);
    const Vec3i voxel = block_of_key(voxels[v]);
    std::vector<Vec3> points;
    for (int z = 0; z < kPoints; ++z) {
      for (int y = 0; y < kPoints; ++y) {
        for (int x = 0; x < kPoints; ++x) {
          const Vec3 inside = (Vec3(x, y, z) + Vec3::Constant(0.5)) / kPoints;
          points.push_back(lattice.origin + lattice.spacing * (voxel.cast<double>() + inside));
        }
      }
    }
    std::vector<double> values(points.size());
    shape.evaluate(points, values);
    // A ramp as wide as the points are apart.
    const double width = lattice.spacing / kPoints;
    ThinParticle& part = parts[v];
    double sum = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double share = std::clamp(0.5 - values[i] / width, 0.0, 1.0);
      sum += share;
      part.position += share * points[i];
    }
    if (sum > 0) part.position /= sum;
    part.volume = sum * std::pow(width, 3);
  });
  std::erase_if(parts, [](const ThinParticle& part) { return !(part.volume > 0); });
  MovedThinLiquid moved;
  moved.ways.assign(parts.size(), 0);
  moved.velocities.assign(parts.size(), Vec3::Zero());
  moved.liquid.particles = std::move(parts);
  return settled_thin_liquid(moved, samples, distance, lattice, ThickeningParams(),
                             kHeldThickness / 2 + 1);
}

}  // namespace spindrift
