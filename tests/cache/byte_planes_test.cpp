#include "spindrift/cache/byte_planes.hpp"

#include <string>

#include <gtest/gtest.h>

#include "support/random.hpp"

namespace spindrift {
namespace {

TEST(BytePlanes, FirstBytesComeFirst) {
  const std::string values = "abcdABCD1234";
  std::string split(values.size(), '?');
  split_bytes(values.data(), 3, 4, split.data());
  EXPECT_EQ(split, "aA1bB2cC3dD4");
  std::string back(values.size(), '?');
  join_bytes(split.data(), 3, 4, back.data());
  EXPECT_EQ(back, values);
}

// Of every size, and of every number that 32 or eight at a time may leave over.
TEST(BytePlanes, EveryByteHasItsPlace) {
  test::Random random(7);
  for (std::size_t size = 1; size <= 24; ++size) {
    for (std::size_t count = 0; count <= 75; ++count) {
      std::string values(size * count, '\0');
      for (char& byte : values) byte = static_cast<char>(random.below(256));
      std::string split(values.size(), '\0');
      split_bytes(values.data(), count, size, split.data());
      for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t byte = 0; byte < size; ++byte) {
          ASSERT_EQ(split[byte * count + i], values[i * size + byte])
              << "byte " << byte << " of value " << i << " of " << count << " of " << size;
        }
      }
      std::string back(values.size(), '\0');
      join_bytes(split.data(), count, size, back.data());
      ASSERT_EQ(back, values) << count << " of " << size;
    }
  }
}

}  // namespace
}  // namespace spindrift
