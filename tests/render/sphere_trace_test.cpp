#include "spindrift/render/sphere_trace.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "support/random.hpp"

namespace spindrift::render_detail {
namespace {

constexpr double kFar = 100;

TEST(SphereTrace, RandomRaysMeetASphereWhereAlgebraSays) {
  const Vec3 center(0.2, -0.1, 0.3);
  const double radius = 0.7;
  const ShapePtr sphere = make_sphere(center, radius);
  test::Random random(17);
  int hits = 0;
  for (int i = 0; i < 20000; ++i) {
    const Vec3 origin = 3 * random.direction();
    const Vec3 aim = random.in_box(Box3(Vec3(-1, -1, -1), Vec3(1, 1, 1)));
    const Vec3 direction = (i % 2 == 0 ? Vec3(aim - origin) : random.direction()).normalized();
    const Vec3 offset = origin - center;
    const double b = offset.dot(direction);
    const double miss = std::sqrt(std::max(0.0, offset.squaredNorm() - b * b));
    const auto found = sphere_trace(*sphere, origin, direction, {0, kFar}, 1);
    // Within the arrival distance of the outline both answers are right.
    if (std::abs(miss - radius) <= 2 * kArrival) continue;
    const bool meets = miss < radius && b < 0;
    ASSERT_EQ(found.has_value(), meets) << "seed 17, ray " << i;
    if (!meets) continue;
    ++hits;
    const double half_chord = std::sqrt(radius * radius - miss * miss);
    // Arriving means a distance below kArrival, along the ray that over the angle's cosine.
    ASSERT_NEAR(found->t, -b - half_chord, 2 * kArrival * radius / half_chord);
    ASSERT_FALSE(found->from_inside);
  }
  EXPECT_GT(hits, 2000);
}

TEST(SphereTrace, FromInsideItFindsTheWayOut) {
  const auto found =
      sphere_trace(*make_sphere({0, 0, 0}, 1), {0.5, 0, 0}, Vec3::UnitX(), {0, kFar}, 1);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->from_inside);
  EXPECT_NEAR(found->t, 0.5, 2 * kArrival);
}

TEST(SphereTrace, InexactDistancesArriveToo) {
  Placement flat;
  flat.scale = {1, 1, 0.02};  // distances are up to 50 times too short
  const auto disk = make_placed(make_sphere({0, 0, 0}, 1), flat);
  const auto found = sphere_trace(*disk, {-3, 0, 0}, Vec3::UnitX(), {0, kFar}, 1);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->t, 2, 50 * kArrival);
}

TEST(SphereTrace, GrazingRaysEndAndMiss) {
  const auto plate = make_box({-1, -1, -1}, {1, 1, 0});
  for (const double height : {2e-5, 1e-4, 1e-3}) {
    EXPECT_FALSE(sphere_trace(*plate, {-1, 0, height}, Vec3::UnitX(), {0, kFar}, 1)) << height;
  }
  EXPECT_TRUE(sphere_trace(*plate, {-2, 0, -1e-4}, Vec3::UnitX(), {0, kFar}, 1));
}

TEST(SphereTrace, ClippedSpans) {
  const Box3 box(Vec3(-1, -1, -1), Vec3(1, 1, 1));
  const auto through = clip_ray(box, {-3, 0, 0}, Vec3::UnitX());
  ASSERT_TRUE(through);
  EXPECT_EQ(through->begin, 2);
  EXPECT_EQ(through->end, 4);
  const auto inside = clip_ray(box, {0, 0, 0}, Vec3::UnitX());
  ASSERT_TRUE(inside);
  EXPECT_EQ(inside->begin, 0);
  EXPECT_FALSE(clip_ray(box, {3, 0, 0}, Vec3::UnitX()));
  EXPECT_FALSE(clip_ray(box, {-3, 2, 0}, Vec3::UnitX()));
}

}  // namespace
}  // namespace spindrift::render_detail
