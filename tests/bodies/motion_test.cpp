#include "spindrift/bodies/motion.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "support/random.hpp"

namespace spindrift {
namespace {

const Box3 kBox(Vec3(-2, -1, -1), Vec3(1, 2, 3));

std::vector<MotionKey> random_keys(test::Random& random, int count, bool one_axis) {
  const Vec3 axis = random.direction();
  std::vector<MotionKey> keys;
  double t = random.between(-1, 1);
  for (int i = 0; i < count; ++i) {
    t += random.between(0.1, 1);
    // Opposite axes of any length are the same line.
    const Vec3 along = random.between(0.2, 3) * (random.below(2) ? axis : Vec3(-axis));
    keys.push_back({.t = t,
                    .axis = one_axis ? along : random.direction(),
                    .degrees = random.below(4) == 0 ? 0 : random.between(-900, 900),
                    .translation = random.in_box(kBox)});
  }
  return keys;
}

std::vector<Motion> random_motions(std::uint64_t seed) {
  test::Random random(seed);
  std::vector<Motion> motions;
  for (int i = 0; i < 40; ++i) {
    motions.push_back(Motion::keyframes(random_keys(random, 1 + i % 5, i % 2 == 0)));
    motions.push_back(Motion::spin({.axis = random.direction() * random.between(0.1, 5),
                                    .center = random.in_box(kBox),
                                    .rpm = random.between(-200, 200)}));
  }
  motions.emplace_back();
  return motions;
}

void expect_same_place(const Pose& a, const Pose& b, double tolerance) {
  for (int axis = 0; axis < 3; ++axis) {
    const Vec3 x = Vec3::Unit(axis);
    EXPECT_LT((a.apply(x) - b.apply(x)).norm(), tolerance);
  }
}

TEST(Motion, VelocityIsTheDerivativeOfThePose) {
  test::Random random(3);
  int checked = 0;
  for (const Motion& motion : random_motions(1)) {
    for (int i = 0; i < 50; ++i) {
      const double t = random.between(-1, 6), dt = 1e-5;
      const Vec3 own = random.in_box(kBox);
      const Vec3 before = motion.pose(t - dt).apply(own), after = motion.pose(t + dt).apply(own);
      const Vec3 here = motion.pose(t).apply(own);
      // Skip the jump of the velocity at a key.
      if ((motion.velocity(before, t - dt) - motion.velocity(after, t + dt)).norm() > 1e-1)
        continue;
      ASSERT_LT((motion.velocity(here, t) - (after - before) / (2 * dt)).norm(), 1e-5);
      ++checked;
    }
  }
  EXPECT_GT(checked, 4000);
}

TEST(Motion, IsRigidAndInvertible) {
  test::Random random(5);
  for (const Motion& motion : random_motions(2)) {
    const Pose pose = motion.pose(random.between(-1, 5));
    EXPECT_NEAR(pose.rotation.norm(), 1, 1e-14);
    const Vec3 x = random.in_box(kBox);
    EXPECT_LT((pose.apply_inverse(pose.apply(x)) - x).norm(), 1e-14);
  }
}

TEST(Motion, AtRestNothingMoves) {
  const Motion rest;
  EXPECT_FALSE(rest.moves());
  EXPECT_EQ(rest.pose(3).apply({1, 2, 3}), Vec3(1, 2, 3));
  EXPECT_EQ(rest.velocity({1, 2, 3}, 1), Vec3(0, 0, 0));
  EXPECT_EQ(rest.max_speed(kBox, 0, 10), 0);
  const Motion placed = Motion::keyframes({{.t = 1, .degrees = 90, .translation = {1, 0, 0}}});
  EXPECT_FALSE(placed.moves());
  EXPECT_LT((placed.pose(0).apply({1, 0, 0}) - Vec3(1, 1, 0)).norm(), 1e-15);
}

TEST(Motion, KeysAreMetAndThePoseIsContinuousThere) {
  test::Random random(7);
  for (int round = 0; round < 40; ++round) {
    const auto keys = random_keys(random, 5, round % 2 == 0);
    const Motion motion = Motion::keyframes(keys);
    for (const MotionKey& key : keys) {
      const Quat rotation(
          Eigen::AngleAxisd(key.degrees * std::numbers::pi / 180, Vec3(key.axis.normalized())));
      const Pose expected{rotation, key.translation};
      expect_same_place(motion.pose(key.t), expected, 1e-13);
      expect_same_place(motion.pose(std::nextafter(key.t, -1e9)), expected, 1e-12);
    }
    expect_same_place(motion.pose(keys.front().t - 5), motion.pose(keys.front().t), 1e-15);
    expect_same_place(motion.pose(keys.back().t + 5), motion.pose(keys.back().t), 1e-15);
    EXPECT_EQ(motion.velocity({1, 2, 3}, keys.back().t + 1), Vec3(0, 0, 0));
    EXPECT_EQ(motion.velocity({1, 2, 3}, keys.front().t - 1), Vec3(0, 0, 0));
  }
}

TEST(Motion, SevenHundredTwentyDegreesAreTwoTurns) {
  const Motion motion = Motion::keyframes({{.t = 0}, {.t = 2, .axis = {0, 0, 2}, .degrees = 720}});
  EXPECT_LT((motion.pose(0.25).apply({1, 0, 0}) - Vec3(0, 1, 0)).norm(), 1e-15);
  EXPECT_LT((motion.pose(1.0).apply({1, 0, 0}) - Vec3(1, 0, 0)).norm(), 1e-15);
  EXPECT_LT((motion.pose(1.5).apply({1, 0, 0}) - Vec3(-1, 0, 0)).norm(), 1e-15);
  EXPECT_LT((motion.velocity({1, 0, 0}, 1) - Vec3(0, 2 * std::numbers::pi, 0)).norm(), 1e-14);
}

TEST(Motion, OppositeAxesTurnThroughTheCommonAngle) {
  // From +90 about z to -90 about -z, which is +90 about z: no motion at all.
  const Motion still =
      Motion::keyframes({{.t = 0, .degrees = 90}, {.t = 1, .axis = {0, 0, -1}, .degrees = -90}});
  EXPECT_LT(still.velocity({1, 0, 0}, 0.5).norm(), 1e-15);
  EXPECT_LT((still.pose(0.5).apply({1, 0, 0}) - Vec3(0, 1, 0)).norm(), 1e-15);
}

TEST(Motion, DifferentAxesTakeTheShortestWay) {
  // From 90 degrees about x to 90 degrees about y: 120 degrees about a diagonal.
  const Motion motion = Motion::keyframes(
      {{.t = 0, .axis = {1, 0, 0}, .degrees = 90}, {.t = 1, .axis = {0, 1, 0}, .degrees = 90}});
  const double rate = 2 * std::numbers::pi / 3;
  for (const double t : {0.0, 0.3, 0.9}) {
    const Vec3 vx = motion.velocity({1, 0, 0}, t), vy = motion.velocity({0, 1, 0}, t),
               vz = motion.velocity({0, 0, 1}, t);
    const Vec3 omega(vy.z(), vz.x(), vx.y());
    EXPECT_NEAR(omega.norm(), rate, 1e-14);
  }
}

TEST(Motion, SpinTurnsAboutItsCenter) {
  const Motion motion = Motion::spin({.axis = {0, 0, 3}, .center = {1, 2, 7}, .rpm = 30});
  EXPECT_TRUE(motion.moves());
  EXPECT_LT((motion.pose(0).apply({3, 2, 0}) - Vec3(3, 2, 0)).norm(), 1e-15);
  EXPECT_LT((motion.pose(0.5).apply({3, 2, 0}) - Vec3(1, 4, 0)).norm(), 1e-14);
  EXPECT_LT((motion.velocity({3, 2, 0}, 9) - Vec3(0, 2 * std::numbers::pi, 0)).norm(), 1e-14);
  EXPECT_LT(motion.velocity({1, 2, -5}, 9).norm(), 1e-14);
}

TEST(Motion, MaxSpeedIsReachedAndNeverExceeded) {
  test::Random random(11);
  int checked = 0;
  for (const Motion& motion : random_motions(4)) {
    const double t0 = random.between(-1, 3), t1 = t0 + random.between(0.01, 2);
    const double bound = motion.max_speed(kBox, t0, t1);
    double seen = 0;
    for (int i = 0; i <= 400; ++i) {
      const double t = t0 + (t1 - t0) * i / 400;
      for (int corner = 0; corner < 8; ++corner) {
        const Vec3 x = kBox.corner(static_cast<Box3::CornerType>(corner));
        seen = std::max(seen, motion.velocity(x, t).norm());
      }
      ASSERT_LE(motion.velocity(random.in_box(kBox), t).norm(), bound * (1 + 1e-12));
    }
    ASSERT_LE(seen, bound * (1 + 1e-12));
    if (bound > 0 && seen > 0.95 * bound) ++checked;
  }
  EXPECT_GT(checked, 50) << "the bound should be tight";
  EXPECT_EQ(Motion::spin({.rpm = 60}).max_speed(Box3(), 0, 1), 0);
}

}  // namespace
}  // namespace spindrift
