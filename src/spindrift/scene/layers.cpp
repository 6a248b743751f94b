#include "spindrift/scene/layers.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "spindrift/core/file.hpp"
#include "spindrift/core/text.hpp"
#include "spindrift/scene/visitor.hpp"

namespace spindrift::toml_tree {

namespace {

constexpr std::size_t kLongestChain = 16;  // files based on one another

// The same for all ways of writing a path to one file.
std::filesystem::path canonical_path(const std::filesystem::path& path) {
  std::error_code error;
  const auto result = std::filesystem::weakly_canonical(path, error);
  return error ? path : result;
}

void refuse_no_file(const std::filesystem::path& base, const Location& where) {
  std::error_code failure;
  const std::filesystem::file_status status = std::filesystem::status(base, failure);
  if (std::filesystem::is_regular_file(status)) return;
  std::string problem = "is not there";
  if (failure == std::errc::too_many_symbolic_link_levels) {
    problem = "is a link that leads back to itself";
  } else if (std::filesystem::is_directory(status)) {
    problem = "is a folder";
  } else if (std::filesystem::exists(status)) {
    problem = "is not a regular file";
  } else if (failure == std::errc::permission_denied) {
    problem = "may not be read by you";
  }
  throw InputError(where, fmt::format("base {} {}", base.string(), problem),
                   "write the path of a scene file, relative to this one");
}

Value load_chain(const std::filesystem::path& path, std::vector<std::filesystem::path>& chain) {
  const auto origin = std::make_shared<Origin>();
  origin->name = path.string();
  origin->folder = std::filesystem::absolute(path).parent_path().lexically_normal().string();
  origin->layer = -static_cast<int>(chain.size());
  Value root = parse(read_file(path).view(), origin);
  check_format(root);
  chain.push_back(canonical_path(path));

  auto& table = std::get<Table>(root.data);
  const auto entry = std::find_if(table.begin(), table.end(),
                                  [](const Entry& candidate) { return candidate.key == "base"; });
  if (entry == table.end()) return root;
  const Location where = entry->value.position.location();
  const auto* name = std::get_if<std::string>(&entry->value.data);
  if (!name || !is_path(*name)) {
    throw InputError(where, "base is " + (name ? "no path" : entry->value.kind_name()),
                     "write the path of another scene file, such as base = \"dam_break.toml\"");
  }
  const std::filesystem::path base = path.parent_path() / *name;
  refuse_no_file(base, where);
  if (std::find(chain.begin(), chain.end(), canonical_path(base)) != chain.end()) {
    throw InputError(where, fmt::format("base {} is based on this file itself", base.string()),
                     "leave base out of one of the two files");
  }
  if (chain.size() >= kLongestChain) {
    throw InputError(where,
                     fmt::format("more than {} files are based on one another", kLongestChain),
                     "merge some of them");
  }
  table.erase(entry);
  Value merged = load_chain(base, chain);
  // Two scenes with one name would write into one cache.
  std::erase_if(std::get<Table>(merged.data), [](const Entry& e) { return e.key == "name"; });
  lay_over(merged, std::move(root));
  return merged;
}

// One step of the path of an override: a key of a table, or the number of an entry of a list.
Value& step_into(Value& value, const std::string& key, const std::string& walked,
                 const OriginPtr& origin) {
  const Location where{.file = origin->name};
  if (auto* items = std::get_if<Array>(&value.data)) {
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), index);
    if (error != std::errc() || end != key.data() + key.size() || index >= items->size()) {
      throw InputError(where,
                       fmt::format("{} has {}, none of them is {}", walked,
                                   count_of(std::ssize(*items), "entry", "entries"), key),
                       "count the entries of a list from 0");
    }
    return (*items)[index];
  }
  auto* table = std::get_if<Table>(&value.data);
  if (!table) {
    throw InputError(where, fmt::format("{} is {}, which has no keys", walked, value.kind_name()),
                     fmt::format("set {} itself", walked));
  }
  if (Value* found = find(*table, key)) return *found;
  const Position position{origin, 0, 0};
  table->push_back({key, position, Value{.data = Table{}, .position = position, .written = {}}});
  return table->back().value;
}

bool is_bare_word(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return is_file_name_character(c) || c == '/' || c == '+';
  });
}

Value parse_override_value(const std::string& text, const OriginPtr& origin) {
  Value value{.data = text, .position = {origin, 0, 0}, .written = {}};
  const bool is_bare = is_bare_word(text);
  try {
    Value document = parse("value = " + text, origin);
    auto& table = std::get<Table>(document.data);
    if (table.size() != 1 || table.front().key != "value") {
      throw InputError({.file = origin->name}, "sets more than one value",
                       "write one --set for each");
    }
    value = std::move(table.front().value);
  } catch (const InputError&) {
    if (!is_bare) throw;
  }
  if (is_bare) value.written = text;
  return value;
}

}  // namespace

void lay_over(Value& under, Value over) {
  auto* below = std::get_if<Table>(&under.data);
  auto* above = std::get_if<Table>(&over.data);
  if (!below || !above) {
    under = std::move(over);
    return;
  }
  under.position = over.position;
  for (Entry& entry : *above) {
    if (Value* found = find(*below, entry.key)) {
      lay_over(*found, std::move(entry.value));
    } else {
      below->push_back(std::move(entry));
    }
  }
}

Value load_layers(const std::filesystem::path& path) {
  std::vector<std::filesystem::path> chain;
  return load_chain(path, chain);
}

void check_format(const Value& root) {
  const Value* format = find(*root.table(), "format");
  const std::string advice = fmt::format("write format = {}", kSceneFormat);
  if (!format) {
    throw InputError(root.position.location(), "format is missing",
                     advice + " as the first line of the scene");
  }
  const auto* version = std::get_if<std::int64_t>(&format->data);
  if (!version) {
    throw InputError(format->position.location(),
                     fmt::format("format is {}, must be a whole number", format->kind_name()),
                     advice);
  }
  if (*version != kSceneFormat) {
    throw InputError(
        format->position.location(),
        fmt::format("format = {} is not known; this Spindrift reads {}", *version, kSceneFormat),
        *version > kSceneFormat ? "use a newer Spindrift" : advice);
  }
}

void apply_override(Value& root, const std::string& assignment, int layer) {
  const auto origin = std::make_shared<Origin>();
  origin->name = "--set " + assignment;
  origin->folder = std::filesystem::current_path().string();
  origin->layer = layer;
  origin->has_positions = false;
  const Location where{.file = origin->name};
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos) {
    throw InputError(where, "has no value", "write --set section.key=value");
  }
  Value* value = &root;
  std::string walked;
  std::size_t begin = 0;
  while (begin <= equals) {
    const std::size_t end = std::min(assignment.find('.', begin), equals);
    const std::string key = assignment.substr(begin, end - begin);
    if (!is_bare_word(key)) {
      throw InputError(where, fmt::format("\"{}\" is not a key", key),
                       "write --set section.key=value, without spaces");
    }
    if (walked.empty() && key == "base") {
      throw InputError(where, "base cannot be set here", "write it into the scene file");
    }
    value = &step_into(*value, key, walked, origin);
    walked += (walked.empty() ? "" : ".") + key;
    begin = end + 1;
  }
  lay_over(*value, parse_override_value(assignment.substr(equals + 1), origin));
}

}  // namespace spindrift::toml_tree
