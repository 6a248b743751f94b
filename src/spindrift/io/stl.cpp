#include "spindrift/io/stl.hpp"

#include <algorithm>
#include <initializer_list>

#include <fmt/format.h>

#include "spindrift/io/byte_order.hpp"
#include "spindrift/io/mesh_builder.hpp"
#include "spindrift/io/text_cursor.hpp"
#include "spindrift/io/vertex_welder.hpp"

namespace spindrift {

namespace {

// Binary layout: 80 bytes of any text, a count, then per triangle a normal, three corners (12
// floats) and 2 bytes that some programs use for a colour.
constexpr std::int64_t kHeaderBytes = 84;
constexpr std::int64_t kTriangleBytes = 50;

std::int64_t promised_triangles(std::string_view bytes) {
  return load<std::uint32_t>(bytes.data() + kHeaderBytes - 4, ByteOrder::little);
}

// Equal but for the case of `word`; `keyword` is in lower case.
bool same_word(std::string_view word, std::string_view keyword) {
  return std::equal(word.begin(), word.end(), keyword.begin(), keyword.end(), [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  });
}

// Text begins with the word solid, but so do the headers of some binary files: those have a byte
// that no text has.
bool is_text_stl(std::string_view bytes) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t begin = bytes.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return false;
  if (!same_word(bytes.substr(begin, 5), "solid")) return false;
  return bytes.substr(0, 1024).find('\0') == std::string_view::npos;
}

MeshFile parse_binary(std::string_view bytes, const std::string& name) {
  const auto size = static_cast<std::int64_t>(bytes.size());
  if (size < kHeaderBytes) {
    throw InputError({.file = name, .byte = size},
                     fmt::format("the file ends inside the header of {} bytes", kHeaderBytes),
                     "text STL begins with 'solid'");
  }
  const std::int64_t count = promised_triangles(bytes);
  const std::int64_t complete = (size - kHeaderBytes) / kTriangleBytes;
  if (complete < count) {
    throw InputError({.file = name, .byte = size},
                     fmt::format("the header promises {}, but the file ends after {}",
                                 count_of(count, "triangle", "triangles"), with_commas(complete)),
                     "the file is cut off, or it is no STL file");
  }
  MeshBuilder builder(name);
  VertexWelder welder(builder.mesh().vertices);
  std::vector<Triangle>& triangles = builder.mesh().triangles;
  triangles.resize(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t corners_at = kHeaderBytes + i * kTriangleBytes + 12;
    if (builder.mesh().vertex_count() > kMostVertices - 3) {
      check_vertex_count(kMostVertices + 1, {.file = name, .byte = corners_at});
    }
    for (int k = 0; k < 3; ++k) {
      Vec3 point;
      for (int axis = 0; axis < 3; ++axis) {
        const std::int64_t at = corners_at + 12 * k + 4 * axis;
        point[axis] = load<float>(bytes.data() + at, ByteOrder::little);
        if (!is_coordinate(point[axis])) {
          throw InputError(
              {.file = name, .byte = at},
              not_a_coordinate(fmt::format("a coordinate of triangle {}", i), point[axis]));
        }
      }
      triangles[i][k] = welder.number_of(point);
    }
  }
  builder.note(size - kHeaderBytes - count * kTriangleBytes, "byte", "bytes",
               "after the last triangle ignored");
  return builder.finish();
}

class TextStlReader {
 public:
  TextStlReader(std::string_view bytes, const std::string& name)
      : cursor_(bytes, name, {}), builder_(name), welder_(builder_.mesh().vertices) {}

  MeshFile read() {
    while (!cursor_.text_ended()) {
      expect({"solid"});
      cursor_.skip_line();  // the name of the solid
      read_facets();
    }
    return builder_.finish();
  }

 private:
  void read_facets() {
    for (;;) {
      if (cursor_.text_ended()) {
        builder_.note("no 'endsolid' at the end: the file may be cut off");
        return;
      }
      if (expect({"facet", "endsolid"}) == 1) {
        cursor_.skip_line();
        return;
      }
      expect({"normal"});
      // The corners say it better; many files have zeros or worse here.
      for (int k = 0; k < 3; ++k) {
        if (cursor_.text_ended()) fail_end("the normal");
        static_cast<void>(cursor_.word());
      }
      expect({"outer"});
      expect({"loop"});
      corners_.clear();
      while (expect({"vertex", "endloop"}) == 0) {
        const double x = cursor_.coordinate("the x coordinate");
        const double y = cursor_.coordinate("the y coordinate");
        const double z = cursor_.coordinate("the z coordinate");
        corners_.push_back(welder_.number_of({x, y, z}));
        check_room();
      }
      expect({"endfacet"});
      builder_.add_face(corners_);
      ++facets_;
    }
  }

  void check_room() {
    if (builder_.mesh().vertex_count() < kMostVertices) return;
    check_vertex_count(kMostVertices + 1, cursor_.location(cursor_.position()));
  }

  // One of these keywords must come next, in any case; returns the number of the one that does.
  std::size_t expect(std::initializer_list<std::string_view> keywords) {
    const bool ended = cursor_.text_ended();
    const char* const begin = cursor_.position();
    const std::string_view word = cursor_.word();
    for (std::size_t i = 0; i < keywords.size(); ++i) {
      if (same_word(word, keywords.begin()[i])) return i;
    }
    const std::string wanted =
        join_with_or(std::vector<std::string>(keywords.begin(), keywords.end()));
    if (ended) fail_end(wanted);
    cursor_.fail(begin, fmt::format("expected {}, found {}", wanted, in_quotes(word)));
  }

  [[noreturn]] void fail_end(std::string_view what) {
    cursor_.fail(
        cursor_.position(),
        fmt::format("the file ends inside facet {}, before {}", with_commas(facets_ + 1), what),
        "the file is cut off");
  }

  TextCursor cursor_;
  MeshBuilder builder_;
  VertexWelder welder_;
  std::vector<std::int32_t> corners_;
  std::int64_t facets_ = 0;
};

}  // namespace

bool is_binary_stl(std::string_view bytes) {
  const auto size = static_cast<std::int64_t>(bytes.size());
  return size >= kHeaderBytes && size == kHeaderBytes + kTriangleBytes * promised_triangles(bytes);
}

MeshFile parse_stl(std::string_view bytes, const std::string& name) {
  if (bytes.empty()) throw InputError({.file = name}, "the file is empty");
  if (!is_binary_stl(bytes) && is_text_stl(bytes)) return TextStlReader(bytes, name).read();
  return parse_binary(bytes, name);
}

}  // namespace spindrift
