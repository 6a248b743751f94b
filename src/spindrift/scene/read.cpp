#include "spindrift/scene/read.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "spindrift/core/text.hpp"
#include "spindrift/scene/grammar.hpp"
#include "spindrift/scene/layers.hpp"

namespace spindrift {

namespace {

using toml_tree::Array;
using toml_tree::Entry;
using toml_tree::Table;
using toml_tree::Value;

// Fills the visited structs from a tree, and checks everything that the grammar asks for.
class Reader final : public Visitor {
 public:
  template <class T>
  static void read(const Value& root, T& result) {
    Reader reader;
    reader.within(root, true, "", [&] { describe(reader, result); });
  }

  void number(const Key& key, double& value, const Range& range) override {
    if (const Value* found = find(key)) value = to_number(key.name, *found, range);
  }

  void integer(const Key& key, int& value, const Range& range) override {
    const Value* found = find(key);
    if (!found) return;
    const auto* given = std::get_if<std::int64_t>(&found->data);
    if (!given) fail_type(key.name, *found, "a whole number", advice(range, "a whole number"));
    if (!range.contains(static_cast<double>(*given))) {
      fail(*found, fmt::format("{} is {}", key.name, *given), advice(range, "a whole number"));
    }
    value = static_cast<int>(*given);
  }

  void flag(const Key& key, bool& value) override {
    const Value* found = find(key);
    if (!found) return;
    const auto* given = std::get_if<bool>(&found->data);
    if (!given) fail_type(key.name, *found, "true or false", "write true or false");
    value = *given;
  }

  void name(const Key& key, std::string& value) override {
    const Value* found = find(key);
    if (!found) return;
    value = to_text(key.name, *found, "write it in quotes");
    if (!is_file_name(value)) {
      fail(*found, fmt::format("{} is \"{}\", which is no safe file name", key.name, value),
           "write up to 64 letters, digits, _ - and ., beginning with a letter or digit");
    }
  }

  void file(const Key& key, FileSpec& value) override {
    const Value* found = find(key);
    if (!found) return;
    value.path = to_text(key.name, *found, "write a path in quotes");
    if (!is_path(value.path)) {
      fail(*found, fmt::format("{} is {}", key.name, value.path.empty() ? "empty" : "no path"),
           "write the path of a file");
    }
    value.folder = found->position.origin->folder;
  }

  void choice(const Key& key, int& value, std::span<const std::string> words) override {
    const Value* found = find(key);
    if (!found) return;
    const std::string given =
        to_text(key.name, *found, fmt::format("write {}", join_with_or(quoted(words))));
    const auto word = std::find(words.begin(), words.end(), given);
    if (word == words.end()) {
      fail(*found, fmt::format("{} is \"{}\"", key.name, given), suggestion(given, words, true));
    }
    value = static_cast<int>(word - words.begin());
  }

  void vector(const Key& key, std::span<double> values, const VectorRule& rule) override {
    const Value* found = find(key);
    if (!found) return;
    const std::string wanted = fmt::format("{} numbers", values.size());
    const std::string example =
        values.size() == 2 ? "write for example [1, 0.5]" : "write for example [1, 0, 0.5]";
    if (rule.takes_number && !found->array()) {
      const std::string either = "a number or " + wanted;
      if (!is_number(*found)) fail_type(key.name, *found, either, example);
      std::fill(values.begin(), values.end(), to_number(key.name, *found, rule.range));
      return;
    }
    const Array* items = found->array();
    if (!items) fail_type(key.name, *found, wanted, example);
    if (items->size() != values.size()) {
      fail(*found,
           fmt::format("{} has {}, must have {}", key.name,
                       count_of(std::ssize(*items), "number", "numbers"), values.size()),
           example);
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = to_number(fmt::format("{}[{}]", key.name, i), (*items)[i], rule.range);
    }
    if (rule.is_direction && Eigen::Map<const Vec3>(values.data()).norm() < kSmallestLength) {
      fail(*found, fmt::format("{} has no length", key.name),
           "write a direction, for example [0, 0, 1]");
    }
  }

  void table(const Key& key, const std::function<void()>& body) override {
    static const Value kNothing{};
    const Value* found = find(key);
    if (found && !found->table()) {
      fail_type(key.name, *found, "a table",
                *key.type
                    ? fmt::format("write {} = {{ ... }}", key.name)
                    : fmt::format("write its keys below [{}{}]", frames_.back().path, key.name));
    }
    // A section that is left out still has defaults that depend on one another.
    if (!found && key.required) return;
    const bool is_section = frames_.back().is_section && !*key.type;
    within(found ? *found : kNothing, is_section, frames_.back().path + key.name + ".", body);
  }

