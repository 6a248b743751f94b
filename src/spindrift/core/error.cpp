#include "spindrift/core/error.hpp"

#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

namespace spindrift {

std::string Location::text() const {
  if (byte >= 0) return fmt::format("{}: byte {}", file, byte);
  if (line > 0 && column > 0) return fmt::format("{}:{}:{}", file, line, column);
  if (line > 0) return fmt::format("{}:{}", file, line);
  return file;
}

namespace {

std::string compose(const Location& location, const std::string& problem,
                    const std::string& advice) {
  std::string text = location.text();
  if (!text.empty()) text += ": ";
  text += problem;
  if (!advice.empty()) text += "; " + advice;
  return text;
}

}  // namespace

Error::Error(ErrorKind kind, Location location, std::string problem, std::string advice)
    : std::runtime_error(compose(location, problem, advice)),
      kind_(kind),
      location_(std::move(location)),
      problem_(std::move(problem)),
      advice_(std::move(advice)) {}

void assertion_failed(const char* expression, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: internal error: %s does not hold; please report this\n", file, line,
               expression);
  std::abort();
}

}  // namespace spindrift
