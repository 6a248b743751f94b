// A TOML text as a tree of values that know where they stand. The only door to the TOML parser.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "spindrift/core/error.hpp"

namespace spindrift::toml_tree {

// A text that values come from.
struct Origin {
  std::string name;           // for messages: a path, or `--set time.fps=25`
  std::string folder;         // that paths in it are relative to; empty: the current one
  int layer = 0;              // of two layers, the higher one has the last word
  bool has_positions = true;  // false: too short for lines and columns to help
};
using OriginPtr = std::shared_ptr<const Origin>;

// The origin of a text that is no file.
[[nodiscard]] OriginPtr in_memory(const std::string& name);

struct Position {
  OriginPtr origin;
  int line = 0, column = 0;

  [[nodiscard]] Location location() const;
};

struct Entry;
struct Value;
using Array = std::vector<Value>;
using Table = std::vector<Entry>;
// A date or time: valid TOML that no scene wants.
struct Moment {};

struct Value {
  std::variant<Table, Array, std::string, double, std::int64_t, bool, Moment> data;
  Position position;
  std::string written;  // on a command line: the text, in case that a string is wanted

  [[nodiscard]] const Table* table() const { return std::get_if<Table>(&data); }
  [[nodiscard]] const Array* array() const { return std::get_if<Array>(&data); }
  // With its article: "a string", "an array".
  [[nodiscard]] std::string kind_name() const;
};

struct Entry {
  std::string key;
  Position position;  // of the key
  Value value;
};

[[nodiscard]] Value* find(Table& table, std::string_view key);
[[nodiscard]] const Value* find(const Table& table, std::string_view key);

// The whole text as a table, keys in the order of the file. Throws InputError for what is not TOML
// and for nesting that no scene needs. `first_column` is where the text begins within line 1, for
// texts that the caller has wrapped.
[[nodiscard]] Value parse(std::string_view text, const OriginPtr& origin, int first_column = 1);

}  // namespace spindrift::toml_tree
