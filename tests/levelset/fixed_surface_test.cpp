#include "spindrift/levelset/fixed_surface.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include <gtest/gtest.h>

#include "support/meshes.hpp"
#include "support/random.hpp"

namespace spindrift {
namespace {

FixedSurface in_unit_lattice(const TriangleMesh& mesh) {
  return fixed_surface(mesh, {}, {.origin = Vec3::Zero(), .spacing = 1});
}

// Short edges, each walked equally often both ways.
void expect_short_and_closed(const FixedSurface& surface) {
  std::map<std::pair<std::int32_t, std::int32_t>, int> walks;
  double longest = 0;
  for (const Triangle& t : surface.triangles) {
    for (int k = 0; k < 3; ++k) {
      const std::int32_t a = t[k];
      const std::int32_t b = t[(k + 1) % 3];
      EXPECT_NE(a, b);
      walks[std::minmax(a, b)] += a < b ? 1 : -1;
      Vec3 d;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        d[static_cast<int>(axis)] = surface.points[static_cast<std::size_t>(a)][axis] -
                                    surface.points[static_cast<std::size_t>(b)][axis];
      }
      longest = std::max(longest, std::ldexp(d.norm(), -surface.bits));
    }
  }
  EXPECT_LE(longest, FixedSurface::kLongestEdge);
  for (const auto& [edge, sum] : walks) EXPECT_EQ(sum, 0) << edge.first << " " << edge.second;
}

double six_volumes(const FixedSurface& surface) {
  double sum = 0;
  for (std::int64_t t = 0; t < std::ssize(surface.triangles); ++t) {
    Mat3 corners;
    for (int k = 0; k < 3; ++k) {
      const FixedPoint p = surface.corner(t, k);
      for (int axis = 0; axis < 3; ++axis) {
        corners(axis, k) = std::ldexp(p[static_cast<std::size_t>(axis)], -surface.bits);
      }
    }
    sum += corners.determinant();
  }
  return sum;
}

TEST(FixedSurface, HalvesLongEdgesAlikeOnBothSides) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    test::Random random(seed);
    TriangleMesh mesh = test::cube();
    const Vec3 size(random.between(1, 100), random.between(0.01, 20), random.between(0.01, 20));
    const Vec3 shear = random.direction();
    for (Vec3& v : mesh.vertices) v = v.cwiseProduct(size) + v.x() * size.x() * shear;
    const FixedSurface surface = in_unit_lattice(mesh);
    expect_short_and_closed(surface);
    EXPECT_NEAR(six_volumes(surface), 6 * size.prod() * (1 + shear.x()), 1e-2 * size.x());
  }
}

// A needle's sides are slivers a hundred times as long as an edge may be.
TEST(FixedSurface, SliversBecomeNoMoreTrianglesThanTheirLengthNeeds) {
  std::size_t last = std::numeric_limits<std::size_t>::max() / 4;
  for (const double length : {600.0, 1200.0, 2400.0}) {
    const FixedSurface surface = in_unit_lattice(test::cube({0, 0, 0}, {length, 0.5, 0.5}));
    expect_short_and_closed(surface);
    const std::size_t triangles = surface.triangles.size();
    EXPECT_LE(static_cast<double>(triangles), 16 * length / FixedSurface::kLongestEdge * 2);
    EXPECT_LE(triangles, 2 * last + 16);
    last = triangles;
  }
}

}  // namespace
}  // namespace spindrift
