// The vocabulary in which the grammar of scenes is written down, once.
//
// A describe(visitor, struct) function per struct names its keys with their units, ranges and
// meanings. Visitors give that description its uses: read.cpp fills a Scene from TOML, write.cpp
// writes one, schema.cpp makes the JSON Schema, reference.cpp the tables of docs/scene.md.
// Defaults are the values that a default-constructed struct holds.
#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "spindrift/scene/scene.hpp"

namespace spindrift {

struct Key {
  const char* name;
  const char* meaning;
  bool required = false;
  const char* default_text = "";  // where the default is not a plain value
  const char* type = "";          // tables and lists: a named type, written {inline}
};

// Allowed numbers, and what they count. No number of a scene is larger than kLargestNumber, so that
// no square or product of a few of them overflows.
inline constexpr double kLargestNumber = 1e9;

struct Range {
  double low = -kLargestNumber, high = kLargestNumber;
  bool excludes_low = false;
  const char* unit = "";

  [[nodiscard]] bool contains(double value) const {
    return (excludes_low ? value > low : value >= low) && value <= high;
  }
  // "above 0", "from 0 to 3"; empty if there is nothing to say.
  [[nodiscard]] std::string text() const;
};

[[nodiscard]] inline Range any(const char* unit) { return {.unit = unit}; }
[[nodiscard]] inline Range above(double low, const char* unit, double high = kLargestNumber) {
  return {.low = low, .high = high, .excludes_low = true, .unit = unit};
}
[[nodiscard]] inline Range between(double low, double high, const char* unit) {
  return {.low = low, .high = high, .unit = unit};
}

struct VectorRule {
  Range range;                // of each component
  bool is_direction = false;  // must not be zero
  bool takes_number = false;  // one number stands for three equal ones
  int smallest_size = 3;      // where the size depends on another key: for the documentation
};

// Safe as part of a file name everywhere: up to 64 letters, digits, _ - and . , not hidden.
[[nodiscard]] bool is_file_name_character(char c);
[[nodiscard]] bool is_file_name(std::string_view text);
// Not empty, no control characters.
[[nodiscard]] bool is_path(std::string_view text);

class Visitor {
 public:
  virtual ~Visitor() = default;

  virtual void number(const Key& key, double& value, const Range& range) = 0;
  virtual void integer(const Key& key, int& value, const Range& range) = 0;
  virtual void flag(const Key& key, bool& value) = 0;
  // A string that is_file_name().
  virtual void name(const Key& key, std::string& value) = 0;
  virtual void file(const Key& key, FileSpec& value) = 0;
  // `value` is an index into `words`.
  virtual void choice(const Key& key, int& value, std::span<const std::string> words) = 0;
  virtual void vector(const Key& key, std::span<double> values, const VectorRule& rule) = 0;

  // `body` describes the keys within.
  virtual void table(const Key& key, const std::function<void()>& body) = 0;
  // `item` describes the i-th table and makes it first if there is none.
  virtual void list(const Key& key, std::size_t least, std::size_t count,
                    const std::function<void(std::size_t)>& item) = 0;

  struct Alternative {
    const char* name;
    bool is_active;
    std::function<void()> visit;  // makes it the active one and describes it
  };
  // Exactly one of these keys.
  virtual void one_of(std::span<const Alternative> alternatives) = 0;

  // Is the key there? Reading: in the file. Writing: `in_scene`. Documenting: always.
  [[nodiscard]] virtual bool has(const char* name, bool in_scene) = 0;

  // Where the current table stands.
  virtual void locate(Place&) {}
  // A condition between keys; the message points to the one of them that had the last word (in the
  // highest layer), of equals to the first.
  virtual void require(bool /*holds*/, std::initializer_list<const char*> /*names*/,
                       const std::string& /*problem*/, const std::string& /*advice*/) {}
};

}  // namespace spindrift
