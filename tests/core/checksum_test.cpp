#include "spindrift/core/checksum.hpp"

#include <array>
#include <cstring>
#include <string>

#include <gtest/gtest.h>

namespace spindrift {
namespace {

// By the words of the header, in another program.
TEST(Checksum, IsTheDocumentedOne) {
  EXPECT_EQ(checksum_text(checksum_of("")), "0000000000000000");
  EXPECT_EQ(checksum_text(checksum_of("spindrift")), "d13488c10dd3287e");
}

TEST(Checksum, PartsMakeTheSameSum) {
  const std::string text = "a text of more than two words of eight bytes";
  for (std::size_t first = 0; first <= text.size(); ++first) {
    for (std::size_t second = first; second <= text.size(); ++second) {
      Checksum sum;
      sum.add(text.substr(0, first));
      sum.add(text.substr(first, second - first));
      sum.add(text.substr(second));
      EXPECT_EQ(sum.value(), checksum_of(text)) << first << " " << second;
    }
  }
}

TEST(WordSum, GoesOnFromAnySum) {
  const std::string text = "two words of 8..";
  WordSum whole;
  whole.add(text);
  WordSum first;
  first.add(text.substr(0, 8));
  WordSum second(first.value());
  second.add(text.substr(8, 3));
  second.add(text.substr(11));
  EXPECT_EQ(second.value(), whole.value());
  EXPECT_EQ(add_word(whole.value(), text.size()), checksum_of(text));
}

// The words of a text with a last one that is filled up, four sums by hand.
TEST(DealtSum, IsFourSumsOfWordsInTurn) {
  const std::string text = "01234567abcdefgh76543210hgfedcbaABCDEFGHspin";
  const auto word = [&](std::size_t i) {
    std::string bytes = text.substr(8 * i, 8);
    bytes.resize(8, '\0');
    std::uint64_t value;
    std::memcpy(&value, bytes.data(), 8);
    return value;
  };
  const auto first = [](std::uint64_t k) { return add_word(5, k); };
  const std::array<std::uint64_t, 4> sums = {
      add_word(add_word(first(0), word(0)), word(4)),
      add_word(add_word(first(1), word(1)), word(5)),
      add_word(first(2), word(2)),
      add_word(first(3), word(3)),
  };
  const std::uint64_t whole = add_word(add_word(add_word(sums[0], sums[1]), sums[2]), sums[3]);
  for (std::size_t begin = 0; begin <= text.size(); ++begin) {
    for (std::size_t end = begin; end <= text.size(); ++end) {
      DealtSum sum(5);
      sum.add(text.substr(0, begin));
      sum.add(text.substr(begin, end - begin));
      sum.add(text.substr(end));
      ASSERT_EQ(sum.value(), whole) << begin << " " << end;
    }
  }
}

TEST(DealtSum, EveryFlippedBitCounts) {
  const std::string text(75, 'x');
  DealtSum sum;
  sum.add(text);
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string other = text;
      other[i] = static_cast<char>(other[i] ^ (1 << bit));
      DealtSum changed;
      changed.add(other);
      ASSERT_NE(changed.value(), sum.value());
    }
  }
}

TEST(Checksum, EveryFlippedBitAndEveryZeroCounts) {
  const std::string text = "0123456789abcdef0123";
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string other = text;
      other[i] = static_cast<char>(other[i] ^ (1 << bit));
      EXPECT_NE(checksum_of(other), checksum_of(text));
    }
  }
  EXPECT_NE(checksum_of(text + '\0'), checksum_of(text));
  EXPECT_NE(checksum_of(std::string(1, '\0')), checksum_of(""));
}

}  // namespace
}  // namespace spindrift
