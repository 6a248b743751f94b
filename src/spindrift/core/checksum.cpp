#include "spindrift/core/checksum.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/format.h>

namespace spindrift {

static_assert(std::endian::native == std::endian::little, "words are read as they lie in memory");

void WordSum::add(std::string_view bytes) {
  const auto add_next = [this](const char* word) {
    std::uint64_t value;
    std::memcpy(&value, word, sizeof value);
    sum_ = add_word(sum_, value);
  };
  if (waiting_ > 0) {
    const std::size_t taken = std::min(8 - waiting_, bytes.size());
    std::copy_n(bytes.data(), taken, rest_.data() + waiting_);
    waiting_ += taken;
    if (waiting_ < 8) return;
    add_next(rest_.data());
    bytes.remove_prefix(taken);
  }
  waiting_ = bytes.size() % 8;
  const std::size_t whole = bytes.size() - waiting_;
  for (std::size_t at = 0; at < whole; at += 8) add_next(bytes.data() + at);
  std::copy_n(bytes.data() + whole, waiting_, rest_.data());
}

std::uint64_t WordSum::value() const {
  if (waiting_ == 0) return sum_;
  std::uint64_t word = 0;
  std::memcpy(&word, rest_.data(), waiting_);
  return add_word(sum_, word);
}

DealtSum::DealtSum(std::uint64_t sum) {
  for (std::size_t k = 0; k < kSums; ++k) sums_[k] = add_word(sum, k);
}

void DealtSum::add_rounds(const char* words, std::size_t rounds) {
  std::array<std::uint64_t, kSums> sums = sums_;  // in registers
  for (const char* const end = words + kRound * rounds; words != end; words += kRound) {
    for (std::size_t k = 0; k < kSums; ++k) {
      std::uint64_t value;
      std::memcpy(&value, words + 8 * k, sizeof value);
      sums[k] = add_word(sums[k], value);
    }
  }
  sums_ = sums;
}

void DealtSum::add(std::string_view bytes) {
  if (waiting_ > 0) {
    const std::size_t taken = std::min(kRound - waiting_, bytes.size());
    std::copy_n(bytes.data(), taken, rest_.data() + waiting_);
    waiting_ += taken;
    if (waiting_ < kRound) return;
    add_rounds(rest_.data(), 1);
    bytes.remove_prefix(taken);
  }
  waiting_ = bytes.size() % kRound;
  const std::size_t whole = bytes.size() - waiting_;
  add_rounds(bytes.data(), whole / kRound);
  std::copy_n(bytes.data() + whole, waiting_, rest_.data());
}

std::uint64_t DealtSum::value() const {
  std::array<std::uint64_t, kSums> sums = sums_;
  for (std::size_t at = 0; at < waiting_; at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, rest_.data() + at, std::min<std::size_t>(8, waiting_ - at));
    sums[at / 8] = add_word(sums[at / 8], word);
  }
  std::uint64_t sum = sums[0];
  for (std::size_t k = 1; k < kSums; ++k) sum = add_word(sum, sums[k]);
  return sum;
}

std::uint64_t checksum_of(std::string_view bytes) {
  Checksum sum;
  sum.add(bytes);
  return sum.value();
}

std::string checksum_text(std::uint64_t checksum) { return fmt::format("{:016x}", checksum); }

}  // namespace spindrift
