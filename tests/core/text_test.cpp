#include "spindrift/core/text.hpp"

#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace spindrift {
namespace {

TEST(Text, NearestWordFindsMisspellings) {
  const std::vector<std::string> keys = {"radius", "center", "translate", "rotate", "fps", "t"};
  EXPECT_EQ(nearest_word("radius", keys), "radius");
  EXPECT_EQ(nearest_word("raduis", keys), "radius");       // neighbours swapped
  EXPECT_EQ(nearest_word("radiu", keys), "radius");        // a letter lost
  EXPECT_EQ(nearest_word("centre", keys), "center");       // as the British spell it
  EXPECT_EQ(nearest_word("tanslaet", keys), "translate");  // two slips in eight letters
  EXPECT_EQ(nearest_word("FPS", keys), "fps");
  EXPECT_EQ(nearest_word("fp", keys), "fps");
}

TEST(Text, NearestWordStaysSilentWhenNothingIsNear) {
  const std::vector<std::string> keys = {"radius", "center", "t"};
  EXPECT_EQ(nearest_word("viscosity", keys), "");
  EXPECT_EQ(nearest_word("", keys), "");
  EXPECT_EQ(nearest_word("x", keys), "");  // one letter for another is no misspelling
  EXPECT_EQ(nearest_word(std::string(1'000'000, 'r'), keys), "");
  EXPECT_EQ(nearest_word("radius", {}), "");
}

TEST(Text, NearestWordPrefersTheNearerAndThenTheFirst) {
  const std::vector<std::string> keys = {"sided", "sides", "side"};
  EXPECT_EQ(nearest_word("side", keys), "side");
  EXPECT_EQ(nearest_word("sidee", keys), "sided");
}

TEST(Text, JoinWithOr) {
  EXPECT_EQ(join_with_or({}), "");
  EXPECT_EQ(join_with_or(std::vector<std::string>{"wall"}), "wall");
  EXPECT_EQ(join_with_or(std::vector<std::string>{"wall", "open"}), "wall or open");
  EXPECT_EQ(join_with_or(std::vector<std::string>{"a", "b", "c"}), "a, b or c");
}

TEST(Text, Commas) {
  EXPECT_EQ(with_commas(0), "0");
  EXPECT_EQ(with_commas(999), "999");
  EXPECT_EQ(with_commas(1000), "1,000");
  EXPECT_EQ(with_commas(-999), "-999");
  EXPECT_EQ(with_commas(-1000), "-1,000");
  EXPECT_EQ(with_commas(1234567), "1,234,567");
  EXPECT_EQ(with_commas(std::numeric_limits<std::int64_t>::min()), "-9,223,372,036,854,775,808");
}

TEST(Text, Counts) {
  EXPECT_EQ(count_of(0, "vertex", "vertices"), "0 vertices");
  EXPECT_EQ(count_of(1, "vertex", "vertices"), "1 vertex");
  EXPECT_EQ(count_of(1234, "vertex", "vertices"), "1,234 vertices");
}

TEST(Text, Durations) {
  EXPECT_EQ(duration_text(0), "0.0 s");
  EXPECT_EQ(duration_text(-1e-9), "0.0 s");
  EXPECT_EQ(duration_text(0.84), "0.8 s");
  EXPECT_EQ(duration_text(9.94), "9.9 s");
  EXPECT_EQ(duration_text(9.96), "10 s");
  EXPECT_EQ(duration_text(12.3), "12 s");
  EXPECT_EQ(duration_text(59.4), "59 s");
  EXPECT_EQ(duration_text(59.6), "1 min 00 s");
  EXPECT_EQ(duration_text(245), "4 min 05 s");
  EXPECT_EQ(duration_text(3599.6), "1 h 00 min");
  EXPECT_EQ(duration_text(3 * 3600 + 12 * 60 + 59), "3 h 12 min");
  EXPECT_EQ(duration_text(1e30), "over 1,000,000 h");
  EXPECT_EQ(duration_text(std::numeric_limits<double>::infinity()), "unknown");
  EXPECT_EQ(duration_text(std::numeric_limits<double>::quiet_NaN()), "unknown");
}

TEST(Text, Bytes) {
  EXPECT_EQ(bytes_text(0), "0 B");
  EXPECT_EQ(bytes_text(512), "512 B");
  EXPECT_EQ(bytes_text(999), "999 B");
  EXPECT_EQ(bytes_text(1000), "1.0 kB");
  EXPECT_EQ(bytes_text(1'500'000), "1.5 MB");
  EXPECT_EQ(bytes_text(999'990), "1.0 MB");
  EXPECT_EQ(bytes_text(2e9), "2.0 GB");
  EXPECT_EQ(bytes_text(5e15), "5000.0 TB");
}

TEST(LowerCase, TouchesAsciiLettersOnly) {
  EXPECT_EQ(lower_case(".PnG"), ".png");
  EXPECT_EQ(lower_case("AZ@[`{09\xc3\x84"), "az@[`{09\xc3\x84");
}

}  // namespace
}  // namespace spindrift
