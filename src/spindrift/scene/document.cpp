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

// The parser bounds the nesting of values itself, but a dotted key of a million parts makes a
// million nested tables, and the destructor of these runs out of stack. This walks the text as a
// lexer does, and knows strings and comments apart from keys.
class DottedKeyGuard {
 public:
  DottedKeyGuard(std::string_view text, const OriginPtr& origin) : text_(text), origin_(origin) {}

  void check() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '#') {
        skip_until("\n");
      } else if (c == '"' || c == '\'') {
        skip_string(c);
      } else {
        count(c);
        ++at_;
      }
    }
  }

 private:
  void count(char c) {
    if (c == '\n') ++line_;
    if (c == '.') {
      if (++dots_ >= kLongestDottedKey) {
        throw InputError({origin_->name, origin_->has_positions ? line_ : 0, 0, -1},
                         "a key has too many parts",
                         "no key of a scene has more than three, such as liquid.body.shape");
      }
    } else if (c != ' ' && c != '\t' && c != '-' && c != '_' && !is_word(c)) {
      dots_ = 0;
    }
  }

  static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  }

  void skip_string(char quote) {
    const std::string triple(3, quote);
    if (text_.substr(at_, 3) == triple) {
      at_ += 3;
      skip_until(triple, quote == '"');
      at_ = std::min(text_.size(), at_ + 3);
      // A text may itself end in one or two quotes: """a"""".
      for (int i = 0; i < 2 && text_.substr(at_, 1) == triple.substr(0, 1); ++i) ++at_;
      return;
    }
    ++at_;
    while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n') {
      at_ += quote == '"' && text_[at_] == '\\' && text_.substr(at_ + 1, 1) != "\n" ? 2 : 1;
    }
    if (at_ < text_.size() && text_[at_] == quote) ++at_;
  }

  void skip_until(std::string_view end, bool escapes = false) {
    while (at_ < text_.size() && text_.substr(at_, end.size()) != end) {
      if (escapes && text_[at_] == '\\') ++at_;
      if (at_ < text_.size() && text_[at_] == '\n') ++line_;
      ++at_;
    }
    at_ = std::min(at_, text_.size());
  }

  std::string_view text_;
  const OriginPtr& origin_;
  std::size_t at_ = 0;
  int line_ = 1;
  int dots_ = 0;
};

class Converter {
 public:
  Converter(const OriginPtr& origin, int first_column)
      : origin_(origin), first_column_(first_column) {}

  Position position(const toml::source_region& region) const {
    const auto line = static_cast<int>(region.begin.line);
    auto column = static_cast<int>(region.begin.column);
    if (line == 1) column = std::max(1, column - first_column_ + 1);
    return {origin_, line, column};
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

  OriginPtr origin_;
  int first_column_;
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
  DottedKeyGuard(text, origin).check();
  const Converter converter(origin, first_column);
  try {
    return converter.convert(toml::parse(text), 0);
  } catch (const toml::parse_error& error) {
    throw InputError(converter.position(error.source()).location(),
                     "not valid TOML: " + std::string(error.description()));
  }
}

}  // namespace spindrift::toml_tree
