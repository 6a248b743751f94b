// Millions of rows or lines into a file: formatted in parallel, written in order.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "spindrift/core/file.hpp"
#include "spindrift/core/parallel.hpp"
#include "spindrift/core/vec.hpp"

namespace spindrift {

namespace bulk_write {
inline constexpr std::int64_t kChunk = 4096;
inline constexpr std::int64_t kBlock = 64 * kChunk;  // formatted, in parallel, at a time
}  // namespace bulk_write

// Writes `count` rows of equal size, each by put(row, address).
template <class Put>
void write_rows(AtomicFile& file, std::int64_t count, std::int64_t row_bytes, const Put& put) {
  std::string block;
  for (std::int64_t first = 0; first < count; first += bulk_write::kBlock) {
    const std::int64_t rows = std::min(bulk_write::kBlock, count - first);
    block.resize(static_cast<std::size_t>(rows * row_bytes));
    parallel_for_each(
        rows, [&](std::int64_t i) { put(first + i, block.data() + i * row_bytes); },
        bulk_write::kChunk);
    file.write(block);
  }
}

// Writes `count` lines, each by append_line(line, text).
template <class AppendLine>
void write_lines(AtomicFile& file, std::int64_t count, const AppendLine& append_line) {
  std::vector<std::string> chunks(bulk_write::kBlock / bulk_write::kChunk);
  for (std::int64_t first = 0; first < count; first += bulk_write::kBlock) {
    const std::int64_t lines = std::min(bulk_write::kBlock, count - first);
    parallel_for_chunks(lines, bulk_write::kChunk, [&](std::int64_t begin, std::int64_t end) {
      std::string& text = chunks[static_cast<std::size_t>(begin / bulk_write::kChunk)];
      text.clear();
      for (std::int64_t i = begin; i < end; ++i) append_line(first + i, text);
    });
    for (std::int64_t c = 0; c < chunk_count(lines, bulk_write::kChunk); ++c) {
      file.write(chunks[static_cast<std::size_t>(c)]);
    }
  }
}

// Appends a number, as short as reads back the same.
template <class Number>
void append_number(std::string& text, Number value) {
  std::array<char, 32> digits;
  const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  text.append(digits.data(), result.ptr);
}

// Throws InputError for the first vector with a component that is above `most` or not a number:
// "the position of vertex 7 is (1, nan, 3), which `problem`".
void require_at_most(const std::filesystem::path& path, std::span<const Vec3> vectors, double most,
                     std::string_view what, std::string_view problem);

}  // namespace spindrift
