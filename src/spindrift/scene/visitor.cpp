#include "spindrift/scene/visitor.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace spindrift {

std::string Range::text() const {
  const bool has_low = low > -kLargestNumber, has_high = high < kLargestNumber;
  if (low == high) return fmt::format("exactly {}", low);
  if (has_low && has_high && !excludes_low) return fmt::format("from {} to {}", low, high);
  std::string text;
  if (has_low) text = fmt::format("{} {}", excludes_low ? "above" : "at least", low);
  if (has_high) text += fmt::format("{}at most {}", has_low ? ", " : "", high);
  return text;
}

bool is_file_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.';
}

bool is_file_name(std::string_view text) {
  constexpr std::size_t kLongest = 64;
  return !text.empty() && text.size() <= kLongest && text.front() != '.' && text.front() != '-' &&
         std::all_of(text.begin(), text.end(), is_file_name_character);
}

bool is_path(std::string_view text) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  return !text.empty() && std::none_of(text.begin(), text.end(), is_control);
}

}  // namespace spindrift
