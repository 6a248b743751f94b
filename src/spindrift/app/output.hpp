// What commands print on standard output: words for people, or JSON objects, one a line.
#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "spindrift/core/error.hpp"
#include "spindrift/core/vec.hpp"
#include "spindrift/geometry/point_text.hpp"

namespace spindrift::app {

// Keeps the order in which keys are added.
using Json = nlohmann::ordered_json;

// A line at once, also into a pipe: a reader may be waiting for it. That it arrived is checked
// once, at the end of the command.
void print_text(std::string line);

template <class... Args>
void print_line(fmt::format_string<Args...> format, Args&&... args) {
  print_text(fmt::format(format, std::forward<Args>(args)...));
}

void print_json(const Json& object);

// Progress goes to standard error, at once.
void write_to_terminal(std::string_view text);

[[nodiscard]] Json to_json(const Vec3& v);
[[nodiscard]] Json to_json(const Box3& box);
// {"file", "line", "column"} or {"file", "byte"}, as far as known.
[[nodiscard]] Json to_json(const Location& location);
// The location's keys, then "problem" and "advice".
[[nodiscard]] Json to_json(const Error& error);

// "2 x 1 x 1 m".
[[nodiscard]] std::string size_text(const Vec3& size);

}  // namespace spindrift::app
