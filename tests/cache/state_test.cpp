#include "spindrift/cache/state.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace spindrift {
namespace {

const std::vector<double> kDoubles = {0.1, -0.0, std::numeric_limits<double>::infinity(), 5e-324};

std::string small_state() {
  StateWriter state;
  state.put("time", 0.25);
  state.put("steps", std::int32_t{-7});
  state.put("phi", kDoubles);
  state.put("nothing", std::vector<float>());
  state.put("flags", std::vector<std::uint8_t>{1, 2, 3});
  return state.finish();
}

// The error that reading gives, "" if there is none.
std::string error_of(const std::string& bytes) {
  try {
    const StateReader state(bytes, "f");
    return {};
  } catch (const InputError& error) {
    EXPECT_GE(error.location().byte, 0) << error.what();
    EXPECT_LE(error.location().byte, static_cast<std::int64_t>(bytes.size())) << error.what();
    return error.what();
  }
}

TEST(State, SharesWhatIsNotCopiedUntilItIsWritten) {
  auto shared = std::make_shared<const std::vector<double>>(kDoubles);
  const std::weak_ptr<const std::vector<double>> watch = shared;
  StateWriter sharing;
  sharing.share("phi", *shared, shared);
  shared.reset();
  ASSERT_FALSE(watch.expired());
  const std::string bytes = sharing.finish();
  EXPECT_TRUE(watch.expired());
  StateWriter copying;
  copying.put("phi", kDoubles);
  EXPECT_EQ(bytes, copying.finish());
}

TEST(State, EveryTypeComesBackBitForBit) {
  const std::vector<Vec3> vectors = {{1, 2, 3}, {0.1, -0.2, 1e300}};
  const std::vector<Vec3f> floats = {{1, 2, 0.1f}};
  const std::vector<std::array<std::int32_t, 3>> triangles = {{0, 1, 2}, {2, 1, 3}};
  const std::vector<std::array<std::int32_t, 4>> tets = {{0, 1, 2, 3}};
  const std::vector<Vec3i> places = {{-1, 0, 5}};
  const std::vector<std::int64_t> longs = {std::numeric_limits<std::int64_t>::min(), 1};
  const std::uint64_t key = ~std::uint64_t{0};
  StateWriter writer;
  writer.put("vectors", vectors);
  writer.put("floats", floats);
  writer.put("triangles", triangles);
  writer.put("tets", tets);
  writer.put("places", places);
  writer.put("longs", std::span<const std::int64_t>(longs));
  writer.put("key", key);
  writer.put("point", vectors[1]);
  const std::string bytes = writer.finish();
  const StateReader reader(bytes);
  EXPECT_EQ(reader.array<Vec3>("vectors"), vectors);
  EXPECT_EQ(reader.array<Vec3f>("floats"), floats);
  EXPECT_EQ((reader.array<std::array<std::int32_t, 3>>("triangles")), triangles);
  EXPECT_EQ((reader.array<std::array<std::int32_t, 4>>("tets")), tets);
  EXPECT_EQ(reader.array<Vec3i>("places"), places);
  EXPECT_EQ(reader.array<std::int64_t>("longs"), longs);
  EXPECT_EQ(reader.get<std::uint64_t>("key"), key);
  EXPECT_EQ(reader.get<Vec3>("point"), vectors[1]);
}

TEST(State, NumbersThatCompareUnequalComeBackToo) {
  const std::string bytes = small_state();
  const StateReader state(bytes);
  EXPECT_EQ(state.get<double>("time"), 0.25);
  EXPECT_EQ(state.get<std::int32_t>("steps"), -7);
  const std::vector<double> phi = state.array<double>("phi");
  ASSERT_EQ(phi.size(), kDoubles.size());
  EXPECT_EQ(std::memcmp(phi.data(), kDoubles.data(), 8 * phi.size()), 0);
  EXPECT_TRUE(state.array<float>("nothing").empty());
  EXPECT_EQ(state.array<std::uint8_t>("flags"), (std::vector<std::uint8_t>{1, 2, 3}));
}

// The bytes of docs/cache.md, made from that page by another program.
TEST(State, TheFormatIsTheDocumentedOne) {
  const std::string documented =
      "53504e44535441540300000005000000040000000100000001000000000000000800000000000000"
      "74696d65000000000000d03fff1307cb1306cbba0000000000000000000000000000000000000000"
      "00000000d8589d7e90716de2";
  StateWriter state;
  state.put("time", 0.25);
  std::string hex;
  for (const char c : state.finish()) {
    hex += "0123456789abcdef"[static_cast<unsigned char>(c) >> 4];
    hex += "0123456789abcdef"[c & 15];
  }
  EXPECT_EQ(hex, documented);
}

TEST(State, EveryFlippedBitIsNoticed) {
  const std::string good = small_state();
  ASSERT_EQ(error_of(good), "");
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ (1 << bit));
      EXPECT_NE(error_of(bad), "") << "byte " << i << ", bit " << bit;
    }
  }
}

