#include "spindrift/render/dielectric.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "spindrift/render/ray_scene.hpp"

namespace spindrift::render_detail {
namespace {

constexpr float kWater = 1.33f;
constexpr double kPi = std::numbers::pi;

Vec3f downwards(double angle) { return Vec3(std::sin(angle), 0, -std::cos(angle)).cast<float>(); }

TEST(Dielectric, WaterMirrorsTwoPercentOfWhatFallsStraightOnIt) {
  const float expected = (0.33f / 2.33f) * (0.33f / 2.33f);
  EXPECT_NEAR(expected, 0.02f, 1e-4f);
  EXPECT_NEAR(fresnel_dielectric(1, 1 / kWater), expected, 1e-7f);
  EXPECT_NEAR(fresnel_dielectric(1, kWater), expected, 1e-7f);
  EXPECT_FLOAT_EQ(fresnel_dielectric(0, 1 / kWater), 1);
}

// At Brewster's angle light that swings in the plane is not mirrored, and of the other
// ((n^2 - 1) / (n^2 + 1))^2 is.
TEST(Dielectric, AtBrewstersAngleHalfTheLightIsNotMirrored) {
  const double angle = std::atan(double{kWater}), n2 = double{kWater} * double{kWater};
  const double expected = 0.5 * std::pow((n2 - 1) / (n2 + 1), 2);
  EXPECT_NEAR(fresnel_dielectric(static_cast<float>(std::cos(angle)), 1 / kWater), expected, 1e-6);
}

TEST(Dielectric, BothSidesOfABorderMirrorAlike) {
  for (double angle = 0; angle < 1.5; angle += 0.1) {
    const double inside = std::asin(std::sin(angle) / double{kWater});
    EXPECT_NEAR(fresnel_dielectric(static_cast<float>(std::cos(angle)), 1 / kWater),
                fresnel_dielectric(static_cast<float>(std::cos(inside)), kWater), 2e-6)
        << angle;
  }
}

TEST(Dielectric, BeyondTheCriticalAngleAllIsMirrored) {
  const double critical = std::asin(1 / double{kWater});
  for (const double off : {-1e-3, 1e-3}) {
    const Vec3f direction = downwards(critical + off);
    EXPECT_EQ(refract(direction, Vec3f::UnitZ(), kWater).has_value(), off < 0);
    const float mirrored = fresnel_dielectric(-direction.z(), kWater);
    EXPECT_EQ(mirrored == 1, off > 0) << mirrored;
  }
}

TEST(Dielectric, LightBendsBySnellsLaw) {
  for (double angle = 0; angle < 1.5; angle += 0.1) {
    const auto bent = refract(downwards(angle), Vec3f::UnitZ(), 1 / kWater);
    ASSERT_TRUE(bent);
    EXPECT_NEAR(bent->norm(), 1, 1e-6);
    EXPECT_NEAR(double{bent->x()} * double{kWater}, std::sin(angle), 1e-6);
    EXPECT_LT(bent->z(), 0);
  }
}

// A slab of thickness d moves a ray aside by d sin(a - b) / cos(b), and does not turn it.
TEST(Dielectric, ASlabMovesARayByTheExactAmount) {
  const double thickness = 0.7;
  Picture picture;
  picture.items.push_back(
      {.geometry = make_box({-4, -4, -thickness}, {4, 4, 0}), .material = liquid_material()});
  const RayScene scene(picture);
  for (const double angle : {0.0, 0.3, 45 * kPi / 180, 1.2}) {
    const Vec3f direction = downwards(angle);
    Ray ray{scene.frame().to_local(Vec3(0, 0, 1)).cast<float>(), direction};
    Hit in, out;
    ASSERT_TRUE(scene.intersect(ray, in));
    EXPECT_FALSE(in.back);
    ray = {in.beyond, *refract(direction, in.normal, 1 / kWater)};
    ASSERT_TRUE(scene.intersect(ray, out));
    EXPECT_TRUE(out.back);
    const Vec3f left = *refract(ray.direction, out.normal, kWater);
    EXPECT_LT((left - direction).norm(), 2e-6f);
    const double inside = std::asin(std::sin(angle) / double{kWater});
    const double expected = thickness * std::sin(angle - inside) / std::cos(inside);
    const Vec3 at = scene.frame().to_world(out.beyond.cast<double>()) - Vec3(0, 0, 1);
    const double moved = at.cross(direction.cast<double>()).norm();
    // Rays go on a little beyond the surface.
    EXPECT_NEAR(moved, expected, 3 * double{kOffset} * scene.frame().scale) << angle;
  }
}

TEST(Dielectric, WhatIsLeftFallsExponentially) {
  const Vec3f left = transmitted({0.5f, 1, 0}, 2);
  EXPECT_FLOAT_EQ(left.x(), std::exp(-1.0f));
  EXPECT_FLOAT_EQ(left.y(), std::exp(-2.0f));
  EXPECT_FLOAT_EQ(left.z(), 1);
}

}  // namespace
}  // namespace spindrift::render_detail
