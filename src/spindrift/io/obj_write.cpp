#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include "spindrift/core/file.hpp"
#include "spindrift/core/parallel.hpp"
#include "spindrift/io/obj.hpp"

namespace spindrift {

namespace {

constexpr std::int64_t kChunk = 4096;
constexpr std::int64_t kBlock = 64 * kChunk;  // lines that are formatted, in parallel, at a time

template <class Number>
void append(std::string& text, Number value) {
  std::array<char, 32> digits;
  const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  text += ' ';
  text.append(digits.data(), result.ptr);
}

// Writes `count` lines, each by append_line(line, text).
template <class AppendLine>
void write_lines(AtomicFile& file, std::int64_t count, const AppendLine& append_line) {
  std::vector<std::string> chunks(kBlock / kChunk);
  for (std::int64_t first = 0; first < count; first += kBlock) {
    const std::int64_t lines = std::min(kBlock, count - first);
    parallel_for_chunks(lines, kChunk, [&](std::int64_t begin, std::int64_t end) {
      std::string& text = chunks[begin / kChunk];
      text.clear();
      for (std::int64_t i = begin; i < end; ++i) append_line(first + i, text);
    });
    for (std::int64_t c = 0; c < chunk_count(lines, kChunk); ++c) file.write(chunks[c]);
  }
}

}  // namespace

void write_obj(const std::filesystem::path& path, const TriangleMesh& mesh) {
  AtomicFile file(path);
  file.write("# made by Spindrift\n");
  write_lines(file, mesh.vertex_count(), [&](std::int64_t i, std::string& text) {
    text += 'v';
    for (int axis = 0; axis < 3; ++axis) append(text, mesh.vertices[i][axis]);
    text += '\n';
  });
  write_lines(file, mesh.triangle_count(), [&](std::int64_t i, std::string& text) {
    text += 'f';
    for (const std::int32_t corner : mesh.triangles[i]) append(text, std::int64_t{corner} + 1);
    text += '\n';
  });
  file.commit();
}

}  // namespace spindrift
