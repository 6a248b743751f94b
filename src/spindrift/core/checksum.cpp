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

std::uint64_t checksum_of(std::string_view bytes) {
  Checksum sum;
  sum.add(bytes);
  return sum.value();
}

std::string checksum_text(std::uint64_t checksum) { return fmt::format("{:016x}", checksum); }

}  // namespace spindrift
