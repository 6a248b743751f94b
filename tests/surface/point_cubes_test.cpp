#include "spindrift/surface/point_cubes.hpp"

#include <algorithm>
#include <utility>

#include <gtest/gtest.h>

#include "support/random.hpp"

namespace spindrift {
namespace {

const Lattice kLattice{Vec3(-3, 7, 0.5), 0.25};

using Found = std::vector<std::pair<std::size_t, double>>;

// Squared distances in voxels.
Found found_one_by_one(std::span<const Vec3> points, double reach, const Vec3& place) {
  Found found;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double squared =
        (kLattice.to_lattice(points[i]) - kLattice.to_lattice(place)).squaredNorm();
    if (squared < reach * reach) found.emplace_back(i, squared);
  }
  return found;
}

void expect_same_as_one_by_one(double reach) {
  constexpr std::uint64_t kSeed = 11;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed << ", reach " << reach);
  test::Random random(kSeed);
  // On both sides of the lattice's origin; some lie on nodes, some twice.
  const Box3 box(kLattice.position(Vec3i(-8, -8, -8)), kLattice.position(Vec3i(8, 8, 8)));
  std::vector<Vec3> points;
  for (int i = 0; i < 400; ++i) points.push_back(random.in_box(box));
  for (int i = -4; i < 4; ++i) points.push_back(kLattice.position(Vec3i(i, 0, -i)));
  points.insert(points.end(), points.begin(), points.begin() + 5);
  const PointCubes cubes(points, kLattice, reach);

  std::vector<Vec3> places = points;
  const Box3 wide(box.min() - Vec3::Constant(3), box.max() + Vec3::Constant(3));
  for (int i = 0; i < 400; ++i) places.push_back(random.in_box(wide));
  PointCubes::Around around;
  std::size_t pairs = 0;
  for (const Vec3& place : places) {
    Found found;
    cubes.for_each_near(place, around,
                        [&](std::size_t i, double squared) { found.emplace_back(i, squared); });
    std::sort(found.begin(), found.end());
    EXPECT_EQ(found, found_one_by_one(points, reach, place));
    pairs += found.size();
  }
  EXPECT_GT(pairs, places.size() / 2);  // points find themselves
}

TEST(PointCubes, FindTheSameAsOneByOne) {
  for (const double reach : {0.3, 1.0, 1.5, 4.0, 40.0}) {
    expect_same_as_one_by_one(reach);
  }
}

TEST(PointCubes, HaveCoordinatesHoweverShortTheReach) {
  expect_same_as_one_by_one(1e-3);
  expect_same_as_one_by_one(1e-12);
}

TEST(PointCubes, OfNoPointsFindNone) {
  const PointCubes cubes({}, kLattice, 2);
  EXPECT_TRUE(cubes.is_empty());
  cubes.for_each_near(Vec3::Zero(), [](std::size_t, double) { ADD_FAILURE(); });
}

}  // namespace
}  // namespace spindrift
