#include "spindrift/surface/row_points.hpp"

#include <map>

#include <gtest/gtest.h>

#include "support/random.hpp"

namespace spindrift {
namespace {

TEST(RowPoints, FindAllPointsWithinReachOfEveryNode) {
  const Lattice lattice{Vec3(-3, 7, 0.5), 0.25};
  test::Random random(17);
  const Box3 box(lattice.position(Vec3i(-20, -20, -20)), lattice.position(Vec3i(20, 20, 20)));
  std::vector<Vec3> points;
  for (int i = 0; i < 2000; ++i) points.push_back(random.in_box(box));
  for (const double reach : {0.7, 2.5, 4.5}) {
    const RowPoints all(points, lattice, reach);
    int pairs = 0;
    for (const Vec3i& first : {Vec3i(0, 0, 0), Vec3i(-8, 8, 0), Vec3i(80, 0, 0)}) {
      const RowPoints::Block block(all, first);
      for (int row = 0; row < 64; ++row) {
        std::map<std::size_t, Float8> near;
        block.for_each_near_row(
            row % 8, row / 8, [&](std::size_t i, const Lanes3<Float8>& away, Float8 squared) {
              near[i] = squared;
              const Vec3 p = lattice.to_lattice(points[i]);
              for (int k = 0; k < 8; ++k) {
                const Vec3 to = Vec3(away.x[k], away.y[k], away.z[k]) + p;
                const Vec3 node = (first + Vec3i(k, row % 8, row / 8)).cast<double>();
                EXPECT_LT((to - node).norm(), 1e-4);
              }
            });
        for (int node = 0; node < 8; ++node) {
          const Vec3 at = (first + Vec3i(node, row % 8, row / 8)).cast<double>();
          for (std::size_t i = 0; i < points.size(); ++i) {
            const double squared = (lattice.to_lattice(points[i]) - at).squaredNorm();
            if (squared >= (reach - 1e-4) * (reach - 1e-4)) continue;
            ++pairs;
            ASSERT_TRUE(near.contains(i)) << "reach " << reach << ", point " << i;
            EXPECT_NEAR(near[i][node], squared, 1e-4 * (1 + squared));
          }
        }
      }
      EXPECT_EQ(block.is_empty(), first.x() == 80);
    }
    EXPECT_GT(pairs, 20);
  }
}

}  // namespace
}  // namespace spindrift
