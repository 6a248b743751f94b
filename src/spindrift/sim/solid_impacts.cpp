#include "spindrift/sim/solid_impacts.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "spindrift/core/parallel.hpp"

namespace spindrift {
namespace {

// Cells give off at most this share of their volume in a step.
constexpr double kMostShare = 0.5;

// The blocks in solids that parts of the surface fly into, and those around them.
std::vector<std::uint64_t> blocks_hit(const Tracker& liquid, const Lattice& lattice,
                                      const VelocityField& paths, double dt, const SolidsAt& before,
                                      const SolidsAt& after) {
  const std::vector<Vec3>& vertices = liquid.surface().vertices;
  std::vector<Vec3> velocities(vertices.size());
  evaluate_parallel(paths, vertices, velocities);
  std::vector<char> is_hit(vertices.size(), 0);
  parallel_for_each(std::ssize(vertices), [&](std::int64_t i) {
    const auto v = static_cast<std::size_t>(i);
    const Vec3 moved = vertices[v] + dt * velocities[v];
    is_hit[v] = after.distance(moved) < 0 && before.distance(vertices[v]) > 0;
  });
  std::set<std::uint64_t> keys;
  for (std::size_t v = 0; v < vertices.size(); ++v) {
    if (is_hit[v] == 0) continue;
    const Vec3 moved = vertices[v] + dt * velocities[v];
    const Vec3i block = block_of_node(Vec3i(lattice.to_lattice(moved).array().round().cast<int>()));
    if (keys.count(block_key(block)) != 0) continue;
    for (int k = 0; k < 27; ++k) {
      keys.insert(block_key(block + Vec3i(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1)));
    }
  }
  return {keys.begin(), keys.end()};
}

Vec3i block_at(const Lattice& lattice, const Vec3& point) {
  return block_of_node(Vec3i(lattice.to_lattice(point).array().round().cast<int>()));
}

}  // namespace

std::vector<SolidImpact> find_impacts(const Tracker& liquid, const Lattice& lattice,
                                      const VelocityField& paths, double dt, const SolidsAt& before,
                                      const SolidsAt& after) {
  const std::vector<std::uint64_t> keys = blocks_hit(liquid, lattice, paths, dt, before, after);
  const double voxel = std::pow(lattice.spacing, 3);
  std::vector<SolidImpact> impacts(keys.size());
  parallel_for_each(
      std::ssize(keys),
      [&](std::int64_t b) {
        SolidImpact& impact = impacts[static_cast<std::size_t>(b)];
        impact.block = block_of_key(keys[static_cast<std::size_t>(b)]);
        std::vector<Vec3> outside;  // of the nodes in solids: where the wall is
        std::vector<Vec3> nodes;
        std::vector<double> shares;  // of the cube around the node in the solid
        for (int n = 0; n < kBlockNodes; ++n) {
          const Vec3 node = lattice.position(Vec3i(kBlockSide * impact.block + node_offset(n)));
          const double wall = after.distance(node);
          const double share = std::clamp(0.5 - wall / lattice.spacing, 0.0, 1.0);
          if (share == 0) continue;
          nodes.push_back(node);
          shares.push_back(share);
          outside.push_back(after.moved_away(node, 0.5 * lattice.spacing, 0.1 * lattice.spacing));
        }
        if (nodes.empty()) return;
        std::vector<Vec3> velocities(nodes.size());
        paths.evaluate(outside, velocities);
        std::vector<Vec3> origins(nodes.size());
        for (std::size_t i = 0; i < nodes.size(); ++i) origins[i] = nodes[i] - dt * velocities[i];
        std::vector<double> phi(nodes.size());
        liquid.distance().evaluate(origins, phi);
        for (std::size_t i = 0; i < nodes.size(); ++i) {
          if (before.distance(origins[i]) < 0) continue;
          impact.volume += voxel * shares[i] * std::clamp(0.5 - phi[i] / lattice.spacing, 0.0, 1.0);
        }
      },
      1);
  std::erase_if(impacts, [](const SolidImpact& impact) { return impact.volume == 0; });
  return impacts;
}

double spread_impacts(const std::vector<SolidImpact>& impacts, const Lattice& lattice,
                      const CellMesh& cells, double dt, std::span<double> divergence) {
  if (impacts.empty()) return 0;
  // The cells in the blocks around.
  std::map<std::uint64_t, double> volume_of_block;
  for (const SolidImpact& impact : impacts) {
    for (int k = 0; k < 27; ++k) {
      volume_of_block[block_key(impact.block + Vec3i(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1))] = 0;
    }
  }
  std::vector<std::uint64_t> keys(cells.volumes.size());
  parallel_for_each(cells.cell_count(), [&](std::int64_t c) {
    keys[static_cast<std::size_t>(c)] =
        block_key(block_at(lattice, cells.centers[static_cast<std::size_t>(c)]));
  });
  for (std::size_t c = 0; c < keys.size(); ++c) {
    const auto found = volume_of_block.find(keys[c]);
    if (found != volume_of_block.end()) found->second += cells.volumes[c];
  }
  std::map<std::uint64_t, double> rate_of_block;  // 1/s
  double spread = 0;
  for (const SolidImpact& impact : impacts) {
    double around = 0;
    for (int k = 0; k < 27; ++k) {
      around +=
          volume_of_block[block_key(impact.block + Vec3i(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1))];
    }
    if (!(around > 0)) continue;
    const double share = std::min(impact.volume / around, kMostShare);
    spread += share * around;
    for (int k = 0; k < 27; ++k) {
      rate_of_block[block_key(impact.block + Vec3i(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1))] +=
          share / dt;
    }
  }
  for (std::size_t c = 0; c < keys.size(); ++c) {
    const auto found = rate_of_block.find(keys[c]);
    if (found != rate_of_block.end()) divergence[c] += found->second;
  }
  return spread;
}

}  // namespace spindrift
