#include "spindrift/meshing/mesh_volume.hpp"

#include <algorithm>

#include "spindrift/core/parallel.hpp"
#include "spindrift/meshing/edge_crossings.hpp"
#include "spindrift/meshing/limits.hpp"

namespace spindrift {
namespace {

// In squares of this side.
double area_of(const TriangleMesh& mesh, double side) {
  double twice = 0;
  for (const Triangle& t : mesh.triangles) {
    const auto edge = [&](int k) -> Vec3 {
      const Vec3& from = mesh.vertices[static_cast<std::size_t>(t[0])];
      return (mesh.vertices[static_cast<std::size_t>(t[k])] - from) / side;
    };
    twice += edge(1).cross(edge(2)).norm();
  }
  return twice / 2;
}

// The bricks of blocks of half their side.
std::vector<Vec3i> bricks_of(const BlockSet& blocks, const BrickGrid& grid) {
  std::vector<std::uint64_t> keys;
  for (std::int64_t b = 0; b < blocks.size(); ++b) {
    const Vec3i block = blocks.coordinate(b);
    const Vec3i brick(block.x() >> 1, block.y() >> 1, block.z() >> 1);
    if (grid.has(brick)) keys.push_back(block_key(brick));
  }
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  std::vector<Vec3i> bricks(keys.size());
  std::transform(keys.begin(), keys.end(), bricks.begin(), block_of_key);
  return bricks;
}

Vec3i part_of(const Vec3i& brick, int k) { return 2 * brick + Vec3i(k & 1, k >> 1 & 1, k >> 2); }

BlockSet parts_of(const std::vector<Vec3i>& bricks) {
  std::vector<std::uint64_t> keys;
  keys.reserve(8 * bricks.size());
  for (const Vec3i& brick : bricks) {
    for (int k = 0; k < 8; ++k) keys.push_back(block_key(part_of(brick, k)));
  }
  return BlockSet(std::move(keys));
}

// Puts every second node of an eighth of a brick, in half cells, into the mask of the brick.
void add_part(const BlockMask& part, int k, Sublattice lattice, BlockMask& mask) {
  const int to = 4 * (k & 1) + 32 * (k >> 1 & 1);
  for (int z = 0; z < 4; ++z) {
    const int from_layer = 2 * z + lattice;
    const int to_layer = z + 4 * (k >> 2);
    for (int y = 0; y < 4; ++y) {
      const std::uint64_t row =
          part[static_cast<std::size_t>(from_layer)] >> (8 * (2 * y + lattice) + lattice);
      const std::uint64_t bits = (row & 1) | (row >> 1 & 2) | (row >> 2 & 4) | (row >> 3 & 8);
      mask[static_cast<std::size_t>(to_layer)] |= bits << (to + 8 * y);
    }
  }
}

}  // namespace

MeshVolume::MeshVolume(const TriangleMesh& mesh, const BrickGrid& grid, bool uniform) {
  // Before long triangles are made short.
  expect_to_fit(area_of(mesh, grid.brick_side()), 0, grid.size, uniform);
  surface_ = fixed_surface(mesh, {}, {.origin = grid.origin, .spacing = grid.size / 2});
  bins_ = bin_triangles(surface_);
  constexpr float kLongestEdge = 2;
  bricks_ = bricks_of(blocks_within(bins_, kLongestEdge), grid);
  expect_to_fit(static_cast<double>(bricks_.size()), 0, grid.size, uniform);
  blocks_ = parts_of(bricks_);
  inside_ = inside_nodes(surface_, bins_, blocks_);
  if (inside_.open_rows > 0) fail_as_open();
}

void MeshVolume::classify(Octree& tree) {
  constexpr std::int64_t kBricksAtOnce = 64;
  for_each_surface_brick(tree, kBricksAtOnce, [&](const Brick& brick) {
    SurfaceBrick& surface = tree.surface_bricks[static_cast<std::size_t>(brick.surface)];
    surface.inside = {};
    for (int k = 0; k < 8; ++k) {
      const std::int32_t part = blocks_.find(part_of(brick.place, k));
      for (const Sublattice lattice : {kCorners, kCenters}) {
        add_part(inside_.masks[static_cast<std::size_t>(part)], k, lattice,
                 surface.inside[lattice]);
      }
    }
    for (const Sublattice lattice : {kCorners, kCenters}) {
      for (std::size_t z = 0; z < kBlockSide; ++z) {
        surface.outside[lattice][z] = ~surface.inside[lattice][z];
      }
    }
  });
}

Buffer<double> MeshVolume::cut(const Octree& tree, const CutEdges& cuts) {
  Buffer<double> points(static_cast<std::size_t>(cuts.count));
  constexpr std::int64_t kBricksAtOnce = 16;
  parallel_for_chunks(
      std::ssize(tree.bricks), kBricksAtOnce, [&](std::int64_t begin, std::int64_t end) {
        EdgeCrossings crossings(surface_, bins_);
        for (std::int64_t b = begin; b < end; ++b) {
          const Brick& brick = tree.bricks[static_cast<std::size_t>(b)];
          if (brick.surface < 0) continue;
          const BrickCuts& own = cuts.bricks[static_cast<std::size_t>(brick.surface)];
          if (own.count == 0) continue;
          crossings.find(brick.place, own,
                         tree.surface_bricks[static_cast<std::size_t>(brick.surface)],
                         std::span(points).subspan(static_cast<std::size_t>(own.first),
                                                   static_cast<std::size_t>(own.count)));
        }
      });
  return points;
}

}  // namespace spindrift
