#include "spindrift/io/ply_header.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "spindrift/core/text.hpp"
#include "spindrift/io/text_cursor.hpp"

namespace spindrift {

namespace {

struct TypeName {
  std::string_view name;
  PlyType type;
};

constexpr std::array kTypeNames = {
    TypeName{"char", PlyType::int8},       TypeName{"uchar", PlyType::uint8},
    TypeName{"short", PlyType::int16},     TypeName{"ushort", PlyType::uint16},
    TypeName{"int", PlyType::int32},       TypeName{"uint", PlyType::uint32},
    TypeName{"float", PlyType::float32},   TypeName{"double", PlyType::float64},
    TypeName{"int8", PlyType::int8},       TypeName{"uint8", PlyType::uint8},
    TypeName{"int16", PlyType::int16},     TypeName{"uint16", PlyType::uint16},
    TypeName{"int32", PlyType::int32},     TypeName{"uint32", PlyType::uint32},
    TypeName{"float32", PlyType::float32}, TypeName{"float64", PlyType::float64},
};

class HeaderReader {
 public:
  HeaderReader(std::string_view bytes, const std::string& name)
      : bytes_(bytes), cursor_(bytes, name, {}) {}

  PlyHeader read() {
    if (cursor_.word() != "ply" || !cursor_.line_ended()) {
      cursor_.fail(bytes_.data(), "the file does not begin with the line 'ply'", "give a PLY file");
    }
    // A file with bare carriage returns must not lose a first data byte that looks like \n.
    const char* const line_end = cursor_.position();
    bare_returns_ =
        line_end + 1 < bytes_.data() + bytes_.size() && line_end[0] == '\r' && line_end[1] != '\n';
    cursor_.skip_line();
    for (;;) {
      if (cursor_.text_ended()) {
        cursor_.fail(cursor_.position(), "the file ends inside the header",
                     "a PLY header ends with the line 'end_header'");
      }
      const char* const begin = cursor_.position();
      const std::string_view word = cursor_.word();
      if (word == "end_header") break;
      read_line(begin, word);
    }
    finish();
    return std::move(header_);
  }

 private:
  void read_line(const char* begin, std::string_view word) {
    if (word == "comment" || word == "obj_info") {
      cursor_.skip_line();
      return;
    }
    if (word == "format") {
      read_format(begin);
    } else if (word == "element") {
      read_element();
    } else if (word == "property") {
      read_property(begin);
    } else {
      const std::vector<std::string> known = {"format",  "element",  "property",
                                              "comment", "obj_info", "end_header"};
      const std::string nearest = nearest_word(word, known);
      cursor_.fail(begin, fmt::format("unknown word {} in the PLY header", in_quotes(word)),
                   nearest.empty() ? "a header line begins with " + join_with_or(known)
                                   : fmt::format("did you mean '{}'?", nearest));
    }
    if (!cursor_.line_ended()) {
      const char* const rest = cursor_.position();
      cursor_.fail(rest,
                   fmt::format("unexpected {} at the end of the line", in_quotes(cursor_.word())));
    }
    cursor_.skip_line();
  }

  void read_format(const char* begin) {
    if (has_format_) cursor_.fail(begin, "a second 'format' line");
    has_format_ = true;
    const std::string_view format = cursor_.word();
    if (format == "ascii") {
      header_.format = PlyFormat::text;
    } else if (format == "binary_little_endian") {
      header_.format = PlyFormat::little_endian;
    } else if (format == "binary_big_endian") {
      header_.format = PlyFormat::big_endian;
    } else {
      cursor_.fail(begin, fmt::format("unknown PLY format {}", in_quotes(format)),
                   "use ascii, binary_little_endian or binary_big_endian");
    }
    const std::string_view version = cursor_.word();
    if (version != "1.0") {
      cursor_.fail(begin, fmt::format("unknown PLY version {}", in_quotes(version)), "use 1.0");
    }
  }

  void read_element() {
    PlyElement element;
    const char* const begin = cursor_.next_position();
    element.name = cursor_.word();
    if (element.name.empty()) cursor_.fail(begin, "an element without a name");
    for (const PlyElement& other : header_.elements) {
      const bool matters = element.name == "vertex" || element.name == "face";
      if (matters && other.name == element.name) {
        cursor_.fail(begin, fmt::format("a second element {}", in_quotes(element.name)));
      }
    }
    const char* const count_at = cursor_.next_position();
    element.count = cursor_.integer("the number of elements");
    if (element.count < 0) {
      cursor_.fail(count_at, fmt::format("the number of elements is {}", element.count));
    }
    header_.elements.push_back(std::move(element));
  }

