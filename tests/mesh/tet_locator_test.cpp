// Point location in meshes that no mesher of ours made.
#include "spindrift/mesh/tet_locator.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include <gtest/gtest.h>

#include "spindrift/mesh/mesh_check.hpp"
#include "spindrift/mesh/quality.hpp"
#include "spindrift/mesh/tet_containment.hpp"

#include "support/tet_location.hpp"
#include "support/tet_meshes.hpp"

namespace spindrift {
namespace {

template <class Map>
TetMesh mapped(TetMesh mesh, const Map& map) {
  for (Vec3& v : mesh.vertices) v = map(v);
  EXPECT_EQ(measure_quality(mesh).not_positive, 0);
  return mesh;
}

TetMesh one_tet() {
  TetMesh mesh;
  mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  mesh.tets = {{0, 1, 2, 3}};
  return mesh;
}

// Two cubes side by side whose common face has different diagonals, with a flat tetrahedron between
// them; and another flat one on top of the first cube.
TetMesh cubes_with_flat_tets() {
  TetMesh mesh = test::kuhn_grid({1, 1, 1});
  const TetMesh cube = mesh;
  std::vector<std::int32_t> numbers;
  for (const Vec3& v : cube.vertices) {
    const Vec3 turned(2 - v.x(), 1 - v.y(), v.z());
    const auto known = std::find(mesh.vertices.begin(), mesh.vertices.end(), turned);
    numbers.push_back(static_cast<std::int32_t>(known - mesh.vertices.begin()));
    if (known == mesh.vertices.end()) mesh.vertices.push_back(turned);
  }
  for (const Tet& tet : cube.tets) {
    mesh.tets.push_back({numbers[tet[0]], numbers[tet[1]], numbers[tet[2]], numbers[tet[3]]});
  }
  const auto vertex = [&](double x, double y, double z) {
    const auto found = std::find(mesh.vertices.begin(), mesh.vertices.end(), Vec3(x, y, z));
    return static_cast<std::int32_t>(found - mesh.vertices.begin());
  };
  mesh.tets.push_back({vertex(1, 0, 0), vertex(1, 1, 0), vertex(1, 0, 1), vertex(1, 1, 1)});
  mesh.tets.push_back({vertex(0, 0, 1), vertex(0, 1, 1), vertex(1, 0, 1), vertex(1, 1, 1)});
  for (std::size_t t = 12; t < 14; ++t) {
    if (!check_tets(mesh).is_conforming()) std::swap(mesh.tets[t][0], mesh.tets[t][1]);
  }
  return mesh;
}

TEST(TetLocator, FindsPointsInOneTetrahedron) {
  EXPECT_GT(test::expect_located(one_tet(), 1000, 1), 0.2);
}

TEST(TetLocator, FindsNothingInNothing) {
  const TetMesh mesh;
  const TetNeighbors neighbors;
  const TetLocator locator(mesh, neighbors);
  EXPECT_EQ(locator.find({0, 0, 0}), -1);
  std::vector<std::int32_t> found(3, 7);
  locator.find(std::vector<Vec3>(3, Vec3::Zero()), found);
  EXPECT_EQ(found, std::vector<std::int32_t>(3, -1));
  locator.find(std::vector<Vec3>(), std::span<std::int32_t>());
}

TEST(TetLocator, FindsPointsInGrids) {
  test::expect_located(test::kuhn_grid({9, 7, 11}), 1000, 2);
  test::expect_located(test::five_grid({20, 3, 2}, 0.3), 1000, 3);
}

TEST(TetLocator, FindsPointsAmongCrookedTetrahedra) {
  test::Random random(4);
  const TetMesh mesh = mapped(test::kuhn_grid({8, 9, 10}), [&](const Vec3& v) {
    return Vec3(v + 0.17 * random.unit() * random.direction());
  });
  test::expect_located(mesh, 1000, 5);
}

TEST(TetLocator, FindsPointsInABandWoundUp) {
  // Three times: neighbours in space are far from each other in the mesh.
  const TetMesh mesh = mapped(test::kuhn_grid({120, 2, 3}), [](const Vec3& v) {
    const double angle = -2 * std::numbers::pi * v.x() / 40;
    const double radius = 10 + 1.3 * v.x() / 40 + 0.5 * v.y();
    return Vec3(radius * std::cos(angle), radius * std::sin(angle), v.z());
  });
  test::expect_located(mesh, 2000, 6);
}

TEST(TetLocator, FindsPointsBetweenSizesThatDifferByThousands) {
  const TetMesh mesh = mapped(test::kuhn_grid({7, 6, 5}), [](const Vec3& v) {
    return Vec3(std::pow(4, v.x()), std::pow(3, v.y()), std::pow(5, v.z()));
  });
  test::expect_located(mesh, 500, 7);
  // Most are tiny, and the cells follow them.
  const TetMesh tiny = mapped(test::kuhn_grid({10, 10, 6}), [](const Vec3& v) {
    return Vec3(v.x(), v.y(), v.z() < 6 ? v.z() : 1e5);
  });
  test::expect_located(tiny, 300, 8);
}

TEST(TetLocator, FindsPointsAtCoordinatesOfAnySize) {
  for (const double scale : {1e30, 1e-30}) {
    SCOPED_TRACE(scale);
    test::expect_located(test::kuhn_grid({5, 6, 7}, scale), 300, 9);
  }
  for (const double distance : {1e6, 1e9, 1e12}) {
    SCOPED_TRACE(distance);
    const TetMesh mesh = mapped(test::kuhn_grid({5, 6, 7}, 1e-3), [&](const Vec3& v) {
      return Vec3(v + Vec3(distance, -distance, 0));
    });
    test::expect_located(mesh, 300, 10);
  }
}

TEST(TetLocator, FindsPointsAroundFlatTetrahedra) {
  const TetMesh mesh = cubes_with_flat_tets();
  ASSERT_TRUE(check_tets(mesh).is_conforming());
  ASSERT_EQ(measure_quality(mesh).not_positive, 2);
  EXPECT_GT(test::expect_located(mesh, 3000, 11), 0.4);
}

TEST(TetLocator, FindsNoPointThatIsNotFinite) {
  const TetMesh mesh = test::kuhn_grid({3, 3, 3});
  const TetNeighbors neighbors = find_neighbors(mesh);
  const TetLocator locator(mesh, neighbors);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kMax = std::numeric_limits<double>::max();
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), kInfinity, -kInfinity, kMax, -kMax, 1e300}) {
    for (int axis = 0; axis < 3; ++axis) {
      Vec3 point(1, 1, 1);
      point[axis] = bad;
      EXPECT_EQ(locator.find(point), -1);
      EXPECT_EQ(locator.find(point, 5), -1);
    }
  }
}

