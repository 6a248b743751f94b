#include "spindrift/scene/write.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "spindrift/scene/grammar.hpp"

namespace spindrift {

namespace {

std::string quote(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      quoted += fmt::format("\\u{:04X}", static_cast<unsigned char>(c));
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

// The shortest text that reads back as the same number; zero has no sign.
std::string number_text(double value) { return fmt::format("{}", value + 0.0); }

// The grammar names the plain keys of a table before its sub-tables, as TOML wants them.
class Writer final : public Visitor {
 public:
  std::string take() { return std::move(out_); }

  void number(const Key& key, double& value, const Range&) override {
    put(key, number_text(value));
  }
  void integer(const Key& key, int& value, const Range&) override {
    put(key, fmt::format("{}", value));
  }
  void flag(const Key& key, bool& value) override { put(key, value ? "true" : "false"); }
  void name(const Key& key, std::string& value) override { put(key, quote(value)); }
  void file(const Key& key, FileSpec& value) override { put(key, quote(value.resolved())); }
  void choice(const Key& key, int& value, std::span<const std::string> words) override {
    put(key, quote(words[static_cast<std::size_t>(value)]));
  }
  void vector(const Key& key, std::span<double> values, const VectorRule&) override {
    std::string text;
    for (const double value : values) text += (text.empty() ? "" : ", ") + number_text(value);
    put(key, "[" + text + "]");
  }

  void table(const Key& key, const std::function<void()>& body) override {
    if (inline_depth_ > 0 || *key.type) {
      put(key, braces(body));
    } else {
      section(key, "[", "]", body);
    }
  }

  void list(const Key& key, std::size_t, std::size_t count,
            const std::function<void(std::size_t)>& item) override {
    std::string items;
    for (std::size_t i = 0; i < count; ++i) {
      const auto body = [&] { item(i); };
      if (inline_depth_ > 0) {
        items += (items.empty() ? "" : ", ") + braces(body);
      } else {
        section(key, "[[", "]]", body);
      }
    }
    if (inline_depth_ > 0) put(key, "[" + items + "]");
  }

  void one_of(std::span<const Alternative> alternatives) override {
    for (const Alternative& alternative : alternatives) {
      if (alternative.is_active) alternative.visit();
    }
  }

  bool has(const char*, bool in_scene) override { return in_scene; }

 private:
  void put(const Key& key, const std::string& value) {
    if (inline_depth_ > 0) {
      out_ += fmt::format("{}{} = {}", out_.empty() ? "" : ", ", key.name, value);
    } else {
      out_ += fmt::format("{} = {}\n", key.name, value);
    }
  }

  std::string braces(const std::function<void()>& body) {
    std::string outside = std::exchange(out_, {});
    ++inline_depth_;
    body();
    --inline_depth_;
    const std::string inside = std::exchange(out_, std::move(outside));
    return inside.empty() ? "{}" : "{ " + inside + " }";
  }

  void section(const Key& key, const char* open, const char* close,
               const std::function<void()>& body) {
    const std::string outer = path_;
    path_ += (path_.empty() ? "" : ".") + std::string(key.name);
    out_ += fmt::format("\n{}{}{}\n", open, path_, close);
    body();
    path_ = outer;
  }

  std::string out_;
  std::string path_;  // of the current section
  int inline_depth_ = 0;
};

}  // namespace

std::string write_scene(const Scene& scene) {
  Writer writer;
  Scene copy = scene;  // visitors may write to what they visit; this one does not
  describe(writer, copy);
  return "# A scene with every default spelled out, written by Spindrift.\n" + writer.take();
}

}  // namespace spindrift
