#include "spindrift/io/off.hpp"

#include <fmt/format.h>

#include "spindrift/io/mesh_builder.hpp"
#include "spindrift/io/text_cursor.hpp"

namespace spindrift {

namespace {

class OffReader {
 public:
  OffReader(std::string_view bytes, const std::string& name)
      : cursor_(bytes, name, {.comments = true}), builder_(name) {}

  MeshFile read() {
    read_header();
    read_counts();
    read_vertices();
    read_faces();
    if (!cursor_.text_ended()) {
      builder_.note(fmt::format("the text from line {} on, after the last face, ignored",
                                cursor_.location(cursor_.position()).line));
    }
    return builder_.finish();
  }

 private:
  // [ST][C][N]OFF: which values follow the coordinates of a vertex. The word may be missing.
  void read_header() {
    if (cursor_.text_ended()) cursor_.fail(cursor_.position(), "the file is empty");
    const char* const begin = cursor_.position();
    const std::string_view word = cursor_.word();
    if (word.find_first_not_of("0123456789") == std::string_view::npos) {
      cursor_.move_to(begin);
      return;
    }
    std::string_view rest = word;
    const auto take = [&](std::string_view prefix) {
      const bool found = rest.starts_with(prefix);
      if (found) rest.remove_prefix(prefix.size());
      return found;
    };
    if (take("ST")) extra_ += 2;
    if (take("C")) has_colours_ = true;
    if (take("N")) extra_ += 3;
    const bool high = take("4"), any = take("n");
    if (rest != "OFF") {
      cursor_.fail(begin, fmt::format("expected OFF, found {}", in_quotes(word)),
                   "begin the file with OFF, COFF, NOFF, STOFF or a combination such as CNOFF");
    }
    if (high || any) {
      cursor_.fail(
          begin, fmt::format("{} holds points of {} dimensions", in_quotes(word), high ? "4" : "n"),
          "convert the file to plain OFF, with 3 coordinates per vertex");
    }
    if (cursor_.line_ended()) return;
    const char* const next = cursor_.position();
    if (cursor_.word() == "BINARY") {
      cursor_.fail(next, "binary OFF is not supported",
                   "convert the file to text OFF or binary PLY");
    }
    cursor_.move_to(next);
  }

  void read_counts() {
    vertex_count_ = read_count("the number of vertices");
    check_vertex_count(vertex_count_, cursor_.location(cursor_.position()));
    face_count_ = read_count("the number of faces");
    // The number of edges says nothing that we need; some files leave it out.
    if (!cursor_.line_ended()) static_cast<void>(cursor_.integer("the number of edges"));
    if (!cursor_.line_ended()) {
      const char* const begin = cursor_.position();
      cursor_.fail(begin, fmt::format("{} after the counts", in_quotes(cursor_.word())),
                   "write one vertex and one face a line");
    }
    cursor_.skip_line();
    // A vertex line holds 3 numbers, a face line at least 1: with the separators, 6 and 2 bytes.
    check_room(vertex_count_, 6, "vertex", "vertices");
    check_room(face_count_, 2, "face", "faces");
    builder_.mesh().vertices.reserve(static_cast<std::size_t>(vertex_count_));
    builder_.mesh().triangles.reserve(static_cast<std::size_t>(face_count_));
  }

  std::int64_t read_count(std::string_view what) {
    if (cursor_.text_ended()) {
      cursor_.fail(cursor_.position(), fmt::format("the file ends before {}", what));
    }
    const char* const begin = cursor_.position();
    const std::int64_t count = cursor_.integer(what);
    if (count < 0) cursor_.fail(begin, fmt::format("{} is {}", what, count));
    return count;
  }

  void check_room(std::int64_t count, std::int64_t bytes_each, std::string_view singular,
                  std::string_view plural) {
    if (count <= (cursor_.bytes_left() + 1) / bytes_each) return;
    cursor_.fail(
        cursor_.position(),
        fmt::format("the header promises {}, but only {} follow", count_of(count, singular, plural),
                    count_of(cursor_.bytes_left(), "byte", "bytes")),
        "the file is cut off, or its counts are wrong");
  }

  void begin_line(std::int64_t i, std::int64_t count, std::string_view singular,
                  std::string_view plural) {
    if (!cursor_.text_ended()) return;
    cursor_.fail(cursor_.position(),
                 fmt::format("the file ends after {} of {}", with_commas(i),
                             count_of(count, singular, plural)),
                 "the file is cut off, or its counts are wrong");
  }

  void read_vertices() {
    for (std::int64_t i = 0; i < vertex_count_; ++i) {
      begin_line(i, vertex_count_, "vertex", "vertices");
      const double x = cursor_.coordinate("the x coordinate");
      const double y = cursor_.coordinate("the y coordinate");
      const double z = cursor_.coordinate("the z coordinate");
      builder_.mesh().vertices.emplace_back(x, y, z);
      check_rest_of_vertex();
      cursor_.skip_line();
    }
  }

  // Texture coordinates, normals and colours. A colour has 3 or 4 components, or is the number of
  // an entry in a palette; many files have colours without saying so in the header.
  void check_rest_of_vertex() {
    std::int64_t values = 0;
    for (; !cursor_.line_ended(); ++values) static_cast<void>(cursor_.word());
    const std::int64_t colours = values - extra_;
    if (colours == 3 || colours == 4 || colours == (has_colours_ ? 1 : 0)) return;
    cursor_.fail(cursor_.position(), fmt::format("the vertex has {} values", 3 + values),
                 fmt::format("write {} a line{}, one vertex a line", 3 + extra_,
                             has_colours_ ? " and the colour" : ""));
  }

  // A colour may follow the corners.
  void read_faces() {
    std::vector<std::int32_t> corners;
    for (std::int64_t i = 0; i < face_count_; ++i) {
      begin_line(i, face_count_, "face", "faces");
      const char* const begin = cursor_.position();
      const std::int64_t corner_count = cursor_.integer("the number of corners");
      if (corner_count < 0) {
        cursor_.fail(begin, fmt::format("the number of corners is {}", corner_count));
      }
      corners.clear();
      for (std::int64_t k = 0; k < corner_count; ++k) {
        if (cursor_.line_ended()) {
          cursor_.fail(cursor_.position(),
                       fmt::format("the line ends before corner {} of {}", k + 1, corner_count));
        }
        corners.push_back(read_corner());
      }
      builder_.add_face(corners);
      cursor_.skip_line();
    }
  }

  std::int32_t read_corner() {
    const char* const begin = cursor_.position();
    const std::int64_t number = cursor_.integer("the corner of the face");
    if (number < 0 || number >= vertex_count_) {
      cursor_.fail(begin, fmt::format("vertex {} does not exist", number),
                   corner_range(vertex_count_, 0));
    }
    return static_cast<std::int32_t>(number);
  }

  TextCursor cursor_;
  MeshBuilder builder_;
  int extra_ = 0;  // values after the coordinates, colours not counted
  bool has_colours_ = false;
  std::int64_t vertex_count_ = 0, face_count_ = 0;
};

}  // namespace

MeshFile parse_off(std::string_view bytes, const std::string& name) {
  return OffReader(bytes, name).read();
}

}  // namespace spindrift
