#include "spindrift/levelset/limited_cubic.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "support/random.hpp"

namespace spindrift {
namespace {

struct Cubic {
  double c0, c1, c2, c3;
  [[nodiscard]] double operator()(double s) const { return c0 + s * (c1 + s * (c2 + s * c3)); }
  [[nodiscard]] double slope(double s) const { return c1 + s * (2 * c2 + s * 3 * c3); }
};

LimitedCubic<float> through(const auto& f) {
  const auto at = [&](double s) { return static_cast<float>(f(s)); };
  return limited_cubic(at(-1), at(0), at(1), at(2));
}

TEST(LimitedCubic, IsExactForGentleCubics) {
  test::Random random(11);
  for (int i = 0; i < 2000; ++i) {
    // Second differences between 0.1 and 0.2: within the limits of each other.
    const double d0 = 0.1 + 0.1 * random.unit(), d1 = 0.1 + 0.1 * random.unit();
    const Cubic f{random.unit() - 0.5, 1 - 2 * random.unit(), d0 / 2, (d1 - d0) / 6};
    const LimitedCubic<float> p = through(f);
    for (const float s : {0.0f, 0.1f, 0.5f, 0.83f, 1.0f}) {
      EXPECT_NEAR(p.value(s), f(s), 4e-7);
      EXPECT_NEAR(p.slope(s), f.slope(s), 1e-6);
    }
  }
}

TEST(LimitedCubic, IsNearlyLinearBesideAKink) {
  // The distance to a point, seen along the line through it: the kink is at s = 1, 1.4, 2.
  for (const double kink : {1.0, 1.4, 2.0}) {
    const auto f = [&](double s) { return 0.5 - std::abs(s - kink); };
    const LimitedCubic<float> p = through(f);
    for (float s = 0; s <= 1; s += 0.125f) {
      const double line = f(0) + s * (f(1) - f(0));
      EXPECT_NEAR(p.value(s), line, 0.0033) << "kink at " << kink << ", s = " << s;
    }
  }
}

TEST(LimitedCubic, LimitsTheLargerSecondDifferenceOnly) {
  for (const float sign : {1.0f, -1.0f}) {
    EXPECT_FLOAT_EQ(limited(sign * 2.0f, 0.0f).at_0, sign * 0.05f);
    EXPECT_FLOAT_EQ(limited(sign * 2.0f, 0.0f).at_1, 0.0f);
    EXPECT_FLOAT_EQ(limited(0.1f, sign * 1.0f).at_0, 0.1f);
    EXPECT_FLOAT_EQ(limited(0.1f, sign * 1.0f).at_1, sign * 0.45f);
    EXPECT_FLOAT_EQ(limited(sign * 0.1f, 0.4f).at_1, 0.4f);
  }
}

TEST(LimitedCubic, FindsRootsForAnySamples) {
  test::Random random(12);
  const auto sample = [&] { return static_cast<float>(4 * random.unit() - 2); };
  for (int i = 0; i < 20000; ++i) {
    const float size = i % 3 == 0 ? 1e-4f : 1.0f;
    const float a = -size * std::abs(sample()) - 1e-9f, b = std::abs(sample());
    const bool is_rising = i % 2 == 0;
    const LimitedCubic<float> p =
        limited_cubic(sample(), is_rising ? a : b, is_rising ? b : a, sample());
    const float s = root(p);
    ASSERT_GE(s, 0);
    ASSERT_LE(s, 1);
    // The root is exact for some s within 1e-6: the value is what that much of the slope allows.
    EXPECT_NEAR(p.value(s), 0, 1e-6 * (std::abs(p.slope(s)) + 1)) << "case " << i;
  }
}

TEST(LimitedCubic, FindsRootsOfGentleCubicsToRounding) {
  test::Random random(14);
  for (int i = 0; i < 20000; ++i) {
    const double d0 = 0.1 + 0.1 * random.unit(), d1 = 0.1 + 0.1 * random.unit();
    const double slope = random.between(0.5, 1), at = random.unit();
    const Cubic f{-slope * at - at * at * (d0 / 2 + at * (d1 - d0) / 6), slope, d0 / 2,
                  (d1 - d0) / 6};
    EXPECT_NEAR(root(through(f)), at, 5e-7);
  }
}

TEST(LimitedCubic, EndsOnTheSpotIfASampleIsZero) {
  EXPECT_EQ(root(limited_cubic(2.0f, 0.0f, -1.0f, -2.0f)), 0);
  EXPECT_EQ(root(limited_cubic(-2.0f, -1.0f, 0.0f, 1.0f)), 1);
}

TEST(LimitedCubic, LanesAreScalars) {
  test::Random random(13);
  for (int i = 0; i < 500; ++i) {
    float samples[4][8];
    Float8 lanes[4];
    for (int k = 0; k < 8; ++k) {
      for (int j = 0; j < 4; ++j) samples[j][k] = static_cast<float>(2 * random.unit() - 1);
      samples[1][k] = -std::abs(samples[1][k]) - 1e-6f;
      samples[2][k] = std::abs(samples[2][k]);
      for (int j = 0; j < 4; ++j) lanes[j][k] = samples[j][k];
    }
    const Float8 s = root(limited_cubic(lanes[0], lanes[1], lanes[2], lanes[3]));
    for (int k = 0; k < 8; ++k) {
      const LimitedCubic<float> one =
          limited_cubic(samples[0][k], samples[1][k], samples[2][k], samples[3][k]);
      EXPECT_EQ(s[k], root(one));
    }
  }
}

}  // namespace
}  // namespace spindrift
