#include "spindrift/surface/point_tiles.hpp"

#include <map>
#include <mutex>
#include <utility>

#include <gtest/gtest.h>

#include "support/random.hpp"

namespace spindrift {
namespace {

const Lattice kLattice{Vec3(-3, 7, 0.5), 0.25};

// On both sides of the lattice's origin; some lie on nodes, some twice.
std::vector<Vec3> points_in(double half_side, int count, std::uint64_t seed) {
  test::Random random(seed);
  const Box3 box(kLattice.position(Vec3(Vec3::Constant(-half_side))),
                 kLattice.position(Vec3(Vec3::Constant(half_side))));
  std::vector<Vec3> points;
  for (int i = 0; i < count; ++i) points.push_back(random.in_box(box));
  for (int i = -4; i < 4; ++i) points.push_back(kLattice.position(Vec3i(i, 0, -i)));
  points.insert(points.end(), points.begin(), points.begin() + 5);
  return points;
}

// Squared distances in voxels of the pairs that tiles show, by the numbers of both points.
using Pairs = std::map<std::pair<std::int32_t, std::int32_t>, float>;
Pairs pairs_of(const PointTiles& at, const PointTiles& among, double reach) {
  const std::vector<float> numbers =
      among.in_order<float>([](std::size_t i) { return static_cast<float>(i); });
  std::mutex mutex;
  Pairs pairs;
  for_each_tile(at, among, reach, [&](const PointTiles::Tile& tile, NearTile& near) {
    const std::lock_guard lock(mutex);
    const float* const number = near.gathered(numbers);
    EXPECT_EQ(near.count() % 8, 0U);
    for (std::size_t n = tile.begin; n < tile.end; ++n) {
      for (std::size_t k = 0; k < near.count(); k += 8) {
        const Lanes3<Float8> away = near.away(k, at.place(n));
        const Float8 squared = dot(away, away);
        for (int lane = 0; lane < 8; ++lane) {
          if (!(squared[lane] < reach * reach)) continue;
          const std::size_t p = k + static_cast<std::size_t>(lane);
          const auto other = static_cast<std::int32_t>(number[p]);
          EXPECT_EQ(among.order()[static_cast<std::size_t>(near.numbers()[p])], other);
          EXPECT_TRUE(pairs.emplace(std::pair(at.order()[n], other), squared[lane]).second);
        }
      }
    }
  });
  return pairs;
}

void expect_same_as_one_by_one(double reach, int side) {
  SCOPED_TRACE(testing::Message() << "reach " << reach << ", side " << side);
  const std::vector<Vec3> at = points_in(9, 200, 5);
  const std::vector<Vec3> among = points_in(7, 300, 6);
  const Pairs pairs =
      pairs_of(PointTiles(at, kLattice, side), PointTiles(among, kLattice, side), reach);
  constexpr double kRounding = 2e-3;  // coordinates are kept to 1/32768 voxel
  std::size_t sure = 0;
  for (std::size_t i = 0; i < at.size(); ++i) {
    for (std::size_t k = 0; k < among.size(); ++k) {
      const double squared =
          (kLattice.to_lattice(at[i]) - kLattice.to_lattice(among[k])).squaredNorm();
      const auto found = pairs.find({static_cast<std::int32_t>(i), static_cast<std::int32_t>(k)});
      if (squared < reach * reach - kRounding) {
        ++sure;
        ASSERT_NE(found, pairs.end());
      }
      if (found == pairs.end()) continue;
      EXPECT_NEAR(double{found->second}, squared, kRounding);
    }
  }
  EXPECT_GT(sure, 10U);
}

TEST(PointTiles, ShowTheSamePairsAsOneByOne) {
  for (const int side : {1, 2, 4}) {
    for (const double reach : {1.5, 2.0, 3.0, 8.0}) expect_same_as_one_by_one(reach, side);
  }
}

// What is shared out by weights that follow from distances is all there, to the last bit.
TEST(PointTiles, SeeEachOtherAtTheSameDistance) {
  const std::vector<Vec3> places = points_in(6, 400, 7);
  const PointTiles points(places, kLattice, 2);
  const Pairs pairs = pairs_of(points, points, 3);
  EXPECT_GT(pairs.size(), 2 * places.size());
  for (const auto& [pair, squared] : pairs) {
    const auto back = pairs.find({pair.second, pair.first});
    ASSERT_NE(back, pairs.end());
    EXPECT_EQ(back->second, squared);
  }
}

TEST(NearPairs, AreThoseThatTilesShow) {
  const PointTiles at(points_in(9, 3000, 5), kLattice, 2);  // more tiles than are taken at once
  const PointTiles among(points_in(7, 1000, 6), kLattice, 2);
  const Pairs pairs = pairs_of(at, among, 2.5);
  const NearPairs kept(at, among, 2.5);
  std::size_t count = 0;
  for (std::size_t n = 0; n < at.order().size(); ++n) {
    count += kept.of(n).size();
    for (const NearPairs::Point& point : kept.of(n)) {
      const std::int32_t other = among.order()[static_cast<std::size_t>(point.n)];
      const auto found = pairs.find({at.order()[n], other});
      ASSERT_NE(found, pairs.end());
      EXPECT_EQ(found->second, point.squared);
    }
  }
  EXPECT_EQ(count, pairs.size());
  EXPECT_GT(count, 1000U);
}

TEST(PointTiles, OfNoPointsShowNone) {
  const PointTiles none({}, kLattice, 2);
  const PointTiles some(points_in(4, 20, 8), kLattice, 2);
  EXPECT_TRUE(none.tiles().empty());
  EXPECT_TRUE(pairs_of(none, some, 2).empty());
  EXPECT_TRUE(pairs_of(some, none, 2).empty());
  EXPECT_TRUE(NearPairs(some, none, 2).of(0).empty());
}

}  // namespace
}  // namespace spindrift