  void list(const Key& key, std::size_t least, std::size_t,
            const std::function<void(std::size_t)>& item) override {
    const Value* found = find(key);
    if (!found) return;
    const Array* items = found->array();
    if (!items) {
      fail_type(key.name, *found, "a list",
                frames_.back().is_section
                    ? fmt::format("write [[{}{}]] with two brackets", frames_.back().path, key.name)
                    : fmt::format("write {} = [ {{ ... }}, ... ]", key.name));
    }
    if (items->size() < least) {
      fail(*found, fmt::format("{} is empty", key.name), "write at least one entry");
    }
    for (std::size_t i = 0; i < items->size(); ++i) {
      const Value& entry = (*items)[i];
      if (!entry.table()) {
        fail_type(fmt::format("entry {} of {}", i, key.name), entry, "a table", "write { ... }");
      }
      within(entry, false, "", [&] { item(i); });
    }
  }

  void one_of(std::span<const Alternative> alternatives) override {
    std::vector<std::string> names;
    const Alternative* chosen = nullptr;
    const Value* chosen_value = nullptr;
    for (const Alternative& alternative : alternatives) {
      names.emplace_back(alternative.name);
      const Value* found = note(alternative.name);
      if (!found) continue;
      const int layer = layer_of(*found);
      const int chosen_layer = chosen ? layer_of(*chosen_value) : layer - 1;
      if (layer == chosen_layer) {
        fail(*found, fmt::format("{} and {} are both given", chosen->name, alternative.name),
             "leave one of them out");
      }
      if (layer < chosen_layer) continue;
      chosen = &alternative;
      chosen_value = found;
    }
    if (chosen) {
      chosen->visit();
    } else {
      postpone(fmt::format("{} is missing", join_with_or(names)), "write exactly one of them");
    }
  }

  bool has(const char* name, bool) override { return note(name) != nullptr; }

  void locate(Place& place) override {
    static_cast<Location&>(place) = frames_.back().value->position.location();
  }

  void require(bool holds, std::initializer_list<const char*> names, const std::string& problem,
               const std::string& advice) override {
    // With a key missing, the condition would be about a default that nobody wrote.
    const bool is_moot = std::any_of(frames_.begin(), frames_.end(),
                                     [](const Frame& f) { return f.postponed.has_value(); });
    if (holds || is_moot) return;
    const Value* last = nullptr;
    for (const char* name : names) {
      const Value* found = note(name);
      if (found && (!last || layer_of(*found) > layer_of(*last))) last = found;
    }
    fail(last ? *last : *frames_.back().value, problem, advice);
  }

 private:
  // A table being read.
  struct Frame {
    const Value* value;
    bool is_section;   // may be written below [path]
    std::string path;  // "liquid."
    std::vector<std::string> known;
    std::optional<InputError> postponed;
  };

  [[noreturn]] static void fail(const Value& value, const std::string& problem,
                                const std::string& advice) {
    throw InputError(value.position.location(), problem, advice);
  }

  [[noreturn]] static void fail_type(std::string_view name, const Value& value,
                                     std::string_view wanted, const std::string& advice) {
    const std::string kind =
        is_too_large(value.written) ? "a number that is too large" : value.kind_name();
    fail(value, fmt::format("{} is {}, must be {}", name, kind, wanted), advice);
  }

  // TOML refuses such numbers, so that on a command line they come as words.
  static bool is_too_large(const std::string& written) {
    if (written.empty()) return false;
    char* end = nullptr;
    const double number = std::strtod(written.c_str(), &end);
    return *end == '\0' && std::abs(number) >= 0x1p63;
  }

  static int layer_of(const Value& value) { return value.position.origin->layer; }

  // What is missing is told after what is unknown: it may only be misspelt.
  void postpone(const std::string& problem, const std::string& advice) {
    Frame& frame = frames_.back();
    if (!frame.postponed)
      frame.postponed.emplace(frame.value->position.location(), problem, advice);
  }

  void within(const Value& value, bool is_section, const std::string& path,
              const std::function<void()>& body) {
    frames_.push_back({&value, is_section, path, {}, {}});
    body();
    const Frame frame = std::move(frames_.back());
    frames_.pop_back();
    for (const Entry& entry : *value.table()) {
      if (std::find(frame.known.begin(), frame.known.end(), entry.key) != frame.known.end()) {
        continue;
      }
      throw InputError(entry.position.location(), fmt::format("unknown key \"{}\"", entry.key),
                       suggestion(entry.key, frame.known, false));
    }
    if (frame.postponed) throw InputError(*frame.postponed);
  }

