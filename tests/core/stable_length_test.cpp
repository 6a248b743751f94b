#include "spindrift/core/stable_length.hpp"

#include <array>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "support/random.hpp"

namespace spindrift {
namespace {

TEST(StableLength, IsRightForHugeAndTinyVectors) {
  for (const double scale : {1e-300, 1e-160, 1.0, 1e160, 1e300}) {
    EXPECT_DOUBLE_EQ(stable_length(scale * Vec3(2, -3, 6)), scale * 7);
  }
  EXPECT_EQ(stable_length(Vec3::Zero()), 0);
}

TEST(StableLength, IsNoNumberOfNone) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(stable_length(Vec3(1, -kInfinity, 0)), kInfinity);
  EXPECT_TRUE(std::isnan(stable_length(Vec3(kNan, 1, 0))));
  EXPECT_TRUE(std::isnan(stable_length(Vec3(1, 2, kNan))));
}

// Runs are repeated to the bit, and memory is never in the same place.
TEST(StableLength, HasTheSameBitsWhereverTheVectorLies) {
  test::Random random(1);
  for (int i = 0; i < 200; ++i) {
    const Vec3 v = random.between(0.1, 10) * random.direction();
    alignas(64) std::array<double, 8> memory{};
    for (std::size_t at = 0; at < 5; ++at) {
      const auto there = new (&memory[at]) Vec3(v);
      EXPECT_EQ(stable_length(*there), stable_length(v)) << i << ' ' << at;
    }
  }
}

}  // namespace
}  // namespace spindrift
