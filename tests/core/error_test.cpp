#include "spindrift/core/error.hpp"

#include <gtest/gtest.h>

namespace spindrift {
namespace {

TEST(Error, LocationSaysAsMuchAsIsKnown) {
  EXPECT_EQ((Location{.file = "a.toml", .line = 3, .column = 7}.text()), "a.toml:3:7");
  EXPECT_EQ((Location{.file = "a.obj", .line = 3}.text()), "a.obj:3");
  EXPECT_EQ((Location{.file = "a.obj", .column = 7}.text()), "a.obj");
  EXPECT_EQ((Location{.file = "a.stl", .byte = 0}.text()), "a.stl: byte 0");
  EXPECT_EQ((Location{.file = "a.stl", .byte = 5'000'000'000}.text()), "a.stl: byte 5000000000");
  EXPECT_EQ(Location{}.text(), "");
}

TEST(Error, TextIsPlaceProblemAdvice) {
  const Location where{.file = "dam.toml", .line = 12, .column = 9};
  EXPECT_STREQ(InputError(where, "radius is -0.2", "write a positive length in metres").what(),
               "dam.toml:12:9: radius is -0.2; write a positive length in metres");
  EXPECT_STREQ(InputError(where, "radius is -0.2").what(), "dam.toml:12:9: radius is -0.2");
  EXPECT_STREQ(SystemError({}, "out of memory", "close something").what(),
               "out of memory; close something");
}

TEST(Error, KeepsItsPartsAndItsExitCode) {
  try {
    throw InputError({.file = "dam.toml", .line = 12}, "what", "how");
  } catch (const Error& error) {
    EXPECT_EQ(error.location().file, "dam.toml");
    EXPECT_EQ(error.location().line, 12);
    EXPECT_EQ(error.problem(), "what");
    EXPECT_EQ(error.advice(), "how");
    EXPECT_EQ(static_cast<int>(error.kind()), 2);
  }
  EXPECT_EQ(static_cast<int>(SystemError({}, "what").kind()), 4);
  EXPECT_EQ(static_cast<int>(ErrorKind::numerical), 3);
  EXPECT_EQ(static_cast<int>(ErrorKind::interrupted), 130);
}

TEST(ErrorDeathTest, AssertionNamesThePlaceAndTheExpression) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const int apples = 3;
  EXPECT_DEATH(SPINDRIFT_ASSERT(apples == 4), "error_test.cpp:[0-9]+: internal error: apples == 4");
  SPINDRIFT_ASSERT(apples == 3);
}

}  // namespace
}  // namespace spindrift
