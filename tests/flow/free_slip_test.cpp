#include "spindrift/flow/free_slip.hpp"

#include <array>
#include <vector>

#include <gtest/gtest.h>

#include "support/random.hpp"

namespace spindrift {
namespace {

TEST(FreeSlip, OneWallTakesTheNormalComponentOnly) {
  const std::array<SolidFace, 2> faces = {{{{0, 0, -0.3}, 0.5}, {{0, 0, -0.1}, 0.5}}};
  EXPECT_LT((with_free_slip({1, 2, 3}, faces) - Vec3(1, 2, -0.5)).norm(), 1e-15);
}

TEST(FreeSlip, EdgeOfATankLeavesTheDirectionAlongIt) {
  // Of very different areas.
  const std::array<SolidFace, 2> faces = {{{{0, 0, -1}, 0}, {{-1e-3, 0, 0}, 0.25}}};
  EXPECT_LT((with_free_slip({1, 2, 3}, faces) - Vec3(-0.25, 2, 0)).norm(), 1e-14);
}

TEST(FreeSlip, CornerOfATankMovesWithIt) {
  const std::array<SolidFace, 4> faces = {
      {{{0, 0, -1}, -3}, {{-0.2, 0, 0}, -1}, {{0, 0.7, 0}, 2}, {{0, 0.1, 0}, 2}}};
  EXPECT_LT((with_free_slip({9, 9, 9}, faces) - Vec3(1, 2, 3)).norm(), 1e-14);
}

TEST(FreeSlip, SkewWallsBothHold) {
  const Vec3 a = Vec3(0.1, 0.2, -1).normalized();
  const Vec3 b = Vec3(-0.8, 0.1, -0.5).normalized();
  const std::array<SolidFace, 2> faces = {{{2 * a, 0.3}, {0.5 * b, -0.2}}};
  const Vec3 start(1, -2, 0.4);
  const Vec3 result = with_free_slip(start, faces);
  EXPECT_NEAR(result.dot(a), 0.3, 1e-14);
  EXPECT_NEAR(result.dot(b), -0.2, 1e-14);
  EXPECT_NEAR((result - start).dot(a.cross(b)), 0, 1e-14);
}

// A vertex of a finely meshed ball has normals that differ: it must not stick.
TEST(FreeSlip, CurvedWallLetsLiquidSlide) {
  std::vector<SolidFace> faces;
  Vec3 mean = Vec3::Zero();
  for (int k = 0; k < 6; ++k) {
    const double angle = k * 1.0471975511965976;
    faces.push_back({Vec3(0.2 * std::cos(angle), 0.2 * std::sin(angle), -1), 0});
    mean += faces.back().area;
  }
  const Vec3 result = with_free_slip({1, 0.5, -2}, faces);
  EXPECT_LT((result - Vec3(1, 0.5, 0)).norm(), 1e-14);
}

TEST(FreeSlip, ThinPlateMovesLiquidOnBothSides) {
  const std::array<SolidFace, 2> faces = {{{{0, 0, 1}, 0.5}, {{0, 0, -1}, -0.5}}};
  EXPECT_LT((with_free_slip({1, 2, 3}, faces) - Vec3(1, 2, 0.5)).norm(), 1e-14);
}

// Whatever the walls: a velocity that is that of the solid stays.
TEST(FreeSlip, SolidsOwnVelocityStays) {
  test::Random random(7);
  for (int trial = 0; trial < 1000; ++trial) {
    const Vec3 velocity = 5 * random.direction();
    std::vector<SolidFace> faces;
    for (std::int64_t k = random.below(7); k >= 0; --k) {
      const Vec3 area = random.between(0.01, 2) * random.direction();
      faces.push_back({area, velocity.dot(area.normalized())});
    }
    EXPECT_LT((with_free_slip(velocity, faces) - velocity).norm(), 1e-12) << "trial " << trial;
  }
}

TEST(FreeSlip, NoFacesNoChange) { EXPECT_EQ(with_free_slip({1, 2, 3}, {}), Vec3(1, 2, 3)); }

}  // namespace
}  // namespace spindrift
