#include "spindrift/core/checksum.hpp"

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