TEST(State, EveryTruncationIsNoticed) {
  const std::string good = small_state();
  for (std::size_t length = 0; length < good.size(); ++length) {
    EXPECT_NE(error_of(good.substr(0, length)), "") << length;
  }
  EXPECT_NE(error_of(good + '\0').find("behind its end"), std::string::npos);
}

TEST(State, DamageIsLocatedToTheArray) {
  const std::string good = small_state();
  const std::size_t name = good.find("phi");
  std::string bad = good;
  bad[name + 5] ^= 1;  // in its numbers
  // An array begins with 24 bytes before its name.
  EXPECT_EQ(error_of(bad).find("f: byte " + std::to_string(name - 24) + ": is damaged"), 0u)
      << error_of(bad);
}

TEST(State, CountsBeyondTheFileAreRefusedBeforeMemoryIsTaken) {
  const std::string good = small_state();
  const std::size_t name = good.find("phi");
  for (const int byte : {0x0f, 0x7f, 0xff}) {
    // The stored bytes, then the length of the name.
    for (const auto& [from, to] : {std::pair(8, 0), std::pair(24, 20)}) {
      std::string bad = good;
      for (std::size_t i = name - from; i < name - to; ++i) bad[i] = static_cast<char>(byte);
      EXPECT_NE(error_of(bad).find("longer than the file"), std::string::npos) << error_of(bad);
    }
  }
}

TEST(State, LargeArraysArePacked) {
  std::vector<Vec3> smooth;
  for (int i = 0; i < 100'000; ++i) smooth.emplace_back(1 + 1e-7 * i, std::sqrt(i), 0);
  StateWriter writer;
  writer.put("smooth", smooth);
  writer.put("zeros", std::vector<double>(1'000'000, 0.0));
  const std::string bytes = writer.finish();
  EXPECT_LT(bytes.size(), smooth.size() * sizeof(Vec3) / 2);
  const StateReader reader(bytes);
  EXPECT_EQ(reader.array<Vec3>("smooth"), smooth);
  EXPECT_EQ(reader.array<double>("zeros"), std::vector<double>(1'000'000, 0.0));
}

TEST(State, PartsAreTheWholeFile) {
  const auto put_all = [](StateWriter& writer) {
    writer.put("zeros", std::vector<double>(1'000'000, 0.0));
    writer.put("flags", std::vector<std::uint8_t>{1, 2, 3});
  };
  StateWriter at_once;
  put_all(at_once);
  StateWriter in_parts;
  put_all(in_parts);
  std::string whole;
  std::size_t longest = 0;
  in_parts.finish([&](std::string_view part) {
    whole += part;
    longest = std::max(longest, part.size());
  });
  EXPECT_EQ(whole, at_once.finish());
  EXPECT_LT(longest, whole.size());
  EXPECT_EQ(error_of(whole), "");
}

TEST(State, OtherFilesAreRefused) {
  EXPECT_NE(error_of("ply\nformat").find("is not a checkpoint"), std::string::npos);
}

TEST(State, FilesOfOtherVersionsAreCalledThat) {
  const auto error_of_version = [](char format, char contents) {
    std::string other = small_state();
    other[8] = format;
    other[12] = contents;
    return error_of(other);
  };
  const auto message = [](const char* version) {
    return fmt::format(
        "f: byte 8: was made by another version of Spindrift: it has format {}, this one reads "
        "{}.{}; "
        "continue with the Spindrift that made it, or run the scene from its start with another "
        "--out",
        version, kStateFormat, kStateContents);
  };
  EXPECT_EQ(error_of_version(1, 0), message("1.0"));
  EXPECT_EQ(error_of_version(2, 0), message("2.0"));
  EXPECT_EQ(error_of_version(3, 77), message("3.77"));
  EXPECT_EQ(error_of_version(9, 1), message("9.1"));
}

TEST(State, WrongQuestionsAreErrors) {
  const std::string bytes = small_state();
  const StateReader state(bytes, "f");
  const auto problem_of = [&](const auto& question) -> std::string {
    try {
      question();
      return "none";
    } catch (const InputError& error) {
      return error.problem();
    }
  };
  EXPECT_EQ(problem_of([&] { (void)state.get<double>("tim"); }), "has no 'tim'");
  EXPECT_EQ(problem_of([&] { (void)state.get<float>("time"); }),
            "'time' is of type float64, not float32");
  EXPECT_EQ(problem_of([&] { (void)state.array<std::int64_t>("steps"); }),
            "'steps' is of type int32, not int64");
  EXPECT_EQ(problem_of([&] { (void)state.get<double>("phi"); }), "'phi' has 4 values, not 1");
}

TEST(StateDeathTest, ANameIsUsedOnce) {
  StateWriter state;
  state.put("time", 1.0);
  EXPECT_DEATH(state.put("time", 2.0), "does not hold");
}

}  // namespace
}  // namespace spindrift
