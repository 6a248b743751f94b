#include "spindrift/io/polygon.hpp"

#include <cmath>
#include <map>
#include <numbers>

#include <gtest/gtest.h>

#include "support/random.hpp"

namespace spindrift {
namespace {

struct Cut {
  bool clean;
  std::vector<Triangle> triangles;
};

Cut cut(const std::vector<Vec3>& corners) {
  Cut result;
  result.triangles.resize(corners.size() - 2);
  result.clean = PolygonCutter().cut(corners, result.triangles);
  return result;
}

Vec3 area_vector(const std::vector<Vec3>& corners, const Triangle& t) {
  return 0.5 * (corners[t[1]] - corners[t[0]]).cross(corners[t[2]] - corners[t[0]]);
}

// The triangles must have the polygon as their boundary: each side of it once, all else cancelled.
void expect_boundary(const Cut& result, std::size_t corner_count) {
  std::map<std::pair<int, int>, int> edges;
  for (const Triangle& t : result.triangles) {
    for (int k = 0; k < 3; ++k) {
      const int a = t[k], b = t[(k + 1) % 3];
      ++edges[{a, b}];
      --edges[{b, a}];
    }
  }
  for (const auto& [edge, count] : edges) {
    const int n = static_cast<int>(corner_count);
    const int expected =
        (edge.first + 1) % n == edge.second ? 1 : ((edge.second + 1) % n == edge.first ? -1 : 0);
    EXPECT_EQ(count, expected) << edge.first << " to " << edge.second;
  }
}

// Clean, with the polygon's boundary and area, all triangles facing the same way and none flat.
void expect_exact_cut(const std::vector<Vec3>& corners) {
  const Cut result = cut(corners);
  EXPECT_TRUE(result.clean);
  expect_boundary(result, corners.size());
  Vec3 total = Vec3::Zero();
  for (std::size_t i = 1; i + 1 < corners.size(); ++i) {
    total += 0.5 * (corners[i] - corners[0]).cross(corners[i + 1] - corners[0]);
  }
  double area = 0;
  for (const Triangle& t : result.triangles) {
    const Vec3 a = area_vector(corners, t);
    EXPECT_GT(a.dot(total), 0) << t[0] << " " << t[1] << " " << t[2];
    area += a.norm();
  }
  // Triangles that do not overlap add up to the polygon; overlapping ones have more.
  EXPECT_NEAR(area, total.norm(), 1e-12 * total.norm());
}

std::vector<Vec3> tilted(const std::vector<Vec3>& flat) {
  const Quat turn(Eigen::AngleAxisd(1.1, Vec3(1, -2, 0.5).normalized()));
  std::vector<Vec3> corners;
  for (const Vec3& p : flat) corners.emplace_back(turn * p + Vec3(3, 4, 5));
  return corners;
}

TEST(Polygon, QuadsTakeTheBetterDiagonal) {
  using Triangles = std::vector<Triangle>;
  // A square: both are equal, the first wins.
  EXPECT_EQ(cut({{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}).triangles,
            (Triangles{{0, 1, 2}, {0, 2, 3}}));
  // A rhombus: the shorter diagonal.
  EXPECT_EQ(cut({{-3, 0, 0}, {0, -1, 0}, {3, 0, 0}, {0, 1, 0}}).triangles,
            (Triangles{{0, 1, 3}, {1, 2, 3}}));
  // Concave at corner 2, then at corner 3: only the diagonal from there stays inside.
  const std::vector<Vec3> arrow = {{0, 0, 0}, {4, 0, 0}, {1, 1, 0}, {0, 4, 0}};
  EXPECT_EQ(cut(arrow).triangles, (Triangles{{0, 1, 2}, {0, 2, 3}}));
  EXPECT_EQ(cut({arrow[3], arrow[0], arrow[1], arrow[2]}).triangles,
            (Triangles{{0, 1, 3}, {1, 2, 3}}));
  expect_exact_cut(arrow);
}

TEST(Polygon, ConcavePolygonsAreCutInside) {
  const std::vector<Vec3> letter_c = {{0, 0, 0}, {3, 0, 0}, {3, 1, 0}, {1, 1, 0},
                                      {1, 2, 0}, {3, 2, 0}, {3, 3, 0}, {0, 3, 0}};
  expect_exact_cut(letter_c);
  expect_exact_cut(tilted(letter_c));
  expect_exact_cut({letter_c.rbegin(), letter_c.rend()});
}

TEST(Polygon, CornersOnStraightSidesMakeNoFlatTriangles) {
  const std::vector<Vec3> square = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0},
                                    {2, 2, 0}, {0, 2, 0}, {0, 1, 0}};
  expect_exact_cut(square);
  expect_exact_cut(tilted(square));
  expect_exact_cut({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}, {4, 0, 0}, {0, 3, 0}});
}

