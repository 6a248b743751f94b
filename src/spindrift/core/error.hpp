// Errors that a user can act on: what is wrong, where, and what to do about it.
//
//   throw InputError({.file = "dam.toml", .line = 12, .column = 9},
//                    "radius is -0.2", "write a positive length in metres");
//
// prints as `dam.toml:12:9: radius is -0.2; write a positive length in metres`.
// Bugs are not errors: they hit SPINDRIFT_ASSERT. A numerical failure that a caller is expected to
// handle is a [[nodiscard]] report, not an exception.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace spindrift {

// A place in an input. Text files have a line and a column (from 1), binary files a byte offset.
struct Location {
  std::string file;
  int line = 0;            // 0: unknown
  int column = 0;          // 0: unknown
  std::int64_t byte = -1;  // -1: not a binary file

  // `file:line:column`, `file: byte N`, or as much of it as is known.
  [[nodiscard]] std::string text() const;
};

// The exit code of the command that fails with it (design: 2, 3, 4, 130).
enum class ErrorKind { bad_input = 2, numerical = 3, system = 4, interrupted = 130 };

class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, Location location, std::string problem, std::string advice);

  [[nodiscard]] ErrorKind kind() const { return kind_; }
  [[nodiscard]] const Location& location() const { return location_; }
  [[nodiscard]] const std::string& problem() const { return problem_; }
  [[nodiscard]] const std::string& advice() const { return advice_; }

 private:
  ErrorKind kind_;
  Location location_;
  std::string problem_;
  std::string advice_;
};

// The user's input is wrong.
class InputError : public Error {
 public:
  explicit InputError(Location location, std::string problem, std::string advice = {})
      : Error(ErrorKind::bad_input, std::move(location), std::move(problem), std::move(advice)) {}
};

// The machine failed us: disk full, no permission, out of memory.
class SystemError : public Error {
 public:
  explicit SystemError(Location location, std::string problem, std::string advice = {})
      : Error(ErrorKind::system, std::move(location), std::move(problem), std::move(advice)) {}
};

// Reports a broken invariant of ours and aborts.
[[noreturn]] void assertion_failed(const char* expression, const char* file, int line);

}  // namespace spindrift

// Always on: for checks that are cheap beside the work they guard.
#define SPINDRIFT_ASSERT(expression) \
  ((expression) ? void(0) : ::spindrift::assertion_failed(#expression, __FILE__, __LINE__))

// On in debug builds only: for checks inside hot loops.
#ifdef NDEBUG
#define SPINDRIFT_DEBUG_ASSERT(expression) void(0)
#else
#define SPINDRIFT_DEBUG_ASSERT(expression) SPINDRIFT_ASSERT(expression)
#endif
