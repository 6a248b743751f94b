#include "spindrift/surface/vertex_grid.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "support/random.hpp"

namespace spindrift {
namespace {

// On lattice lines, as vertices are; many are as far from a node as others.
std::vector<Vec3> vertices_on_lines(const Lattice& lattice, int count, test::Random& random) {
  std::vector<Vec3> vertices;
  for (int i = 0; i < count; ++i) {
    Vec3 p(static_cast<double>(random.below(40)) - 20, static_cast<double>(random.below(40)) - 20,
           static_cast<double>(random.below(12)) - 6);
    p[static_cast<int>(random.below(3))] += 0.25 * static_cast<double>(random.below(4));
    vertices.push_back(lattice.position(p));
  }
  return vertices;
}

TEST(VertexGrid, FindsTheClosestVertexAsComparingAllDoes) {
  const Lattice lattice{.origin = {0.5, -0.25, 2}, .spacing = 0.125};
  test::Random random(11);
  const std::vector<Vec3> vertices = vertices_on_lines(lattice, 400, random);
  const VertexGrid grid(lattice, vertices);
  int found = 0;
  for (int i = 0; i < 3000; ++i) {
    const Vec3 p(random.between(-24, 24), random.between(-24, 24), random.between(-10, 10));
    const Vec3 point = lattice.position(i % 2 == 0 ? p : Vec3(p.array().round()));
    const double reach = random.between(0.5, 8);
    double least = reach;  // lattice units
    for (const Vec3& vertex : vertices) {
      least = std::min(least, (vertex - point).norm() / lattice.spacing);
    }
    const std::int32_t closest = grid.closest(point, reach);
    if (closest < 0) {
      EXPECT_EQ(least, reach);
      continue;
    }
    ++found;
    const double distance =
        (vertices[static_cast<std::size_t>(closest)] - point).norm() / lattice.spacing;
    EXPECT_NEAR(distance, least, 1e-12);
  }
  EXPECT_GT(found, 1000);
}

TEST(VertexGrid, FindsNothingWithoutVerticesOrFarAway) {
  const Lattice lattice{.origin = {0, 0, 0}, .spacing = 1};
  EXPECT_EQ(VertexGrid(lattice, {}).closest({0, 0, 0}, 8), -1);
  const std::vector<Vec3> vertices = {{1, 2, 3}};
  const VertexGrid grid(lattice, vertices);
  EXPECT_EQ(grid.closest({1, 2, 11.5}, 8), -1);
  EXPECT_EQ(grid.closest({1, 2, 10.5}, 8), 0);
  EXPECT_EQ(grid.closest({1e300, 0, 0}, 8), -1);
}

}  // namespace
}  // namespace spindrift
