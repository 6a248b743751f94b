// A sum over bytes, for noticing damage: not for keeping out those who mean harm.
//
//   Checksum sum;
//   sum.add(first_part);
//   sum.add(second_part);   // the same as adding both at once
//   sum.value();
//
// Eight bytes at a time, the last filled up with zeros, then the number of bytes. Each word w turns
// the sum s into t xor (t >> 29) with t = (s xor w) * 0x9e3779b97f4a7c15, a bijection: a change
// within eight bytes is always noticed, others but for one in 2^64. The constants are those of
// SplitMix64.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace spindrift {

[[nodiscard]] constexpr std::uint64_t add_word(std::uint64_t sum, std::uint64_t word) {
  sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
  return sum ^ (sum >> 29);
}

// The words alone, from any sum on.
class WordSum {
 public:
  explicit WordSum(std::uint64_t sum = 0) : sum_(sum) {}
  void add(std::string_view bytes);
  [[nodiscard]] std::uint64_t value() const;

 private:
  std::uint64_t sum_;
  std::size_t waiting_ = 0;     // bytes of a word that is not whole yet
  std::array<char, 8> rest_{};  // these
};

// Four of them, from any sum on, to which words are dealt in turn: none waits for the others, which
// takes a quarter of the time. In the end their values are words of a sum. A change within a word
// is always noticed here, too.
class DealtSum {
 public:
  explicit DealtSum(std::uint64_t sum = 0);
  void add(std::string_view bytes);
  [[nodiscard]] std::uint64_t value() const;

 private:
  static constexpr std::size_t kSums = 4;
  static constexpr std::size_t kRound = kSums * 8;  // bytes

  void add_rounds(const char* words, std::size_t rounds);

  std::array<std::uint64_t, kSums> sums_;
  std::size_t waiting_ = 0;  // bytes of a round that is not whole yet
  std::array<char, kRound> rest_{};
};

class Checksum {
 public:
  void add(std::string_view bytes) {
    words_.add(bytes);
    length_ += bytes.size();
  }
  [[nodiscard]] std::uint64_t value() const { return add_word(words_.value(), length_); }

 private:
  WordSum words_;
  std::uint64_t length_ = 0;
};

[[nodiscard]] std::uint64_t checksum_of(std::string_view bytes);

// Sixteen hexadecimal digits.
[[nodiscard]] std::string checksum_text(std::uint64_t checksum);

}  // namespace spindrift