  void read_property(const char* begin) {
    if (header_.elements.empty()) {
      cursor_.fail(begin, "a property before the first element", "write an 'element' line first");
    }
    PlyProperty property;
    const char* type_at = cursor_.next_position();
    std::string_view type = cursor_.word();
    if (type == "list") {
      property.is_list = true;
      const char* const count_at = cursor_.next_position();
      property.count_type = type_of(count_at, cursor_.word());
      if (is_float(property.count_type)) {
        cursor_.fail(count_at, "the length of a list cannot be a float", "use uchar or int");
      }
      type_at = cursor_.next_position();
      type = cursor_.word();
    }
    property.type = type_of(type_at, type);
    const char* const name_at = cursor_.next_position();
    property.name = cursor_.word();
    if (property.name.empty()) cursor_.fail(name_at, "a property without a name");
    PlyElement& element = header_.elements.back();
    // Only names that are looked up: a header of a million properties is not searched each time.
    const bool is_wanted =
        std::find(kPlyNames.begin(), kPlyNames.end(), property.name) != kPlyNames.end();
    if (is_wanted && element.find(property.name) >= 0) {
      cursor_.fail(name_at, fmt::format("a second property {} of element {}",
                                        in_quotes(property.name), in_quotes(element.name)));
    }
    element.properties.push_back(std::move(property));
  }

  PlyType type_of(const char* at, std::string_view word) {
    for (const TypeName& entry : kTypeNames) {
      if (entry.name == word) return entry.type;
    }
    cursor_.fail(at, fmt::format("unknown type {} of a property", in_quotes(word)),
                 "use char, uchar, short, ushort, int, uint, float or double");
  }

  // To the first byte after the line end_header.
  void finish() {
    const char* const end = bytes_.data() + bytes_.size();
    if (!has_format_) {
      cursor_.fail(cursor_.position(), "the header has no 'format' line",
                   "write 'format ascii 1.0' after the first line");
    }
    if (!cursor_.line_ended()) {
      cursor_.fail(cursor_.position(), "unexpected text after 'end_header'");
    }
    const char* at = cursor_.position();
    if (bare_returns_ && at != end) {
      ++at;
    } else {
      cursor_.skip_line();
      at = cursor_.position();
    }
    header_.data_begin = at - bytes_.data();
  }

  std::string_view bytes_;
  TextCursor cursor_;
  PlyHeader header_;
  bool has_format_ = false;
  bool bare_returns_ = false;
};

}  // namespace

int byte_size(PlyType type) {
  switch (type) {
    case PlyType::int8:
    case PlyType::uint8:
      return 1;
    case PlyType::int16:
    case PlyType::uint16:
      return 2;
    case PlyType::int32:
    case PlyType::uint32:
    case PlyType::float32:
      return 4;
    case PlyType::float64:
      return 8;
  }
  return 0;
}

int PlyElement::find(std::string_view property) const {
  const auto found = std::find_if(properties.begin(), properties.end(),
                                  [&](const PlyProperty& p) { return p.name == property; });
  return found == properties.end() ? -1 : static_cast<int>(found - properties.begin());
}

bool PlyElement::has_lists() const {
  return std::any_of(properties.begin(), properties.end(),
                     [](const PlyProperty& p) { return p.is_list; });
}

std::int64_t PlyElement::least_row_bytes(PlyFormat format) const {
  const int values = static_cast<int>(properties.size());
  return format == PlyFormat::text ? 2 * std::int64_t{values} : offset_of(values);
}

std::int64_t PlyElement::offset_of(int property) const {
  std::int64_t bytes = 0;
  for (int k = 0; k < property; ++k) {
    const PlyProperty& p = properties[k];
    bytes += byte_size(p.is_list ? p.count_type : p.type);
  }
  return bytes;
}

PlyHeader parse_ply_header(std::string_view bytes, const std::string& name) {
  return HeaderReader(bytes, name).read();
}

}  // namespace spindrift
