#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "spindrift/scene/grammar.hpp"
#include "spindrift/scene/reference.hpp"

namespace spindrift {

namespace {

using Json = nlohmann::ordered_json;

class SchemaWriter final : public Visitor {
 public:
  // A scene with a `base` need not be complete: what makes one complete goes to `else`.
  Json take(Scene& scene) {
    Json root{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
              {"title", "Spindrift scene"}};
    Object object = visit([&] { describe(*this, scene); });
    root.update(object.shape);
    root["required"] = {"format"};
    object.constraints["properties"] = complete_sections_;
    root["if"] = {{"required", {"base"}}};
    root["then"] = true;
    root["else"] = object.constraints;
    root["$defs"] = definitions_;
    return root;
  }

  void number(const Key& key, double& value, const Range& range) override {
    Json schema = with_range("number", range);
    put(key, schema, value);
  }
  void integer(const Key& key, int& value, const Range& range) override {
    Json schema = with_range("integer", range);
    put(key, schema, value);
  }
  void flag(const Key& key, bool& value) override { put(key, {{"type", "boolean"}}, value); }
  void name(const Key& key, std::string& value) override {
    put(key, {{"type", "string"}, {"maxLength", 64}, {"pattern", "^[A-Za-z0-9_][A-Za-z0-9_.-]*$"}},
        value);
  }
  void file(const Key& key, FileSpec& value) override {
    put(key, {{"type", "string"}, {"minLength", 1}}, value.path);
  }
  void choice(const Key& key, int& value, std::span<const std::string> words) override {
    put(key, {{"enum", words}}, words[static_cast<std::size_t>(value)]);
  }
  void vector(const Key& key, std::span<double> values, const VectorRule& rule) override {
    const std::size_t largest = rule.smallest_size < 3 ? 3 : values.size();
    const Json item = with_range("number", rule.range);
    Json schema{{"type", "array"},
                {"items", item},
                {"minItems", std::min<std::size_t>(largest, rule.smallest_size)},
                {"maxItems", largest}};
    if (rule.takes_number) schema = {{"anyOf", {item, schema}}};
    put(key, schema, values);
  }

  void table(const Key& key, const std::function<void()>& body) override {
    if (*key.type || inline_depth_ > 0) {
      put(key, type_of(key, body));
      return;
    }
    Object object = visit(body);
    put(key, object.shape);
    if (!object.constraints.empty()) complete_sections_[key.name] = object.constraints;
  }

  void list(const Key& key, std::size_t least, std::size_t,
            const std::function<void(std::size_t)>& item) override {
    Json schema{{"type", "array"}, {"items", type_of(key, [&] { item(0); })}};
    if (least > 0) schema["minItems"] = least;
    put(key, schema);
  }

  void one_of(std::span<const Alternative> alternatives) override {
    Json choices = Json::array();
    for (const Alternative& alternative : alternatives) {
      choices.push_back({{"required", {alternative.name}}});
      is_alternative_ = true;
      alternative.visit();
    }
    objects_.back().constraints["oneOf"] = choices;
  }

  bool has(const char*, bool) override { return true; }

 private:
  struct Object {
    Json shape{{"type", "object"}, {"properties", Json::object()}, {"additionalProperties", false}};
    Json constraints = Json::object();  // required keys, alternatives
  };

  Object visit(const std::function<void()>& body) {
    objects_.emplace_back();
    body();
    Object object = std::move(objects_.back());
    objects_.pop_back();
    return object;
  }

  // The schema of a table that is written as a whole, or a reference to it if it has a name.
  Json type_of(const Key& key, const std::function<void()>& body) {
    const bool is_told = *key.type && definitions_.contains(key.type);
    Json schema;
    if (!is_told) {
      if (*key.type) definitions_[key.type] = nullptr;  // ends the recursion of shapes
      ++inline_depth_;
      Object object = visit(body);
      --inline_depth_;
      schema = std::move(object.shape);
      schema.update(object.constraints);
    }
    if (!*key.type) return schema;
    if (!is_told) definitions_[key.type] = std::move(schema);
    return {{"$ref", fmt::format("#/$defs/{}", key.type)}};
  }

  static Json with_range(const char* type, const Range& range) {
    Json schema{{"type", type}};
    const auto limit = [type](double value) {
      return std::string_view(type) == "integer" ? Json(static_cast<int>(value)) : Json(value);
    };
    if (range.low == range.high) return {{"const", limit(range.low)}};
    schema[range.excludes_low ? "exclusiveMinimum" : "minimum"] = limit(range.low);
    schema["maximum"] = limit(range.high);
    return schema;
  }

  void put(const Key& key, Json schema, const Json& value = nullptr) {
    Object& object = objects_.back();
    schema["description"] = key.meaning;
    const bool is_alternative = std::exchange(is_alternative_, false);
    if (key.required) {
      object.constraints["required"].push_back(key.name);
    } else if (!is_alternative && !*key.default_text && !value.is_null()) {
      schema["default"] = value;
    }
    object.shape["properties"][key.name] = std::move(schema);
  }

  std::vector<Object> objects_;
  Json definitions_ = Json::object();
  Json complete_sections_ = Json::object();
  int inline_depth_ = 0;
  bool is_alternative_ = false;  // the next key is
};

}  // namespace

std::string scene_json_schema() {
  Scene scene;
  return SchemaWriter().take(scene).dump(2) + "\n";
}

}  // namespace spindrift
