// The layers that a scene is made of: base files, the file itself, overrides of the command line.
#pragma once

#include <filesystem>
#include <string>

#include "spindrift/scene/document.hpp"

namespace spindrift::toml_tree {

// Lays one tree over another: tables key by key, everything else as a whole.
void lay_over(Value& under, Value over);

// The tree of a scene file, laid over its base, and over the base of that.
[[nodiscard]] Value load_layers(const std::filesystem::path& path);

// Throws InputError unless the tree says that it is a scene of the format that we read.
void check_format(const Value& root);

// Applies `section.key=value`; `layer` counts from 1 in the order of the command line.
void apply_override(Value& root, const std::string& assignment, int layer);

}  // namespace spindrift::toml_tree
