// Reads words and numbers from a text, line by line, in one pass.
//
// Blanks separate words; a line ends with \n, \r\n or \r. Line and column are counted only when an
// error needs them, so reading pays nothing for them.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

#include "spindrift/core/error.hpp"
#include "spindrift/io/coordinate.hpp"

namespace spindrift {

// A word of a file as an error message may show it: short, and without control characters.
[[nodiscard]] std::string in_quotes(std::string_view word);

class TextCursor {
 public:
  struct Syntax {
    bool comments = false;      // '#' begins a comment that ends with the line
    bool continuation = false;  // a backslash at the end of a line joins the next one to it
  };

  // `text` must outlive the cursor. Skips a UTF-8 byte order mark.
  TextCursor(std::string_view text, std::string name, Syntax syntax);

  // Skips blanks; true if nothing but a comment is left in this line.
  [[nodiscard]] bool line_ended() {
    for (; at_ != end_; ++at_) {
      const char c = *at_;
      if (is_blank(c)) continue;
      if (c == '\\' && joins_lines(at_)) {
        at_ = after_newline(at_ + 1) - 1;
        continue;
      }
      return is_newline(c) || (c == '#' && syntax_.comments);
    }
    return true;
  }

  // Skips blanks, comments and line ends; true if nothing else is left.
  [[nodiscard]] bool text_ended() {
    while (line_ended()) {
      if (at_ == end_) return true;
      skip_line();
    }
    return false;
  }

  // Goes to the beginning of the next line.
  void skip_line();

  // The next word of this line; empty if there is none.
  [[nodiscard]] std::string_view word() {
    if (line_ended()) return {};
    const char* const begin = at_;
    while (!ends_word(at_)) ++at_;
    return {begin, static_cast<std::size_t>(at_ - begin)};
  }

  // The next word of this line as a number. `what` names it in errors, e.g. "the x coordinate".
  [[nodiscard]] double number(std::string_view what) {
    if (line_ended()) fail_missing(what);
    double value = 0;
    const auto [stop, error] = std::from_chars(at_, end_, value);
    if (error != std::errc{} || !ends_word(stop)) return unusual_number(what);
    at_ = stop;
    return value;
  }

  // The same, refusing what no coordinate or velocity can be: infinities, NaN, more than 1e15.
  [[nodiscard]] double coordinate(std::string_view what) {
    if (line_ended()) fail_missing(what);
    const char* const begin = at_;
    const double value = number(what);
    if (!is_coordinate(value)) fail(begin, not_a_coordinate(what, value));
    return value;
  }

  // The next word of this line as a whole number. It may go on behind the number if it does so with
  // the character `stop`. Numbers beyond 18 digits become the largest such number.
  [[nodiscard]] std::int64_t integer(std::string_view what, char stop = ' ') {
    if (line_ended()) fail_missing(what);
    const char* p = at_;
    const bool negative = *p == '-';
    if (negative || *p == '+') ++p;
    const char* const digits = p;
    std::int64_t value = 0;
    for (; p != end_ && *p >= '0' && *p <= '9'; ++p) {
      value = value < kIntegerLimit ? value * 10 + (*p - '0') : kIntegerLimit;
    }
    if (p == digits || !(ends_word(p) || *p == stop)) fail_integer(what);
    at_ = p;
    return negative ? -value : value;
  }

  // Steps over `c` if it comes next, without skipping blanks.
  [[nodiscard]] bool accept(char c) {
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }

  [[nodiscard]] const char* position() const { return at_; }
  // Where the next word of this line begins.
  [[nodiscard]] const char* next_position() {
    static_cast<void>(line_ended());
    return at_;
  }
  void move_to(const char* position) { at_ = position; }
  [[nodiscard]] std::int64_t bytes_left() const { return end_ - at_; }

  // True if no word goes on at `p`.
  [[nodiscard]] bool ends_word(const char* p) const {
    return p == end_ || is_blank(*p) || is_newline(*p) || (*p == '\\' && joins_lines(p));
  }

  [[nodiscard]] Location location(const char* at) const;
  [[noreturn]] void fail(const char* at, std::string problem, std::string advice = {}) const;

 private:
  static constexpr std::int64_t kIntegerLimit = 100'000'000'000'000'000;

  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }
  static bool is_newline(char c) { return c == '\n' || c == '\r'; }
  [[nodiscard]] bool joins_lines(const char* backslash) const {
    return syntax_.continuation && backslash + 1 != end_ && is_newline(backslash[1]);
  }
  [[nodiscard]] const char* after_newline(const char* newline) const {
    const bool pair = *newline == '\r' && newline + 1 != end_ && newline[1] == '\n';
    return newline + (pair ? 2 : 1);
  }
  // Numbers that std::from_chars refuses though they are clear; throws at all others.
  double unusual_number(std::string_view what);
  [[noreturn]] void fail_missing(std::string_view what) const;
  [[noreturn]] void fail_integer(std::string_view what);

  const char* begin_;
  const char* at_;
  const char* end_;
  std::string name_;
  Syntax syntax_;
};

}  // namespace spindrift
