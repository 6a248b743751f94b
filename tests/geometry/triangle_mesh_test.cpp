#include "spindrift/geometry/triangle_mesh.hpp"

#include <numbers>

#include <gtest/gtest.h>

#include "support/meshes.hpp"

namespace spindrift {
namespace {

TEST(MassProperties, OfABoxAreExact) {
  const Vec3 min(1e3, -2, 5), max(1e3 + 2, 1, 9);
  const MassProperties m = mass_properties(test::cube(min, max), 500);
  const Vec3 s = max - min;
  EXPECT_NEAR(m.volume, 24, 1e-11);
  EXPECT_NEAR(m.mass, 12'000, 1e-8);
  EXPECT_TRUE(m.center.isApprox((min + max) / 2, 1e-14));
  for (int k = 0; k < 3; ++k) {
    const double other = s.squaredNorm() - s[k] * s[k];
    EXPECT_NEAR(m.inertia(k, k), m.mass / 12 * other, 1e-7);
    EXPECT_NEAR(m.inertia(k, (k + 1) % 3), 0, 1e-7);
  }
  EXPECT_NEAR(surface_area(test::cube(min, max)), 2 * (6 + 12 + 8), 1e-11);
}

TEST(MassProperties, OfASphereConvergeAtSecondOrder) {
  double last_error = 0;
  for (int level = 2; level <= 5; ++level) {
    const TriangleMesh mesh = test::sphere(level, 2);
    const double exact = 4.0 / 3 * std::numbers::pi * 8;
    const MassProperties m = mass_properties(mesh);
    const double error = exact - m.volume;
    if (level > 2) {
      EXPECT_NEAR(last_error / error, 4, 0.1);
    }
    last_error = error;
    EXPECT_NEAR(m.inertia(0, 0) / (0.4 * m.mass * 4), 1, 2 * error / exact);
  }
}

TEST(MassProperties, AnInsideOutMeshHasNegativeVolume) {
  TriangleMesh mesh = test::cube();
  for (Triangle& t : mesh.triangles) std::swap(t[0], t[1]);
  EXPECT_DOUBLE_EQ(enclosed_volume(mesh), -1);
}

}  // namespace
}  // namespace spindrift
