#include "spindrift/io/text_cursor.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace spindrift {

std::string in_quotes(std::string_view word) {
  constexpr std::size_t kLongest = 40;
  std::string text = "'";
  for (const char c : word.substr(0, kLongest)) {
    const bool printable = static_cast<unsigned char>(c) >= 0x20 && c != 0x7f;
    if (printable) {
      text += c;
    } else {
      text += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  return text + (word.size() > kLongest ? "...'" : "'");
}

TextCursor::TextCursor(std::string_view text, std::string name, Syntax syntax)
    : begin_(text.data()),
      at_(text.data()),
      end_(text.data() + text.size()),
      name_(std::move(name)),
      syntax_(syntax) {
  if (text.starts_with("\xef\xbb\xbf")) at_ += 3;
}

void TextCursor::skip_line() {
  bool comment = false;
  for (; at_ != end_; ++at_) {
    if (*at_ == '#' && syntax_.comments) comment = true;
    if (!is_newline(*at_)) continue;
    // A comment may end with a backslash that is part of a path.
    const bool joined = !comment && at_ != begin_ && at_[-1] == '\\' && syntax_.continuation;
    at_ = after_newline(at_);
    if (!joined) return;
    --at_;
  }
}

Location TextCursor::location(const char* at) const {
  std::int64_t line = 1;
  const char* line_begin = begin_;
  for (const char* p = begin_; p < at;) {
    if (is_newline(*p)) {
      p = after_newline(p);
      ++line;
      line_begin = std::min(p, at);
    } else {
      ++p;
    }
  }
  const auto clamp = [](std::int64_t value) {
    return static_cast<int>(std::min<std::int64_t>(value, std::numeric_limits<int>::max()));
  };
  return {.file = name_, .line = clamp(line), .column = clamp(at - line_begin + 1)};
}

void TextCursor::fail(const char* at, std::string problem, std::string advice) const {
  throw InputError(location(at), std::move(problem), std::move(advice));
}

void TextCursor::fail_missing(std::string_view what) const {
  fail(at_, fmt::format("the {} ends before {}", at_ == end_ ? "file" : "line", what));
}

void TextCursor::fail_integer(std::string_view what) {
  const char* const begin = at_;
  fail(begin, fmt::format("{} is {}, not a whole number", what, in_quotes(word())));
}

namespace {

// Of a decimal number beyond the range of double: is it too small, rather than too large?
bool is_tiny(std::string_view word) {
  const std::size_t exponent_at = std::min(word.find_first_of("eE"), word.size());
  const std::string_view digits = word.substr(0, exponent_at);
  const std::size_t point = std::min(digits.find('.'), digits.size());
  const std::size_t leading = digits.find_first_of("123456789");
  std::int64_t exponent = 0;
  if (exponent_at + 1 < word.size()) {
    const bool plus = word[exponent_at + 1] == '+';
    const char* const begin = word.data() + exponent_at + (plus ? 2 : 1);
    const auto result = std::from_chars(begin, word.data() + word.size(), exponent);
    if (result.ec == std::errc::result_out_of_range) return *begin == '-';
  }
  // Compared, not added: the exponent may be any number that fits.
  return exponent < static_cast<std::int64_t>(leading) - static_cast<std::int64_t>(point);
}

}  // namespace

double TextCursor::unusual_number(std::string_view what) {
  const char* const begin = at_;
  const std::string_view full = word();
  std::string_view digits = full;
  if (digits.starts_with('+') && !digits.starts_with("+-")) digits.remove_prefix(1);
  double value = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (stop != digits.data() + digits.size() || error == std::errc::invalid_argument) {
    fail(begin, fmt::format("{} is {}, not a number", what, in_quotes(full)),
         "write it like 0.25 or -1.5e3");
  }
  if (error == std::errc::result_out_of_range && !is_tiny(digits)) {
    fail(begin, fmt::format("{} is {}, which is beyond 1e15", what, in_quotes(full)));
  }
  return value;
}

}  // namespace spindrift
