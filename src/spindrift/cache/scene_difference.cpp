#include "spindrift/cache/scene_difference.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>

namespace spindrift {

namespace {

struct Entry {
  std::string key;  // with its section
  std::string value;
};

// write_scene() puts one key in a line, and inline tables stay in theirs.
std::vector<Entry> entries_of(std::string_view text) {
  std::vector<Entry> entries;
  std::map<std::string, int> counts;  // of sections in double brackets
  std::string section;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.empty() || line.front() == '#') continue;
    if (line.starts_with("[[")) {
      const std::string name(line.substr(2, line.size() - 4));
      section = fmt::format("{}.{}.", name, counts[name]++);
    } else if (line.front() == '[') {
      section = std::string(line.substr(1, line.size() - 2)) + ".";
    } else if (const std::size_t equals = line.find(" = "); equals != std::string_view::npos) {
      entries.push_back(
          {section + std::string(line.substr(0, equals)), std::string(line.substr(equals + 3))});
    }
  }
  return entries;
}

const std::string* find(const std::vector<Entry>& entries, const std::string& key) {
  for (const Entry& entry : entries) {
    if (entry.key == key) return &entry.value;
  }
  return nullptr;
}

std::string shortened(const std::string& value) {
  constexpr std::size_t kMost = 60;
  return value.size() <= kMost ? value : value.substr(0, kMost - 3) + "...";
}

}  // namespace

std::string SceneChange::text() const {
  if (before.empty()) return key + " is new";
  if (after.empty()) return key + " is gone";
  const std::string now = shortened(after);
  const std::string then = shortened(before);
  return now == then ? key + " has changed" : fmt::format("{} is {}, and was {}", key, now, then);
}

std::vector<SceneChange> scene_changes(std::string_view before, std::string_view after) {
  const std::vector<Entry> old_entries = entries_of(before);
  const std::vector<Entry> new_entries = entries_of(after);
  std::vector<SceneChange> changes;
  for (const Entry& entry : new_entries) {
    const std::string* old_value = find(old_entries, entry.key);
    if (old_value != nullptr && *old_value == entry.value) continue;
    changes.push_back({entry.key, old_value == nullptr ? "" : *old_value, entry.value});
  }
  for (const Entry& entry : old_entries) {
    if (find(new_entries, entry.key) == nullptr) changes.push_back({entry.key, entry.value, ""});
  }
  return changes;
}

std::string scene_difference(std::string_view before, std::string_view after) {
  constexpr std::size_t kMost = 5;
  const std::vector<SceneChange> changes = scene_changes(before, after);
  std::string text;
  for (std::size_t i = 0; i < std::min(kMost, changes.size()); ++i) {
    text += (i == 0 ? "" : "; ") + changes[i].text();
  }
  if (changes.size() > kMost) text += fmt::format("; and {} more", changes.size() - kMost);
  return text;
}

}  // namespace spindrift