TEST(Polygon, BridgesToHolesAreCut) {
  // A square with a square hole, joined by a bridge that is walked twice.
  const std::vector<Vec3> keyhole = {{0, 0, 0}, {4, 0, 0}, {4, 4, 0}, {0, 4, 0}, {0, 0, 0},
                                     {1, 1, 0}, {1, 3, 0}, {3, 3, 0}, {3, 1, 0}, {1, 1, 0}};
  const Cut result = cut(keyhole);
  EXPECT_TRUE(result.clean);
  double area = 0;
  for (const Triangle& t : result.triangles) {
    EXPECT_GT(area_vector(keyhole, t).z(), 0);
    area += area_vector(keyhole, t).z();
  }
  EXPECT_DOUBLE_EQ(area, 12);
}

std::vector<Vec3> random_star(test::Random& random, std::int64_t count, double least_radius) {
  std::vector<Vec3> corners;
  for (std::int64_t i = 0; i < count; ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(count);
    const double radius = random.between(least_radius, 1);
    corners.emplace_back(radius * std::cos(angle), radius * std::sin(angle), 0);
  }
  return corners;
}

TEST(Polygon, RandomStarsOfAllSizesAndScales) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::Random random(seed);
    const auto count = 5 + random.below(60);
    const double scale = std::pow(10.0, random.between(-90, 90));
    std::vector<Vec3> corners = random_star(random, count, 0.2);
    expect_exact_cut(corners);
    corners = tilted(corners);
    expect_exact_cut(corners);
    for (Vec3& corner : corners) corner *= scale;
    const Cut result = cut(corners);
    EXPECT_TRUE(result.clean);
    expect_boundary(result, corners.size());
  }
}

TEST(Polygon, HopelessPolygonsStillHaveTheirBoundary) {
  const std::vector<std::vector<Vec3>> polygons = {
      {{0, 0, 0}, {1, 1, 0}, {1, 0, 0}, {0, 1, 0}},                         // bow tie
      {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}, {1.5, 0, 0}},            // on a line
      {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}},   // one point
      {{0, 0, 0}, {3, 3, 0}, {3, 0, 0}, {0, 3, 0}, {-2, 1, 0}, {5, 1, 0}},  // crosses itself
  };
  for (const std::vector<Vec3>& corners : polygons) {
    const Cut result = cut(corners);
    EXPECT_FALSE(result.clean) << corners.size();
    expect_boundary(result, corners.size());
  }
}

TEST(Polygon, LargeOutlinesAreCutExactly) {
  test::Random random(1);
  expect_exact_cut(random_star(random, 20'000, 0.8));
}

TEST(Polygon, HostilePolygonsEndInTime) {
  // Wild zigzag between two places: ears are long, and all of them cover others.
  test::Random random(1);
  std::vector<Vec3> corners;
  for (int i = 0; i < 20'000; ++i) {
    corners.emplace_back(i % 2 + 1e-3 * random.unit(), random.unit(), 0);
  }
  const Cut result = cut(corners);
  EXPECT_FALSE(result.clean);
  expect_boundary(result, corners.size());
}

}  // namespace
}  // namespace spindrift
