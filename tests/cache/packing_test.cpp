#include "spindrift/cache/packing.hpp"

#include <gtest/gtest.h>

#include "spindrift/core/parallel.hpp"

#include "support/random.hpp"

namespace spindrift {
namespace {

std::string random_bytes(std::size_t count) {
  test::Random random(5);
  std::string bytes(count, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random.below(256));
  return bytes;
}

std::string joined(const std::vector<std::string_view>& parts) {
  std::string whole;
  for (const std::string_view part : parts) whole += part;
  return whole;
}

TEST(Packing, ComesBackTheSame) {
  Packer packer;  // small arrays follow large ones, and large ones small ones
  const std::size_t chunk = std::size_t{1} << 20;
  for (const std::size_t value : {1u, 4u, 8u, 12u, 16u, 24u}) {
    for (const std::size_t values : {std::size_t{0}, std::size_t{1}, std::size_t{1000},
                                     chunk / value, chunk / value + 1, 2 * chunk / value + 7}) {
      const std::string bytes = random_bytes(value * values);
      const std::string packed = joined(packer.pack(bytes, value));
      std::string back(bytes.size(), 'x');
      ASSERT_TRUE(unpack(packed, value, back.size(), back.data())) << value << " " << values;
      EXPECT_EQ(back, bytes);
    }
  }
}

TEST(Packing, DoesNotDependOnThreads) {
  const std::string bytes = random_bytes(5'000'000);
  const std::string packed = joined(Packer().pack(bytes, 8));
  const ThreadLimit one(1);
  EXPECT_EQ(joined(Packer().pack(bytes, 8)), packed);
}

TEST(Packing, WhatIsNotPackedIsRefused) {
  const std::string bytes(100'000, 'a');
  const std::string packed = joined(Packer().pack(bytes, 8));
  ASSERT_LT(packed.size(), 200u);
  std::string back(bytes.size(), 'x');
  for (std::size_t length = 0; length < packed.size(); ++length) {
    EXPECT_FALSE(unpack(packed.substr(0, length), 8, back.size(), back.data())) << length;
  }
  EXPECT_FALSE(unpack(packed + packed, 8, back.size(), back.data()));
  EXPECT_FALSE(unpack(packed, 8, back.size() - 8, back.data()));
  EXPECT_FALSE(unpack("", 8, back.size(), back.data()));
  EXPECT_TRUE(unpack("", 8, 0, back.data()));
}

}  // namespace
}  // namespace spindrift