// A point of several tetrahedra is in the lowest of them, whichever way one comes.
TEST(TetLocator, FindsTheLowestOfSeveral) {
  const TetMesh mesh = test::kuhn_grid({4, 4, 4});
  const TetNeighbors neighbors = find_neighbors(mesh);
  const TetLocator locator(mesh, neighbors);
  for (std::int32_t v = 0; v < mesh.vertex_count(); ++v) {
    std::int32_t lowest = 0;
    while (std::find(mesh.tets[lowest].begin(), mesh.tets[lowest].end(), v) ==
           mesh.tets[lowest].end()) {
      ++lowest;
    }
    EXPECT_EQ(locator.find(mesh.vertices[v]), lowest);
    for (std::int32_t hint = 0; hint < mesh.tet_count(); hint += 37) {
      EXPECT_EQ(locator.find(mesh.vertices[v], hint), lowest);
    }
  }
}

TEST(TetLocator, OrderDoesNotMatter) {
  const TetMesh mesh = test::kuhn_grid({30, 30, 30}, 0.1);
  const TetNeighbors neighbors = find_neighbors(mesh);
  const TetLocator locator(mesh, neighbors);
  test::Random random(12);
  std::vector<Vec3> points;
  for (int i = 0; i < 100'000; ++i)
    points.push_back(random.in_box({Vec3(-1, 0, 0), Vec3(3, 3, 4)}));
  const auto answers = [&](std::span<const Vec3> some) {
    std::vector<std::int32_t> found(some.size(), -2);
    locator.find(some, found);
    return found;
  };
  const std::vector<std::int32_t> all = answers(points);
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
    return locator.find(points[i]) < locator.find(points[j]);
  });
  std::vector<Vec3> sorted;
  for (const std::size_t i : order) sorted.push_back(points[i]);
  const std::vector<std::int32_t> of_sorted = answers(sorted);
  for (std::size_t k = 0; k < order.size(); ++k) ASSERT_EQ(of_sorted[k], all[order[k]]);
  const std::vector<std::int32_t> first = answers(std::span(points).first(1000));
  EXPECT_TRUE(std::equal(first.begin(), first.end(), all.begin()));
  EXPECT_NEAR(static_cast<double>(std::count(all.begin(), all.end(), -1)), 100'000 * 21 / 48, 1000);
}

TEST(TetContainment, IsExact) {
  test::Random random(13);
  int inside = 0;
  for (int i = 0; i < 20'000; ++i) {
    TetMesh mesh;
    // Few different coordinates: many points in planes, on edges and at vertices; some flat.
    const auto place = [&] {
      return Vec3(0.1 * Vec3(static_cast<double>(random.below(4)),
                             static_cast<double>(random.below(4)),
                             static_cast<double>(random.below(4))));
    };
    for (int k = 0; k < 4; ++k) mesh.vertices.push_back(place());
    mesh.tets = {{0, 1, 2, 3}};
    if (mesh.volume(0) < 0) std::swap(mesh.tets[0][0], mesh.tets[0][1]);
    const Vec3 point = i % 2 == 0 ? place() : Vec3((place() + place()) / 2);
    const bool is_inside = test::contains_exactly(mesh, 0, point);
    ASSERT_EQ(contains(mesh, 0, point), is_inside);
    inside += is_inside;
  }
  EXPECT_GT(inside, 1000);
}

TEST(TetContainment, BarycentricCoordinatesGiveThePoint) {
  const TetMesh mesh = test::five_grid({2, 2, 2}, 0.7);
  test::Random random(14);
  for (std::int64_t t = 0; t < mesh.tet_count(); ++t) {
    const Vec3 point = random.in_box({Vec3(-1, -1, -1), Vec3(3, 3, 3)});
    const std::array<double, 4> weights = barycentric(mesh, t, point);
    Vec3 sum = Vec3::Zero();
    double total = 0;
    for (int k = 0; k < 4; ++k) {
      sum += weights[k] * mesh.corner(t, k);
      total += weights[k];
      const std::array<double, 4> at_corner = barycentric(mesh, t, mesh.corner(t, k));
      for (int j = 0; j < 4; ++j) EXPECT_EQ(at_corner[j], j == k ? 1 : 0);
    }
    EXPECT_NEAR(total, 1, 1e-13);
    EXPECT_LT((sum - point).norm(), 1e-12);
  }
}

}  // namespace
}  // namespace spindrift
