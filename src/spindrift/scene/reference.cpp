#include "spindrift/scene/reference.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "spindrift/core/text.hpp"
#include "spindrift/scene/grammar.hpp"

namespace spindrift {

namespace {

std::string code(std::string_view text) { return fmt::format("`{}`", text); }

std::string quoted(std::string_view text) { return fmt::format("`\"{}\"`", text); }

std::vector<std::string> coded(std::span<const std::string> words) {
  std::vector<std::string> result;
  for (const std::string& word : words) result.push_back(quoted(word));
  return result;
}

// The anchor that GitHub and most others give to a heading.
std::string anchor(std::string_view title) {
  std::string result;
  for (const char c : title) {
    if (is_file_name_character(c) && c != '.') result += c;
  }
  return result;
}

class ReferenceWriter final : public Visitor {
 public:
  ReferenceWriter() { open("Top level"); }

  std::string take() const {
    std::string text;
    for (const Section& section : sections_) {
      text += fmt::format("### {}\n\n", section.title);
      text += "| key | type | unit | range | default | meaning |\n";
      text += "|---|---|---|---|---|---|\n";
      text += section.rows + "\n";
      if (!section.note.empty()) text += section.note + "\n\n";
    }
    return text;
  }

  void number(const Key& key, double& value, const Range& range) override {
    row(key, "number", range, code(fmt::format("{}", value)));
  }
  void integer(const Key& key, int& value, const Range& range) override {
    row(key, "whole number", range, code(fmt::format("{}", value)));
  }
  void flag(const Key& key, bool& value) override {
    row(key, "`true` or `false`", {}, value ? "`true`" : "`false`");
  }
  void name(const Key& key, std::string& value) override { row(key, "name", {}, quoted(value)); }
  void file(const Key& key, FileSpec& value) override { row(key, "path", {}, quoted(value.path)); }
  void choice(const Key& key, int& value, std::span<const std::string> words) override {
    row(key, join_with_or(coded(words)), {}, quoted(words[static_cast<std::size_t>(value)]));
  }
  void vector(const Key& key, std::span<double> values, const VectorRule& rule) override {
    std::string type = rule.smallest_size < 3 ? fmt::format("{} or 3 numbers", rule.smallest_size)
                                              : fmt::format("{} numbers", values.size());
    if (rule.takes_number) type = "number, or " + type;
    if (rule.is_direction) type += ", not all 0";
    std::string text;
    for (const double value : values) text += fmt::format("{}{}", text.empty() ? "" : ", ", value);
    row(key, type, rule.range, code("[" + text + "]"));
  }

  void table(const Key& key, const std::function<void()>& body) override {
    const std::string title = *key.type ? code(key.type) : title_of(key, "[", "]");
    row(key, fmt::format("[table](#{})", anchor(title)), {}, {});
    visit(key, title, body);
  }

  void list(const Key& key, std::size_t, std::size_t,
            const std::function<void(std::size_t)>& item) override {
    const std::string title = *key.type ? code(key.type) : title_of(key, "[[", "]]");
    row(key, fmt::format("[list of tables](#{})", anchor(title)), {}, "none");
    visit(key, title, [&] { item(0); });
  }

  void one_of(std::span<const Alternative> alternatives) override {
    std::vector<std::string> names;
    for (const Alternative& alternative : alternatives) {
      names.push_back(code(alternative.name));
      is_alternative_ = true;
      alternative.visit();
    }
    sections_[current_].note = fmt::format("Exactly one of {} must be there.", join_with_or(names));
  }

  bool has(const char*, bool) override { return true; }

 private:
  struct Section {
    std::string title, rows, note;
  };

  void open(const std::string& title) {
    current_ = sections_.size();
    sections_.push_back({title, {}, {}});
  }

  std::string title_of(const Key& key, const char* open, const char* close) const {
    if (inline_depth_ > 0) return code(key.name);
    return code(fmt::format("{}{}{}{}", open, path_, key.name, close));
  }

  // A named type is told once, whoever uses it.
  void visit(const Key& key, const std::string& title, const std::function<void()>& body) {
    if (*key.type && std::any_of(sections_.begin(), sections_.end(),
                                 [&](const Section& s) { return s.title == title; })) {
      return;
    }
    const std::size_t outer = current_;
    const std::string outer_path = path_;
    const bool is_inline = inline_depth_ > 0 || *key.type;
    path_ += std::string(key.name) + ".";
    inline_depth_ += is_inline ? 1 : 0;
    open(title);
    body();
    inline_depth_ -= is_inline ? 1 : 0;
    path_ = outer_path;
    current_ = outer;
  }

  void row(const Key& key, const std::string& type, const Range& range, const std::string& value) {
    std::string standard = value;
    if (*key.default_text) standard = key.default_text;
    if (key.required) standard = "required";
    if (std::exchange(is_alternative_, false)) standard = "one of these";
    sections_[current_].rows += fmt::format("| {} | {} | {} | {} | {} | {} |\n", code(key.name),
                                            type, range.unit, range.text(), standard, key.meaning);
  }

  std::vector<Section> sections_;
  std::size_t current_ = 0;
  std::string path_;
  int inline_depth_ = 0;
  bool is_alternative_ = false;  // the next row is
};

}  // namespace

std::string scene_reference_markdown() {
  ReferenceWriter writer;
  Scene scene;
  describe(writer, scene);
  return writer.take();
}

}  // namespace spindrift
