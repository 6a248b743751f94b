#include "spindrift/meshing/distance_volume.hpp"

#include <cmath>

#include "spindrift/core/error.hpp"
#include "spindrift/core/parallel.hpp"
#include "spindrift/meshing/cut_edges.hpp"
#include "spindrift/meshing/limits.hpp"

namespace spindrift {
namespace {

// A vertex closer to the surface than this lies on it. Cell sides.
constexpr double kOnSurface = 1e-7;
// No edge reaches farther: the ends of a cut edge lie in bricks near the surface. Cell sides.
constexpr double kLongestEdge = 1;

void expect_finite(double value) {
  if (std::isfinite(value)) return;
  throw InputError({}, "the distance from the surface is not a finite number somewhere",
                   "check the shape's coordinates");
}

// The cubes' parts of half the side that the grid has. `level`: of the parts.
std::vector<Vec3i> parts_of(const std::vector<Vec3i>& cubes, int level, const BrickGrid& grid) {
  std::vector<Vec3i> parts;
  parts.reserve(8 * cubes.size());
  for (const Vec3i& cube : cubes) {
    for (int k = 0; k < 8; ++k) {
      const Vec3i part = cube + (1 << level) * Vec3i(k & 1, k >> 1 & 1, k >> 2);
      if (grid.has(part)) parts.push_back(part);
    }
  }
  return parts;
}

}  // namespace

std::vector<Vec3i> DistanceVolume::bricks_at_surface() {
  int level = 0;
  const int across = (grid_.high - grid_.low).maxCoeff() + 1;
  while ((1 << level) < across) ++level;
  std::vector<Vec3i> cubes = {grid_.low};  // their first bricks
  std::vector<Vec3> centers;
  std::vector<double> values;
  bool any_inside = false;
  for (;; --level) {
    const double half = grid_.brick_side() * std::ldexp(0.5, level);
    centers.resize(cubes.size());
    values.resize(cubes.size());
    for (std::size_t i = 0; i < cubes.size(); ++i) {
      const Vec3 first = grid_.origin + grid_.brick_side() * cubes[i].cast<double>();
      centers[i] = first.array() + half;
    }
    evaluate_parallel(bound_, centers, values);
    const double reach = std::sqrt(3.0) * half + (kLongestEdge + 0.01) * grid_.size;
    std::size_t near = 0;
    for (std::size_t i = 0; i < cubes.size(); ++i) {
      expect_finite(values[i]);
      any_inside |= values[i] < -reach;
      if (std::abs(values[i]) <= reach) cubes[near++] = cubes[i];
    }
    cubes.resize(near);
    // At least a row's worth of bricks for each cube: more is only certain at the last level.
    expect_to_fit(std::ldexp(static_cast<double>(near), level), 0, grid_.size, uniform_);
    if (level == 0) break;
    cubes = parts_of(cubes, level - 1, grid_);
  }
  if (cubes.empty() && any_inside) fail_to_stay_in_box();
  return cubes;
}

void DistanceVolume::classify(Octree& tree) {
  values_.resize(tree.surface_bricks.size());
  constexpr std::int64_t kBricksAtOnce = 8;
  for_each_surface_brick(tree, kBricksAtOnce, [&](const Brick& brick) {
    const auto s = static_cast<std::size_t>(brick.surface);
    std::array<Vec3, kBlockNodes> points;
    std::array<double, kBlockNodes> values;
    for (const Sublattice lattice : {kCorners, kCenters}) {
      for (int node = 0; node < kBlockNodes; ++node) {
        points[static_cast<std::size_t>(node)] =
            tree.position(brick.place, node_units(lattice, node).cast<double>());
      }
      distance_.evaluate(points, values);
      BlockMask& inside = tree.surface_bricks[s].inside[lattice];
      BlockMask& outside = tree.surface_bricks[s].outside[lattice];
      inside = {};
      outside = {};
      for (std::size_t node = 0; node < kBlockNodes; ++node) {
        const double value = values[node] / tree.size;
        expect_finite(value);
        values_[s][lattice][node] = static_cast<float>(value);
        inside[node >> 6] |= std::uint64_t{value < -kOnSurface} << (node & 63);
        outside[node >> 6] |= std::uint64_t{value > kOnSurface} << (node & 63);
      }
    }
  });
}

Buffer<double> DistanceVolume::cut(const Octree& tree, const CutEdges& cuts) {
  Buffer<double> points(static_cast<std::size_t>(cuts.count));
  const auto value_at = [&](const Site& site) -> double {
    const std::int32_t surface = tree.bricks[static_cast<std::size_t>(site.brick)].surface;
    return values_[static_cast<std::size_t>(surface)][site.lattice]
                  [static_cast<std::size_t>(site.node)];
  };
  constexpr std::int64_t kBricksAtOnce = 16;
  parallel_for_chunks(
      std::ssize(tree.bricks), kBricksAtOnce, [&](std::int64_t begin, std::int64_t end) {
        EdgeRoots search(tolerance_);
        std::vector<SignedEdge> edges;
        for (std::int64_t b = begin; b < end; ++b) {
          const Brick& brick = tree.bricks[static_cast<std::size_t>(b)];
          if (brick.surface < 0) continue;
          const BrickCuts& own = cuts.bricks[static_cast<std::size_t>(brick.surface)];
          if (own.count == 0) continue;
          edges.clear();
          for_each_cut_edge(own, [&](int type, int node) {
            const Sublattice lattice = edge_owner_lattice(type);
            const Vec3i here = node_units(lattice, node);
            const Vec3i vector = edge_vector(type);
            edges.push_back({tree.position(brick.place, here.cast<double>()),
                             0.5 * tree.size * vector.cast<double>(),
                             value_at({static_cast<std::int32_t>(b), lattice, node}),
                             value_at(site_at(brick, here + vector))});
          });
          search.find(distance_, tree.size, edges,
                      std::span(points).subspan(static_cast<std::size_t>(own.first),
                                                static_cast<std::size_t>(own.count)));
        }
      });
  return points;
}

}  // namespace spindrift
