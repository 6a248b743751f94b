// What commands print on standard output: words for people, or JSON objects, one a line.
#pragma once

#include <cstdio>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "spindrift/core/error.hpp"
#include "spindrift/core/vec.hpp"

namespace spindrift::app {

// Keeps the order in which keys are added.
using Json = nlohmann::ordered_json;

// A line at once, also into a pipe: a reader may be waiting for it.
template <class... Args>
void print_line(fmt::format_string<Args...> format, Args&&... args) {
  fmt::print("{}\n", fmt::format(format, std::forward<Args>(args)...));
  std::fflush(stdout);
}

void print_json(const Json& object);

[[nodiscard]] Json to_json(const Vec3& v);
[[nodiscard]] Json to_json(const Box3& box);
// {"file", "line", "column"} or {"file", "byte"}, as far as known.
[[nodiscard]] Json to_json(const Location& location);
// The location's keys, then "problem" and "advice".
[[nodiscard]] Json to_json(const Error& error);

// "(1, 2, 3)" with up to four digits each.
[[nodiscard]] std::string point_text(const Vec3& v);
// "2 x 1 x 1 m".
[[nodiscard]] std::string size_text(const Vec3& size);

}  // namespace spindrift::app
