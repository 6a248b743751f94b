// Runs the spindrift command as a process.
#pragma once

#include <cstdlib>
#include <string>
#include <vector>

#include <sys/wait.h>

#include "spindrift/core/file.hpp"

#include "support/temporary_folder.hpp"

namespace spindrift::test {

struct CommandResult {
  int exit_code = -1;  // 128 + signal if it was killed
  std::string out, err;
};

inline std::string quoted(const std::string& word) {
  std::string result = "'";
  for (const char c : word) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

// In `folder`, so that messages name files as the user wrote them. `before`: shell commands that
// come first, such as "ulimit -f 1;".
inline CommandResult run_program(const std::string& program, const std::filesystem::path& folder,
                                 const std::vector<std::string>& arguments,
                                 const std::string& before = {}) {
  const TemporaryFolder streams;
  std::string line = "cd " + quoted(folder.string()) + " && { " + before + " " + quoted(program);
  for (const std::string& argument : arguments) line += " " + quoted(argument);
  line += "; } >" + quoted((streams.path() / "out").string());
  line += " 2>" + quoted((streams.path() / "err").string()) + " </dev/null";
  const int status = std::system(line.c_str());
  CommandResult result;
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  result.out = read_file(streams.path() / "out").view();
  result.err = read_file(streams.path() / "err").view();
  return result;
}

inline CommandResult run_command(const std::filesystem::path& folder,
                                 const std::vector<std::string>& arguments) {
  return run_program(SPINDRIFT_COMMAND, folder, arguments);
}

}  // namespace spindrift::test