  const Value* note(const char* name) {
    Frame& frame = frames_.back();
    if (std::find(frame.known.begin(), frame.known.end(), name) == frame.known.end()) {
      frame.known.emplace_back(name);
    }
    return toml_tree::find(*frame.value->table(), name);
  }

  const Value* find(const Key& key) {
    const Value* found = note(key.name);
    if (!found && key.required) {
      postpone(fmt::format("{} is missing", key.name),
               fmt::format("write {}: {}", key.name, key.meaning));
    }
    return found;
  }

  static bool is_number(const Value& value) {
    return std::holds_alternative<double>(value.data) ||
           std::holds_alternative<std::int64_t>(value.data);
  }

  static double to_number(std::string_view name, const Value& value, const Range& range) {
    if (!is_number(value)) fail_type(name, value, "a number", advice(range, "a number"));
    const auto* whole = std::get_if<std::int64_t>(&value.data);
    const double number = whole ? static_cast<double>(*whole) : std::get<double>(value.data);
    if (!range.contains(number)) {  // which is also false for nan
      fail(value, fmt::format("{} is {}", name, number), advice(range, "a number"));
    }
    return number;
  }

  static std::string to_text(std::string_view name, const Value& value, const std::string& advice) {
    if (const auto* given = std::get_if<std::string>(&value.data)) return *given;
    if (!value.written.empty()) return value.written;
    fail_type(name, value, "a string", advice);
  }

  static std::string advice(const Range& range, std::string_view noun) {
    std::string text = fmt::format("write {}", noun);
    const std::string limits = range.text();
    text +=
        limits.empty() ? fmt::format(" between -{0:g} and {0:g}", kLargestNumber) : " " + limits;
    if (*range.unit) text += fmt::format(" ({})", range.unit);
    return text;
  }

  static std::vector<std::string> quoted(std::span<const std::string> words) {
    std::vector<std::string> result;
    for (const std::string& word : words) result.push_back('"' + word + '"');
    return result;
  }

  static std::string suggestion(std::string_view word, std::span<const std::string> known,
                                bool are_values) {
    const std::string nearest = nearest_word(word, known);
    if (!nearest.empty()) return fmt::format("did you mean {}?", nearest);
    std::vector<std::string> all =
        are_values ? quoted(known) : std::vector<std::string>(known.begin(), known.end());
    return fmt::format("write {}", join_with_or(all));
  }

  std::vector<Frame> frames_;
};

// "my dam.toml" -> "my_dam".
std::string name_from_file(const std::string& file) {
  std::string name = std::filesystem::path(file).stem().string();
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !is_file_name_character(c); }, '_');
  return is_file_name(name) ? name : "scene";
}

Scene read_scene(const Value& root, const std::string& file) {
  Scene scene;
  scene.name = name_from_file(file);
  Reader::read(root, scene);
  return scene;
}

}  // namespace

Scene load_scene(const std::filesystem::path& path, std::span<const std::string> overrides) {
  Value root = toml_tree::load_layers(path);
  for (std::size_t i = 0; i < overrides.size(); ++i) {
    toml_tree::apply_override(root, overrides[i], static_cast<int>(i) + 1);
  }
  return read_scene(root, path.string());
}

Scene parse_scene(std::string_view toml, const std::string& name) {
  const Value root = toml_tree::parse(toml, toml_tree::in_memory(name));
  toml_tree::check_format(root);
  if (const Value* base = toml_tree::find(*root.table(), "base")) {
    throw InputError(base->position.location(), "base needs a scene that is read from a file",
                     "save the scene beside its base and name the file");
  }
  return read_scene(root, name);
}

ShapeSpec parse_shape(std::string_view inline_syntax) {
  const std::string opening = "shape = { ";
  const Value root =
      toml_tree::parse(opening + std::string(inline_syntax) + " }", toml_tree::in_memory("shape"),
                       static_cast<int>(opening.size()) + 1);
  if (root.table()->size() != 1) {
    throw InputError({.file = "shape"}, "is more than one shape", "write a union of them");
  }
  ShapeSpec spec;
  Reader::read(root.table()->front().value, spec);
  return spec;
}

}  // namespace spindrift
