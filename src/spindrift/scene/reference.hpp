// The grammar for people and for their editors: the tables of docs/scene.md and a JSON Schema.
#pragma once

#include <string>

namespace spindrift {

// Markdown: for every table of a scene its keys with type, unit, range, default and meaning.
[[nodiscard]] std::string scene_reference_markdown();

// JSON Schema, draft 2020-12: docs/scene.schema.json.
[[nodiscard]] std::string scene_json_schema();

}  // namespace spindrift
