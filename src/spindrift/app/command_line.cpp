#include "spindrift/app/command_line.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <new>
#include <string>

#include <CLI/CLI.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "spindrift/app/input_kind.hpp"
#include "spindrift/core/error.hpp"
#include "spindrift/core/log.hpp"
#include "spindrift/core/parallel.hpp"
#include "spindrift/core/text.hpp"

namespace spindrift::app {

namespace {

struct CommonOptions {
  int threads = 0;
  bool verbose = false, quiet = false;
  bool has_log_file = false;
  std::string log_file;
};

void add_common_options(CLI::App& app, CommonOptions& options) {
  app.add_option("--threads", options.threads, "Use N threads (default: all cores)")
      ->type_name("N")
      ->check(CLI::Range(1, 4096));
  app.add_flag("-v,--verbose", options.verbose, "Say more");
  app.add_flag("-q,--quiet", options.quiet, "Say only errors")->excludes("--verbose");
  app.add_option("--log", options.log_file, "Also write the log, in full, to FILE")
      ->type_name("FILE");
}

LogParams log_params(const CommonOptions& options) {
  LogParams params;
  if (options.verbose) params.terminal = LogLevel::debug;
  if (options.quiet) params.terminal = LogLevel::error;
  if (options.has_log_file) params.file = options.log_file;
  return params;
}

// The log is appended to: into a scene or a mesh, or under a picture, it would do harm.
void check_log_file(const std::string& log_file, const std::vector<std::string>& others) {
  const Location where{.file = "--log"};
  if (log_file.empty()) throw InputError(where, "names no file", "write --log FILE");
  for (const std::string& other : others) {
    if (!is_same_file(log_file, other)) continue;
    throw InputError(where, fmt::format("{} is also the input or the output", log_file),
                     "name another file");
  }
}

int report(const char* text, int exit_code) {
  if (log_wants(LogLevel::error)) {
    log_error("{}", text);
  } else {
    std::fprintf(stderr, "error: %s\n", text);
  }
  return exit_code;
}

// Results that did not reach their reader must not look like success.
int flush_output(int exit_code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return exit_code;
  return report("standard output cannot be written; is the disk full?",
                static_cast<int>(ErrorKind::system));
}

// A log that is not whole must not look like success either.
int finish_log(int exit_code) {
  try {
    close_log();
  } catch (const Error& error) {
    const int own_code = report(error.what(), static_cast<int>(error.kind()));
    if (exit_code == 0) return own_code;
  }
  return exit_code;
}

// A file must not be opened as one of the standard streams: what is printed would go into it. False
// if there is no standard output.
bool claim_standard_streams() {
  bool has_output = true;
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) >= 0) continue;
    if (stream == STDOUT_FILENO) has_output = false;
    // The lowest free number, which is this one. It stays open for good.
    if (::open("/dev/null", O_RDWR) < 0) return false;
  }
  return has_output;
}

int run_action(const Action& action, const CommonOptions& options) {
  try {
    if (options.has_log_file) check_log_file(options.log_file, action.files);
    open_log(log_params(options));
    std::unique_ptr<ThreadLimit> limit;
    if (options.threads > 0) limit = std::make_unique<ThreadLimit>(options.threads);
    return flush_output(action.run());
  } catch (const Error& error) {
    return report(error.what(), static_cast<int>(error.kind()));
  } catch (const std::bad_alloc&) {
    return report("out of memory; lower the resolution, or use a machine with more",
                  static_cast<int>(ErrorKind::system));
  } catch (const std::exception& bug) {
    return report((std::string("internal error: ") + bug.what() + "; please report this").c_str(),
                  1);
  }
}

// CLI11 says "a subcommand is required" to a misspelt one; this says which was meant.
std::string usage_problem(const CLI::App& app, const CLI::ParseError& error, int argc,
                          char** argv) {
  // Values of options look like commands too, but then the words are not what is wrong.
  const bool lacks_command = app.get_subcommands().empty() && error.get_name() == "RequiredError";
  const int words = lacks_command ? argc : 0;
  for (int i = 1; i < words; ++i) {
    const std::string word = argv[i];
    if (word.starts_with("-")) continue;
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
    if (std::find(names.begin(), names.end(), word) != names.end()) break;
    const std::string meant = nearest_word(word, names);
    const std::string advice =
        meant.empty() ? "write " + join_with_or(names) : "did you mean " + meant + "?";
    return fmt::format("there is no command '{}'; {}", word, advice);
  }
  return fmt::format("{}; 'spindrift --help' shows the usage", error.what());
}

}  // namespace

int run(int argc, char** argv, const MakeSimulation& make_simulation) {
  if (!claim_standard_streams()) {
    return report("standard output is closed; send it to a file, or to /dev/null",
                  static_cast<int>(ErrorKind::system));
  }
  CLI::App app("Spindrift animates liquids and gases on meshes that fit them.", "spindrift");
  app.set_version_flag("--version", "spindrift " SPINDRIFT_VERSION);
  app.require_subcommand(1);
  app.fallthrough();
  app.get_formatter()->column_width(34);
  app.footer(
      "Exit codes: 0 done, 2 bad input, 3 numerical failure, 4 the system failed, "
      "130 interrupted.\nRun 'spindrift COMMAND --help' for a command's options.");

  CommonOptions options;
  add_common_options(app, options);
  Action action;
  add_run(app, action, make_simulation);
  add_check(app, action);
  add_info(app, action);
  add_mesh(app, action);
  add_render(app, action);
  add_export(app, action);
  add_view(app, action);
  add_bench(app, action);

  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help_or_version) {
    return flush_output(app.exit(help_or_version));
  } catch (const CLI::ParseError& error) {
    std::fprintf(stderr, "error: %s\n", usage_problem(app, error, argc, argv).c_str());
    return static_cast<int>(ErrorKind::bad_input);
  }
  options.has_log_file = app.count("--log") > 0;
  return finish_log(run_action(action, options));
}

}  // namespace spindrift::app
