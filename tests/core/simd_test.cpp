#include "spindrift/core/simd.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "spindrift/core/gather.hpp"

namespace spindrift {
namespace {

TEST(Simd, LoadsPointsFromAnywhere) {
  std::vector<std::int32_t> numbers(100);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::int32_t>(i);
  const std::array<std::size_t, 8> first = {97, 3, 0, 61, 62, 12, 40, 7};
  std::array<const void*, 8> from;
  for (std::size_t k = 0; k < 8; ++k) from[k] = &numbers[first[k]];
  const Lanes3<Int8> points = load_points(from);
  for (std::size_t k = 0; k < 8; ++k) {
    const auto lane = static_cast<int>(k);
    EXPECT_EQ(points.x[lane], numbers[first[k]]);
    EXPECT_EQ(points.y[lane], numbers[first[k] + 1]);
    EXPECT_EQ(points.z[lane], numbers[first[k] + 2]);
  }
}

TEST(Simd, GathersFromBothSides) {
  std::vector<float> numbers(1 << 16);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i);
  const float* const middle = numbers.data() + (1 << 15);
  const std::array<std::int16_t, 8> places = {0, -1, 1, 32767, -32768, 255, -256, 4711};
  const Float8 at_once = gather_at_once(middle, places.data());
  const Float8 by_loads = gather_by_loads(middle, places.data());
  for (std::size_t k = 0; k < 8; ++k) {
    EXPECT_EQ(at_once[static_cast<int>(k)], static_cast<float>((1 << 15) + places[k]));
    EXPECT_EQ(by_loads[static_cast<int>(k)], at_once[static_cast<int>(k)]);
  }
  const std::array<std::int32_t, 8> far = {0, 65535, 1, 32767, 32768, 255, 40000, 4711};
  const Float8 near_gathered = gather(middle, places.data());
  const Float8 far_gathered = gather(numbers.data(), far.data());
  for (std::size_t k = 0; k < 8; ++k) {
    EXPECT_EQ(near_gathered[static_cast<int>(k)], at_once[static_cast<int>(k)]);
    EXPECT_EQ(far_gathered[static_cast<int>(k)], static_cast<float>(far[k]));
  }
}

TEST(Simd, PermutesLanes) {
  const Float8 a = {0, 10, 20, 30, 40, 50, 60, 70};
  const Int8 places = {7, 0, 3, 3, 6, 1, 2, 5};
  const Float8 b = permuted(a, places);
  for (int k = 0; k < 8; ++k) EXPECT_EQ(b[k], 10.0F * static_cast<float>(places[k]));
}

TEST(Simd, FindsGreatestAndLeastLanes) {
  for (int k = 0; k < 8; ++k) {
    Float8 a = splat8(1);
    a[k] = 3;
    EXPECT_EQ(greatest(a), 3);
    EXPECT_EQ(least(-a), -3);
    EXPECT_EQ(true_lanes(a > splat8(2)), 1U << k);
  }
}

}  // namespace
}  // namespace spindrift
