#include "spindrift/surface/node_points.hpp"

#include <limits>
#include <map>
#include <numeric>

#include <gtest/gtest.h>

#include "support/random.hpp"

namespace spindrift {
namespace {

TEST(NodePoints, NumberTheNodesOfABlockByCubes) {
  std::vector<float> values(kBlockNodes);
  std::iota(values.begin(), values.end(), 0.0F);
  std::vector<int> seen(kBlockNodes, 0);
  for (int cube = 0; cube < kBlockCubes; ++cube) {
    const Float8 loaded = load_cube(values.data(), cube);
    for (int lane = 0; lane < 8; ++lane) {
      const int node = cube_node(cube, lane);
      ++seen[static_cast<std::size_t>(node)];
      EXPECT_EQ(loaded[lane], values[static_cast<std::size_t>(node)]);
      EXPECT_EQ(node_offset(node),
                Vec3i(cube_offset(cube) + Vec3i(lane & 1, lane >> 1 & 1, lane >> 2)));
    }
    store_cube(values.data(), cube, -loaded);
    for (int lane = 0; lane < 8; ++lane) {
      EXPECT_EQ(values[static_cast<std::size_t>(cube_node(cube, lane))], -loaded[lane]);
    }
  }
  EXPECT_EQ(seen, std::vector<int>(kBlockNodes, 1));
}

TEST(NodePoints, FindAllPointsWithinReachOfEveryNode) {
  const Lattice lattice{Vec3(-3, 7, 0.5), 0.25};
  test::Random random(17);
  const Box3 box(lattice.position(Vec3i(-20, -20, -20)), lattice.position(Vec3i(20, 20, 20)));
  std::vector<Vec3> points;
  for (int i = 0; i < 2000; ++i) points.push_back(random.in_box(box));
  for (const double reach : {0.7, 2.5, 4.5}) {
    const NodePoints all(points, lattice, reach);
    NodePoints::Block block(all);
    int pairs = 0;
    for (const Vec3i& first : {Vec3i(0, 0, 0), Vec3i(-8, 8, 0), Vec3i(80, 0, 0)}) {
      block.move_to_block(first);
      EXPECT_EQ(block.is_empty(), first.x() == 80);
      for (int cube = 0; cube < kBlockCubes; ++cube) {
        std::map<std::size_t, Float8> near;
        Float8 closest = splat8(1e9F);
        if (block.move_to(cube)) {
          block.for_each_closest([&](std::size_t, const Lanes3<Float8>&, Float8 squared) {
            closest = lane_min(closest, squared);
          });
          block.for_each_within(static_cast<float>(reach),
                                [&](std::size_t i, const Lanes3<Float8>& away, Float8 squared) {
                                  near[i] = squared;
                                  const Vec3 p = lattice.to_lattice(points[i]);
                                  for (int k = 0; k < 8; ++k) {
                                    const Vec3 to = Vec3(away.x[k], away.y[k], away.z[k]) + p;
                                    const Vec3 node =
                                        (first + node_offset(cube_node(cube, k))).cast<double>();
                                    EXPECT_LT((to - node).norm(), 1e-4);
                                  }
                                });
        }
        for (int lane = 0; lane < 8; ++lane) {
          const Vec3 at = (first + node_offset(cube_node(cube, lane))).cast<double>();
          double least = std::numeric_limits<double>::infinity();
          for (std::size_t i = 0; i < points.size(); ++i) {
            const double squared = (lattice.to_lattice(points[i]) - at).squaredNorm();
            if (squared >= (reach - 1e-4) * (reach - 1e-4)) continue;
            ++pairs;
            least = std::min(least, squared);
            ASSERT_TRUE(near.contains(i)) << "reach " << reach << ", point " << i;
            EXPECT_NEAR(near[i][lane], squared, 1e-4 * (1 + squared));
          }
          if (std::isfinite(least)) {
            EXPECT_NEAR(closest[lane], least, 1e-4 * (1 + least));
          }
        }
      }
    }
    EXPECT_GT(pairs, 20);
  }
}

}  // namespace
}  // namespace spindrift
