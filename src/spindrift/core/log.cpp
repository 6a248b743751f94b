#include "spindrift/core/log.hpp"

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include "spindrift/core/error.hpp"

namespace spindrift {

namespace {

spdlog::level::level_enum to_spdlog(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return spdlog::level::debug;
    case LogLevel::info:
      return spdlog::level::info;
    case LogLevel::warning:
      return spdlog::level::warn;
    case LogLevel::error:
      return spdlog::level::err;
    case LogLevel::off:
      break;
  }
  return spdlog::level::off;
}

std::shared_ptr<spdlog::logger> silent_logger() {
  auto logger = std::make_shared<spdlog::logger>("spindrift");
  logger->set_level(spdlog::level::off);
  return logger;
}

std::shared_ptr<spdlog::logger>& current() {
  static std::shared_ptr<spdlog::logger> logger = silent_logger();
  return logger;
}

LogLevel& terminal_level() {
  static LogLevel level = LogLevel::off;
  return level;
}

// What kept the log from being written, for close_log() to tell: a line that fails must not stop
// the work that it is about.
struct WriteFailure {
  std::mutex mutex;
  std::string file, first;  // `first` is empty: all is well
};

WriteFailure& write_failure() {
  static WriteFailure failure;
  return failure;
}

void note_failure(const std::string& message) {
  WriteFailure& failure = write_failure();
  const std::lock_guard lock(failure.mutex);
  if (failure.first.empty()) failure.first = message;
}

spdlog::sink_ptr open_file(const std::filesystem::path& path) {
  try {
    auto file = std::make_shared<spdlog::sinks::basic_file_sink_mt>(path.string());
    file->set_level(spdlog::level::debug);
    file->set_pattern("%Y-%m-%d %H:%M:%S.%e %l: %v");
    return file;
  } catch (const spdlog::spdlog_ex& failure) {
    throw SystemError({.file = path.string()},
                      std::string("the log cannot be opened: ") + failure.what(),
                      "choose a place that you may write to");
  }
}

}  // namespace

void open_log(const LogParams& params) {
  std::vector<spdlog::sink_ptr> sinks;
  auto terminal = std::make_shared<spdlog::sinks::stderr_color_sink_mt>();
  terminal->set_level(to_spdlog(params.terminal));
  terminal->set_pattern("%^%l:%$ %v");
  LogLevel least = params.terminal;
  sinks.push_back(std::move(terminal));
  if (params.file) {
    sinks.push_back(open_file(*params.file));
    least = LogLevel::debug;
  }
  auto logger = std::make_shared<spdlog::logger>("spindrift", sinks.begin(), sinks.end());
  logger->set_level(to_spdlog(least));
  logger->flush_on(spdlog::level::warn);
  logger->set_error_handler(note_failure);
  current() = std::move(logger);
  terminal_level() = params.terminal;
  write_failure().file = params.file ? params.file->string() : std::string();
  write_failure().first.clear();
}

void add_log_file(const std::filesystem::path& file) {
  std::vector<spdlog::sink_ptr> sinks = current()->sinks();
  sinks.push_back(open_file(file));
  auto logger = std::make_shared<spdlog::logger>("spindrift", sinks.begin(), sinks.end());
  logger->set_level(spdlog::level::debug);
  logger->flush_on(spdlog::level::debug);
  logger->set_error_handler(note_failure);
  current() = std::move(logger);
  if (write_failure().file.empty()) write_failure().file = file.string();
}

void close_log() {
  current()->flush();
  current() = silent_logger();
  terminal_level() = LogLevel::off;
  const std::string failure = std::exchange(write_failure().first, {});
  if (!failure.empty()) {
    throw SystemError({.file = write_failure().file}, "the log cannot be written: " + failure,
                      "free some space on that disk, or choose another place");
  }
}

bool log_wants(LogLevel level) {
  return level != LogLevel::off && current()->should_log(to_spdlog(level));
}

bool terminal_shows(LogLevel level) { return level != LogLevel::off && level >= terminal_level(); }

void log_line(LogLevel level, std::string_view line) {
  if (!log_wants(level)) return;
  current()->log(to_spdlog(level), spdlog::string_view_t(line.data(), line.size()));
}

}  // namespace spindrift
