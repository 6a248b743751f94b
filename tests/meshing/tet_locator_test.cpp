// Point location in stuffed meshes.
#include "spindrift/mesh/tet_locator.hpp"

#include <gtest/gtest.h>

#include "spindrift/geometry/mesh_shape.hpp"
#include "spindrift/geometry/shape.hpp"
#include "spindrift/meshing/stuffing.hpp"

#include "support/real_meshes.hpp"
#include "support/tet_location.hpp"

namespace spindrift {
namespace {

TetMesh stuffed(const ShapePtr& shape, double size, bool uniform = false) {
  return stuff(*shape, shape->bounds(), {.size = size, .uniform = uniform});
}

ShapePtr shell(double radius, double thickness) {
  return make_difference(
      {make_sphere(Vec3::Zero(), radius), make_sphere(Vec3::Zero(), radius - thickness)});
}

// Teeth 1.5 cells wide with gaps of half a cell between them, on a thin back.
ShapePtr comb(double cell) {
  std::vector<ShapePtr> parts = {make_box({0, 0, 0}, {32 * cell, 2 * cell, 6 * cell})};
  for (int k = 0; k < 16; ++k) {
    const double x = 2 * k * cell;
    parts.push_back(make_box({x, 0, 0}, {x + 1.5 * cell, 20 * cell, 6 * cell}));
  }
  return make_union(std::move(parts));
}

// Shells in each other, each with a hole on another side: the way from one to the next is long.
ShapePtr maze(double cell) {
  std::vector<ShapePtr> walls;
  for (int k = 0; k < 4; ++k) {
    const double radius = (4 + 3.1 * k) * cell;
    const Vec3 side = k % 2 == 0 ? Vec3::UnitX() : Vec3(-Vec3::UnitX());
    walls.push_back(make_difference(
        {shell(radius, 1.4 * cell), make_cylinder(Vec3::Zero(), 20 * cell * side, 2 * cell)}));
  }
  return make_union(std::move(walls));
}

TEST(TetLocator, FindsPointsInABall) {
  const TetMesh mesh = stuffed(make_sphere({0.1, 0.2, 0.3}, 1), 0.09);
  EXPECT_GT(test::expect_located(mesh, 1000, 1), 0.5);
}

TEST(TetLocator, FindsPointsInGradedAndUniformTori) {
  const ShapePtr torus = make_torus(Vec3::Zero(), Vec3(0.2, 0.3, 1).normalized(), 1.1, 0.7);
  test::expect_located(stuffed(torus, 0.08), 500, 2);
  test::expect_located(stuffed(torus, 0.15, true), 700, 3);
}

TEST(TetLocator, FindsPointsInThinShells) {
  for (const double thickness : {1.9, 1.2, 0.9, 0.8}) {
    SCOPED_TRACE(thickness);
    test::expect_located(stuffed(shell(1, thickness * 0.08), 0.08), 1000, 4);
  }
}

TEST(TetLocator, FindsPointsInBallsThatAlmostTouch) {
  constexpr double kCell = 0.1;
  for (const double gap : {0.3, 0.05, 0.0, -0.05}) {
    SCOPED_TRACE(gap);
    const ShapePtr balls =
        make_union({make_sphere({0, 0, 0}, 1), make_sphere({2 + gap * kCell, 0.01, 0.02}, 1)});
    test::expect_located(stuffed(balls, kCell), 700, 5);
  }
}

TEST(TetLocator, FindsPointsInCombsAndMazes) {
  test::expect_located(stuffed(comb(0.1), 0.1), 1500, 6);
  test::expect_located(stuffed(maze(0.1), 0.1), 1500, 7);
}

TEST(TetLocator, FindsPointsInDropsFarFromEachOther) {
  std::vector<ShapePtr> drops;
  for (const Vec3& place : {Vec3(0, 0, 0), Vec3(900, 0, 0), Vec3(0, 0, -1500)}) {
    drops.push_back(make_sphere(place, 1));
  }
  test::expect_located(stuffed(make_union(std::move(drops)), 0.2), 700, 8);
}

TEST(TetLocator, ThreadsDoNotMatter) {
  const TetMesh mesh = stuffed(comb(0.1), 0.07);
  const TetNeighbors neighbors = find_neighbors(mesh);
  const std::vector<Vec3> points = test::awkward_points(mesh, neighbors, 5000, 9);
  const auto run = [&](int threads) {
    const ThreadLimit limit(threads);
    const TetLocator locator(mesh, neighbors);
    std::vector<std::int32_t> found(points.size(), -2);
    locator.find(points, found);
    return std::pair(found, locator.bytes());
  };
  EXPECT_EQ(run(1), run(2));
}

TEST(RealMeshes, SlowHavePointsLocated) {
  double least = 1;
  double greatest = 0;
  const int closed =
      test::for_each_closed_mesh([&](const TriangleMesh& mesh, const std::string& name) {
        SCOPED_TRACE(name);
        const ShapePtr shape = make_mesh_shape(mesh);
        try {
          const double inside = test::expect_located(
              stuffed(shape, shape->bounds().sizes().maxCoeff() / 17.3), 300, 10);
          least = std::min(least, inside);
          greatest = std::max(greatest, inside);
        } catch (const InputError& error) {
          // Things thinner than a cell.
          ASSERT_NE(error.problem().find("nothing is inside"), std::string::npos) << error.what();
        }
      });
  EXPECT_GT(closed, 70);
  EXPECT_GT(least, 0.2);
  EXPECT_LT(greatest, 0.95);
}

}  // namespace
}  // namespace spindrift
