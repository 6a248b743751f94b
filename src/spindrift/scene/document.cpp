#include "spindrift/scene/document.hpp"

#include <algorithm>
#include <array>

#define TOML_HEADER_ONLY 1
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

namespace spindrift::toml_tree {

namespace {

constexpr std::size_t kLargestText = std::size_t{64} << 20;  // bytes
constexpr int kDeepestNesting = 64;                          // tables and arrays within one another
constexpr int kLongestDottedKey = 16;                        // parts

// Where a text comes from; the first line may begin further to the right than it seems.
struct Source {
  const OriginPtr& origin;
  int first_column;

  Position position(int line, int column) const {
    return {origin, line, line == 1 ? std::max(1, column - first_column + 1) : column};
  }
};

// Refuses what the parser (toml++ 3.3) cannot stand, before it sees it:
// - It bounds the nesting of values itself, but a dotted key of a million parts makes a million
//   nested tables, the destructor of which runs out of stack.
// - Its test for exotic white space is undefined for other characters beyond ASCII. TOML allows
//   these in comments and strings only; multi-line strings, which are tested too, go without.
// Walks the text as a lexer does, so that it knows strings and comments apart from keys.
class LexicalGuard {
 public:
  LexicalGuard(std::string_view text, const Source& source) : text_(text), source_(source) {}

  void check() {
    if (text_.substr(0, 3) == "\xEF\xBB\xBF") at_ = 3;  // byte order mark
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '#') {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else if (c == '"' || c == '\'') {
        skip_string(c);
      } else {
        check_ascii(c);
        count_dots(c);
        ++at_;
      }
    }
  }

 private:
  void check_ascii(char c) const {
    if (static_cast<unsigned char>(c) < 0x80) return;
    fail("a character beyond ASCII stands outside of comments and one-line strings",
         "write plain letters, digits and _ in keys");
  }

  void count_dots(char c) {
    if (c == '.') {
      if (++dots_ < kLongestDottedKey) return;
      fail("a key has too many parts",
           "no key of a scene has more than three, such as liquid.body.shape");
    }
    const bool goes_on = c == ' ' || c == '\t' || c == '-' || c == '_' || (c >= 'a' && c <= 'z') ||
                         (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!goes_on) dots_ = 0;
  }

  void skip_string(char quote) {
    const std::string triple(3, quote);
    if (text_.substr(at_, 3) == triple) {
      skip_multi_line(triple);
      return;
    }
    ++at_;
    while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n') {
      at_ += quote == '"' && text_[at_] == '\\' && text_.substr(at_ + 1, 1) != "\n" ? 2 : 1;
    }
    at_ = std::min(at_, text_.size());
    if (at_ < text_.size() && text_[at_] == quote) ++at_;
  }

  void skip_multi_line(const std::string& triple) {
    at_ += 3;
    while (at_ < text_.size() && text_.substr(at_, 3) != triple) {
      check_ascii(text_[at_]);
      const bool is_escape = triple[0] == '"' && text_[at_] == '\\' && at_ + 1 < text_.size();
      if (is_escape) check_ascii(text_[at_ + 1]);
      at_ += is_escape ? 2 : 1;
    }
    at_ = std::min(text_.size(), at_ + 3);
    // The text may itself end in one or two quotes: """a"""".
    for (int i = 0; i < 2 && text_.substr(at_, 1) == triple.substr(0, 1); ++i) ++at_;
  }

  [[noreturn]] void fail(const std::string& problem, const std::string& advice) const {
    int line = 1, column = 1;
    for (const char c : text_.substr(0, at_)) {
      const bool continues_character = (static_cast<unsigned char>(c) & 0xC0) == 0x80;
      if (!continues_character) ++column;
      if (c != '\n') continue;
      ++line;
      column = 1;
    }
    throw InputError(source_.position(line, column).location(), problem, advice);
  }

  std::string_view text_;
  const Source& source_;
  std::size_t at_ = 0;
  int dots_ = 0;
};

class Converter {
 public:
  explicit Converter(const Source& source) : source_(source) {}

  Position position(const toml::source_region& region) const {
    return source_.position(static_cast<int>(region.begin.line),
                            static_cast<int>(region.begin.column));
  }

  Value convert(const toml::node& node, int depth) const {
    const Position where = position(node.source());
    if (depth > kDeepestNesting) {
      throw InputError(where.location(), "values are nested too deep",
                       "nest less, for example write one union of many shapes");
    }
    Value value{.data = {}, .position = where, .written = {}};
    if (const auto* table = node.as_table()) {
      value.data = convert_table(*table, depth);
    } else if (const auto* array = node.as_array()) {
      Array items;
      items.reserve(array->size());
      for (const toml::node& item : *array) items.push_back(convert(item, depth + 1));
      value.data = std::move(items);
    } else if (const auto* text = node.as_string()) {
      value.data = text->get();
    } else if (const auto* integer = node.as_integer()) {
      value.data = integer->get();
    } else if (const auto* number = node.as_floating_point()) {
      value.data = number->get();
    } else if (const auto* flag = node.as_boolean()) {
      value.data = flag->get();
    } else {
      value.data = Moment{};
    }
    return value;
  }

 private:
  Table convert_table(const toml::table& table, int depth) const {
    Table entries;
    entries.reserve(table.size());
    for (const auto& [key, node] : table) {
      entries.push_back({std::string(key.str()), position(key.source()), convert(node, depth + 1)});
    }
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
      return std::tie(a.position.line, a.position.column, a.key) <
             std::tie(b.position.line, b.position.column, b.key);
    });
    return entries;
  }

  const Source& source_;
};

}  // namespace

OriginPtr in_memory(const std::string& name) {
  const auto origin = std::make_shared<Origin>();
  origin->name = name;
  return origin;
}

Location Position::location() const {
  if (!origin) return {};
  if (!origin->has_positions) return {.file = origin->name};
  return {.file = origin->name, .line = line, .column = column};
}

std::string Value::kind_name() const {
  static const std::array<std::string, std::variant_size_v<decltype(data)>> kNames = {
      "a table", "an array", "a string", "a number", "a whole number", "true or false", "a date"};
  return kNames[data.index()];
}

const Value* find(const Table& table, std::string_view key) {
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const Entry& entry) { return entry.key == key; });
  return found == table.end() ? nullptr : &found->value;
}

Value* find(Table& table, std::string_view key) {
  return const_cast<Value*>(find(std::as_const(table), key));
}

Value parse(std::string_view text, const OriginPtr& origin, int first_column) {
  if (text.size() > kLargestText) {
    throw InputError({.file = origin->name}, "is larger than 64 MB", "name a scene file");
  }
  const Source source{origin, first_column};
  LexicalGuard(text, source).check();
  const Converter converter(source);
  try {
    return converter.convert(toml::parse(text), 0);
  } catch (const toml::parse_error& error) {
    throw InputError(converter.position(error.source()).location(),
                     "not valid TOML: " + std::string(error.description()));
  }
}

}  // namespace spindrift::toml_tree
