// Words for people: suggestions for misspelt names, and numbers as one says them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace spindrift {

// The candidate that `word` was most likely meant to be, or "" if none is near (Damerau-Levenshtein
// distance at most a third of the word's length, at least 1, and something in common). Upper and
// lower case count as the same.
[[nodiscard]] std::string nearest_word(std::string_view word,
                                       std::span<const std::string> candidates);

// ASCII letters only: for keywords and file extensions.
[[nodiscard]] std::string lower_case(std::string_view word);

// "a, b or c".
[[nodiscard]] std::string join_with_or(std::span<const std::string> words);

// "1 vertex", "1,234,567 vertices".
[[nodiscard]] std::string count_of(std::int64_t count, std::string_view singular,
                                   std::string_view plural);

// "1,234,567".
[[nodiscard]] std::string with_commas(std::int64_t number);

// "0.8 s", "12 s", "4 min 05 s", "3 h 12 min"; "unknown" if not finite.
[[nodiscard]] std::string duration_text(double seconds);

// "512 B", "1.5 MB", "2.0 GB" (powers of 1000).
[[nodiscard]] std::string bytes_text(double bytes);

}  // namespace spindrift
