#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "spindrift/io/mesh_builder.hpp"
#include "spindrift/io/obj.hpp"
#include "spindrift/io/text_cursor.hpp"

namespace spindrift {

namespace {

enum class Statement { vertex, face, passed_over, line, point, free_form };

struct Keyword {
  std::string_view word;
  Statement statement;
};

// In the order of the format's specification.
constexpr std::array kKeywords = {
    Keyword{"v", Statement::vertex},
    Keyword{"f", Statement::face},
    Keyword{"fo", Statement::face},  // old spelling
    Keyword{"vn", Statement::passed_over},
    Keyword{"vt", Statement::passed_over},
    Keyword{"vp", Statement::passed_over},
    Keyword{"o", Statement::passed_over},
    Keyword{"g", Statement::passed_over},
    Keyword{"s", Statement::passed_over},
    Keyword{"mg", Statement::passed_over},
    Keyword{"usemtl", Statement::passed_over},
    Keyword{"mtllib", Statement::passed_over},
    Keyword{"usemap", Statement::passed_over},
    Keyword{"maplib", Statement::passed_over},
    Keyword{"bevel", Statement::passed_over},
    Keyword{"c_interp", Statement::passed_over},
    Keyword{"d_interp", Statement::passed_over},
    Keyword{"lod", Statement::passed_over},
    Keyword{"shadow_obj", Statement::passed_over},
    Keyword{"trace_obj", Statement::passed_over},
    Keyword{"l", Statement::line},
    Keyword{"p", Statement::point},
    Keyword{"cstype", Statement::free_form},
    Keyword{"deg", Statement::free_form},
    Keyword{"bmat", Statement::free_form},
    Keyword{"step", Statement::free_form},
    Keyword{"curv", Statement::free_form},
    Keyword{"curv2", Statement::free_form},
    Keyword{"surf", Statement::free_form},
    Keyword{"parm", Statement::free_form},
    Keyword{"trim", Statement::free_form},
    Keyword{"hole", Statement::free_form},
    Keyword{"scrv", Statement::free_form},
    Keyword{"sp", Statement::free_form},
    Keyword{"end", Statement::free_form},
    Keyword{"con", Statement::free_form},
    Keyword{"ctech", Statement::free_form},
    Keyword{"stech", Statement::free_form},
};

std::optional<Statement> statement_of(std::string_view word) {
  for (const Keyword& keyword : kKeywords) {
    if (keyword.word == word) return keyword.statement;
  }
  return std::nullopt;
}

class ObjReader {
 public:
  ObjReader(std::string_view bytes, const std::string& name)
      : cursor_(bytes, name, {.comments = true, .continuation = true}), builder_(name) {}

  MeshFile read() {
    while (!cursor_.text_ended()) {
      read_statement();
      cursor_.skip_line();
    }
    const std::int64_t count = builder_.mesh().vertex_count();
    if (furthest_ > count) {
      cursor_.fail(furthest_at_, fmt::format("vertex {} does not exist", furthest_),
                   corner_range(count, 1));
    }
    builder_.note(lines_, "line element", "line elements", "ignored");
    builder_.note(points_, "point element", "point elements", "ignored");
    builder_.note(free_form_, "statement", "statements",
                  "of free-form curves and surfaces ignored");
    return builder_.finish();
  }

 private:
  void read_statement() {
    const char* const begin = cursor_.position();
    const std::string_view word = cursor_.word();
    const std::optional<Statement> statement = statement_of(word);
    if (!statement) fail_keyword(begin, word);
    switch (*statement) {
      case Statement::vertex:
        return read_vertex(begin);
      case Statement::face:
        return read_face();
      case Statement::line:
        ++lines_;
        return;
      case Statement::point:
        ++points_;
        return;
      case Statement::free_form:
        ++free_form_;
        return;
      case Statement::passed_over:
        return;
    }
  }

  // A weight or a colour may follow the coordinates.
  void read_vertex(const char* begin) {
    const double x = cursor_.coordinate("the x coordinate");
    const double y = cursor_.coordinate("the y coordinate");
    const double z = cursor_.coordinate("the z coordinate");
    std::vector<Vec3>& vertices = builder_.mesh().vertices;
    if (std::ssize(vertices) == kMostVertices) {
      check_vertex_count(kMostVertices + 1, cursor_.location(begin));
    }
    vertices.emplace_back(x, y, z);
  }

  void read_face() {
    corners_.clear();
    while (!cursor_.line_ended()) {
      corners_.push_back(read_corner());
      // Behind the vertex: /texture, //normal or /texture/normal.
      for (int part = 0; part < 2 && cursor_.accept('/'); ++part) {
        if (!at_reference()) continue;
        static_cast<void>(cursor_.integer("the reference behind the slash", '/'));
      }
      if (!cursor_.ends_word(cursor_.position())) {
        cursor_.fail(cursor_.position(), "a third slash in the corner of a face",
                     "write vertex/texture/normal");
      }
    }
    builder_.add_face(corners_);
  }

  [[nodiscard]] bool at_reference() {
    const char* const p = cursor_.position();
    return !cursor_.ends_word(p) && *p != '/';
  }

  std::int32_t read_corner() {
    const char* const begin = cursor_.next_position();
    const std::int64_t number = cursor_.integer("the corner of the face", '/');
    const std::int64_t count = builder_.mesh().vertex_count();
    if (number > 0) {
      if (number > count && number > furthest_) {
        furthest_ = number;
        furthest_at_ = begin;
      }
      return static_cast<std::int32_t>(std::min(number, kMostVertices) - 1);
    }
    if (number == 0) {
      cursor_.fail(begin, "vertex 0 does not exist",
                   "OBJ numbers vertices from 1, or backwards from -1");
    }
    if (-number > count) {
      cursor_.fail(begin, fmt::format("vertex {} does not exist", number),
                   fmt::format("only {} before this line",
                               count_of(count, "vertex comes", "vertices come")));
    }
    return static_cast<std::int32_t>(count + number);
  }

  [[noreturn]] void fail_keyword(const char* at, std::string_view word) {
    std::vector<std::string> known;
    for (const Keyword& keyword : kKeywords) known.emplace_back(keyword.word);
    const std::string nearest = word.size() > 1 ? nearest_word(word, known) : std::string();
    cursor_.fail(at, fmt::format("unknown OBJ statement {}", in_quotes(word)),
                 nearest.empty() ? "OBJ lines begin with v, vt, vn, f, o, g, s, usemtl, mtllib or #"
                                 : fmt::format("did you mean '{}'?", nearest));
  }

  TextCursor cursor_;
  MeshBuilder builder_;
  std::vector<std::int32_t> corners_;
  // The greatest vertex number that was used before its vertex, and where: it may yet come.
  std::int64_t furthest_ = 0;
  const char* furthest_at_ = nullptr;
  std::int64_t lines_ = 0, points_ = 0, free_form_ = 0;
};

}  // namespace

MeshFile parse_obj(std::string_view bytes, const std::string& name) {
  return ObjReader(bytes, name).read();
}

}  // namespace spindrift
