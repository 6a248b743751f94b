#include "spindrift/geometry/predicates.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "support/random.hpp"

namespace spindrift {
namespace {

__extension__ using Int128 = __int128;

int sign_of(Int128 x) { return (x > 0) - (x < 0); }

// Integer coordinates small enough that the determinant fits 128 bits: the exact answer.
int integer_orientation(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const auto at = [](const Vec3& p, const Vec3& q, int k) {
    return static_cast<Int128>(p[k]) - static_cast<Int128>(q[k]);
  };
  Int128 sum = 0;
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    sum += at(a, d, k) * (at(b, d, i) * at(c, d, j) - at(b, d, j) * at(c, d, i));
  }
  return sign_of(sum);
}

TEST(Predicates, OrientationIsExactOnNearlyCoplanarIntegers) {
  test::Random random(1);
  int zeros = 0;
  for (int i = 0; i < 20'000; ++i) {
    const double size = 1e12;  // products of three need 120 bits: far beyond double
    const auto integer = [&] { return std::floor(random.between(-size, size)); };
    const Vec3 a(integer(), integer(), integer()), b(integer(), integer(), integer());
    const Vec3 d(integer(), integer(), integer());
    // In the plane of a, b and d, or one unit off it.
    Vec3 c = a + b - d;
    if (i % 2 == 0) c[i % 3] += static_cast<double>(random.below(3) - 1);
    const int exact = integer_orientation(a, b, c, d);
    zeros += exact == 0;
    ASSERT_EQ(orientation(a, b, c, d), exact) << "sample " << i;
    ASSERT_EQ(orientation(b, a, c, d), -exact);
    ASSERT_EQ(orientation(b, c, a, d), exact);
  }
  EXPECT_GT(zeros, 5000);
}

TEST(Predicates, PlaneOrientationIsExact) {
  // Points on a line with slope 1/3 that doubles cannot represent exactly [Kettner 2008].
  const Vec2 a(12, 12), b(24, 24);
  for (int i = 0; i < 64; ++i) {
    for (int j = 0; j < 64; ++j) {
      const Vec2 p(0.5 + i * 0x1p-53, 0.5 + j * 0x1p-53);
      EXPECT_EQ(orientation(a, b, p), (j > i) - (j < i));
    }
  }
}

TEST(Predicates, SignConvention) {
  EXPECT_EQ(orientation(Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1), Vec3(0, 0, 0)), 1);
  EXPECT_EQ(orientation(Vec2(0, 0), Vec2(1, 0), Vec2(0, 1)), 1);
  EXPECT_TRUE(are_collinear({0, 0, 0}, {1, 2, 3}, {2, 4, 6}));
  EXPECT_FALSE(are_collinear({0, 0, 0}, {1, 2, 3}, {2, 4, std::nextafter(6, 7)}));
}

}  // namespace
}  // namespace spindrift
