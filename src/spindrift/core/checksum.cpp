#include "spindrift/core/checksum.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/format.h>

namespace spindrift {

static_assert(std::endian::native == std::endian::little, "words are read as they lie in memory");

void Checksum::add(std::string_view bytes) {
  const auto add_next = [this](const char* word) {
    std::uint64_t value;
    std::memcpy(&value, word, sizeof value);
    sum_ = add_word(sum_, value);
  };
  const std::size_t waiting = length_ % 8;
  length_ += bytes.size();
  if (waiting > 0) {
    const std::size_t taken = std::min(8 - waiting, bytes.size());
    std::copy_n(bytes.data(), taken, rest_.data() + waiting);
    if (waiting + taken < 8) return;
    add_next(rest_.data());
    bytes.remove_prefix(taken);
  }
  std::size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) add_next(bytes.data() + at);
  std::copy(bytes.begin() + static_cast<std::ptrdiff_t>(at), bytes.end(), rest_.data());
}

std::uint64_t Checksum::value() const {
  std::uint64_t sum = sum_;
  if (length_ % 8 > 0) {
    std::uint64_t word = 0;
    std::memcpy(&word, rest_.data(), length_ % 8);
    sum = add_word(sum, word);
  }
  return add_word(sum, length_);
}

std::uint64_t checksum_of(std::string_view bytes) {
  Checksum sum;
  sum.add(bytes);
  return sum.value();
}

std::string checksum_text(std::uint64_t checksum) { return fmt::format("{:016x}", checksum); }

}  // namespace spindrift
