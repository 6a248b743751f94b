// docs/scene.md and docs/scene.schema.json say what the code does.
//
// After a change of the grammar: SPINDRIFT_UPDATE_DOCS=1 scene_tests --gtest_filter='Docs.*'
// rewrites the generated parts of both.
#include <cstdlib>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "spindrift/core/file.hpp"
#include "spindrift/scene/read.hpp"
#include "spindrift/scene/reference.hpp"

#include "scene/minimal.hpp"
#include "support/temporary_folder.hpp"

namespace spindrift {
namespace {

const std::filesystem::path kDocs = SPINDRIFT_SOURCE_DIR "/docs";
const std::string kBegin = "<!-- reference: begin (generated, see tests/scene/docs_test.cpp) -->\n";
const std::string kEnd = "<!-- reference: end -->\n";
const char* const kAdvice =
    "run SPINDRIFT_UPDATE_DOCS=1 scene_tests --gtest_filter='Docs.*' and commit the result";

std::string text_of(const std::filesystem::path& path) {
  return std::string(read_file(path).view());
}

void expect_up_to_date(const std::filesystem::path& path, const std::string& expected) {
  const char* update = std::getenv("SPINDRIFT_UPDATE_DOCS");
  if (update && std::string(update) == "1") write_file(path, expected);
  EXPECT_TRUE(text_of(path) == expected) << path << " is out of date; " << kAdvice;
}

TEST(Docs, ReferenceTablesAreUpToDate) {
  const std::string text = text_of(kDocs / "scene.md");
  const std::size_t begin = text.find(kBegin), end = text.find(kEnd);
  ASSERT_NE(begin, std::string::npos);
  ASSERT_NE(end, std::string::npos);
  expect_up_to_date(kDocs / "scene.md", text.substr(0, begin) + kBegin + "\n" +
                                            scene_reference_markdown() + text.substr(end));
}

TEST(Docs, SchemaIsUpToDate) {
  expect_up_to_date(kDocs / "scene.schema.json", scene_json_schema());
}

// A fragment is completed with what it lacks; top-level keys have to come first.
std::string completed(const std::string& block) {
  const auto has = [&](const std::string& text) {
    return ("\n" + block).find("\n" + text) != std::string::npos;
  };
  if (has("format")) return block;
  std::string text = "format = 1\n" + block;
  if (!has("[domain]")) text += "\n[domain]\nmin = [-9, -9, -9]\nmax = [9, 9, 9]\n";
  if (!has("[resolution]")) text += "\n[resolution]\ncells = 64\n";
  return text;
}

TEST(Docs, EveryExampleIsAValidScene) {
  const test::TemporaryFolder folder;
  for (const auto& entry : std::filesystem::directory_iterator(SPINDRIFT_SOURCE_DIR "/scenes")) {
    std::filesystem::copy_file(entry.path(), folder / entry.path().filename().string());
  }
  const std::string text = text_of(kDocs / "scene.md");
  const std::string open = "```toml\n", close = "```\n";
  int count = 0;
  for (std::size_t at = text.find(open); at != std::string::npos; at = text.find(open, at)) {
    at += open.size();
    const std::size_t end = text.find(close, at);
    ASSERT_NE(end, std::string::npos);
    const std::string block = text.substr(at, end - at);
    const auto path = folder.write("example.toml", completed(block));
    EXPECT_NO_THROW((void)load_scene(path)) << completed(block);
    ++count;
  }
  EXPECT_GE(count, 8);
}

using Json = nlohmann::json;

// Calls visit(path, key) for every key of the schema; `path` leads to it as TOML with % in place.
void for_each_key(const Json& root, const Json& schema, const std::string& frame, int depth,
                  const std::function<void(const std::string&)>& visit) {
  if (schema.contains("$ref")) {
    const std::string name = schema["$ref"];
    if (depth < 3) {
      for_each_key(root, root.at(Json::json_pointer(name.substr(1))), frame, depth + 1, visit);
    }
    return;
  }
  const auto put = [](std::string text, const std::string& inside) {
    return text.replace(text.find('%'), 1, inside);
  };
  if (schema.contains("items") && schema["items"].value("type", "object") == "object") {
    for_each_key(root, schema["items"], put(frame, "[ % ]"), depth, visit);
  }
  if (!schema.contains("properties")) return;
  for (const auto& [key, value] : schema["properties"].items()) {
    // The document itself has no braces.
    const bool is_top = frame == "%";
    const std::string inside = put(frame, is_top ? key + " = %" : "{ " + key + " = % }");
    visit(inside);
    for_each_key(root, value, inside, depth, visit);
  }
}

TEST(Schema, EveryKeyIsKnownToTheReader) {
  const Json schema = Json::parse(scene_json_schema());
  EXPECT_EQ(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
  int count = 0;
  for_each_key(schema, schema, "%", 0, [&](const std::string& frame) {
    // No key of a scene is a date: a known key is told from an unknown one by the complaint.
    std::string text = frame;
    text.replace(text.find('%'), 1, "2026-01-01");
    if (text.find("format") == 0 || text.find("base") == 0) return;
    ++count;
    try {
      (void)parse_scene("format = 1\n" + text + "\n", "schema");
      ADD_FAILURE() << "accepted: " << text;
    } catch (const InputError& error) {
      EXPECT_NE(error.problem().find("is a date"), std::string::npos) << text << error.what();
    }
  });
  EXPECT_GT(count, 150);
}

TEST(Schema, AsksForWhatTheReaderAsksFor) {
  const Json schema = Json::parse(scene_json_schema());
  EXPECT_EQ(schema["required"], Json({"format"}));
  EXPECT_EQ(schema["else"]["required"], Json({"format", "domain", "resolution"}));
  EXPECT_EQ(schema["else"]["properties"]["domain"]["required"], Json({"min", "max"}));
  EXPECT_EQ(schema["else"]["properties"]["resolution"]["oneOf"].size(), 2u);
  EXPECT_EQ(schema["properties"]["obstacle"]["items"]["required"], Json({"shape"}));
  EXPECT_EQ(schema["$defs"]["shape"]["oneOf"].size(), 11u);
  EXPECT_EQ(schema["properties"]["time"]["properties"]["fps"]["default"], 24);
}

}  // namespace
}  // namespace spindrift
