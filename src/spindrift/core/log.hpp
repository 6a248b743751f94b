// One log for all modules: silent until the application opens it.
//
// Library code calls log_info and friends; only the application decides where lines go. The
// terminal shows them on standard error, so that standard output carries results alone.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace spindrift {

enum class LogLevel { debug, info, warning, error, off };

struct LogParams {
  LogLevel terminal = LogLevel::info;         // least level shown on standard error
  std::optional<std::filesystem::path> file;  // appended to, always from `debug` up, with times
};

// Opens the log, replacing an earlier one. Throws SystemError if the file cannot be opened.
void open_log(const LogParams& params);

// Also writes to this file until the log is closed, like LogParams::file, and every line at once: a
// process that is killed leaves a log of what it did. Throws SystemError if it cannot be opened.
void add_log_file(const std::filesystem::path& file);

// Writes out what is buffered and goes silent again. Throws SystemError if the file lacks anything
// of what was logged.
void close_log();

void log_line(LogLevel level, std::string_view line);
[[nodiscard]] bool log_wants(LogLevel level);

// Does the terminal show this level? Whatever else is drawn there, such as progress, follows it.
[[nodiscard]] bool terminal_shows(LogLevel level);

template <class... Args>
void log_debug(fmt::format_string<Args...> format, Args&&... args) {
  if (log_wants(LogLevel::debug)) {
    log_line(LogLevel::debug, fmt::format(format, std::forward<Args>(args)...));
  }
}
template <class... Args>
void log_info(fmt::format_string<Args...> format, Args&&... args) {
  if (log_wants(LogLevel::info)) {
    log_line(LogLevel::info, fmt::format(format, std::forward<Args>(args)...));
  }
}
template <class... Args>
void log_warning(fmt::format_string<Args...> format, Args&&... args) {
  if (log_wants(LogLevel::warning)) {
    log_line(LogLevel::warning, fmt::format(format, std::forward<Args>(args)...));
  }
}
template <class... Args>
void log_error(fmt::format_string<Args...> format, Args&&... args) {
  if (log_wants(LogLevel::error)) {
    log_line(LogLevel::error, fmt::format(format, std::forward<Args>(args)...));
  }
}

}  // namespace spindrift
