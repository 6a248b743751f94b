// Points near places, found in two ways.
#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <utility>

#include <gtest/gtest.h>

#include "spindrift/surface/point_cubes.hpp"
#include "spindrift/surface/point_lists.hpp"

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

// Makes a function that finds the points near a place.
using Finder = std::function<Found(const Vec3& place)>;
using MakeFinder = std::function<Finder(std::span<const Vec3> points)>;

void expect_same_as_one_by_one(const MakeFinder& make_finder, double reach) {
  constexpr std::uint64_t kSeed = 11;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed << ", reach " << reach);
  test::Random random(kSeed);
  // On both sides of the lattice's origin; some lie on nodes, some twice.
  const Box3 box(kLattice.position(Vec3i(-8, -8, -8)), kLattice.position(Vec3i(8, 8, 8)));
  std::vector<Vec3> points;
  for (int i = 0; i < 400; ++i) points.push_back(random.in_box(box));
  for (int i = -4; i < 4; ++i) points.push_back(kLattice.position(Vec3i(i, 0, -i)));
  points.insert(points.end(), points.begin(), points.begin() + 5);
  const Finder find = make_finder(points);

  std::vector<Vec3> places = points;
  const Box3 wide(box.min() - Vec3::Constant(3), box.max() + Vec3::Constant(3));
  for (int i = 0; i < 400; ++i) places.push_back(random.in_box(wide));
  std::size_t pairs = 0;
  for (const Vec3& place : places) {
    Found found = find(place);
    std::sort(found.begin(), found.end());
    EXPECT_EQ(found, found_one_by_one(points, reach, place));
    pairs += found.size();
  }
  EXPECT_GT(pairs, places.size() / 2);  // points find themselves
}

MakeFinder in_cubes(double reach) {
  return [reach](std::span<const Vec3> points) {
    const auto cubes = std::make_shared<PointCubes>(points, kLattice, reach);
    const auto around = std::make_shared<PointCubes::Around>();
    return [cubes, around](const Vec3& place) {
      Found found;
      cubes->for_each_near(place, *around,
                           [&](std::size_t i, double squared) { found.emplace_back(i, squared); });
      return found;
    };
  };
}

MakeFinder in_lists(double side, double reach) {
  return [side, reach](std::span<const Vec3> points) {
    const auto lists = std::make_shared<PointLists>(points, kLattice, side, reach);
    const auto near = std::make_shared<PointLists::Reader>(*lists);
    return [lists, near](const Vec3& place) {
      Found found;
      near->for_each_near(lists->find(place),
                          [&](std::size_t i, double squared) { found.emplace_back(i, squared); });
      double least = std::numeric_limits<double>::infinity();
      for (const auto& [i, squared] : found) least = std::min(least, squared);
      EXPECT_EQ(near->closest(lists->find(place)), least);
      return found;
    };
  };
}

TEST(PointCubes, FindTheSameAsOneByOne) {
  for (const double reach : {0.3, 1.0, 1.5, 4.0, 40.0}) {
    expect_same_as_one_by_one(in_cubes(reach), reach);
  }
}

TEST(PointCubes, HaveCoordinatesHoweverShortTheReach) {
  for (const double reach : {1e-3, 1e-12}) expect_same_as_one_by_one(in_cubes(reach), reach);
}

TEST(PointCubes, OfNoPointsFindNone) {
  const PointCubes cubes({}, kLattice, 2);
  EXPECT_TRUE(cubes.is_empty());
  cubes.for_each_near(Vec3::Zero(), [](std::size_t, double) { ADD_FAILURE(); });
}

TEST(PointLists, FindTheSameAsOneByOne) {
  for (const auto& [side, reach] :
       {std::pair(2.0, 2.4), std::pair(1.0, 0.3), std::pair(0.7, 4.0), std::pair(4.0, 0.01)}) {
    SCOPED_TRACE(side);
    expect_same_as_one_by_one(in_lists(side, reach), reach);
  }
}

TEST(PointLists, OfNoPointsFindNone) {
  const PointLists lists({}, kLattice, 2, 2);
  PointLists::Reader(lists).for_each_near(lists.find(Vec3::Zero()),
                                          [](std::size_t, double) { ADD_FAILURE(); });
}

}  // namespace
}  // namespace spindrift
