#include "spindrift/app/hypre_runs.hpp"

#include <cmath>
#include <cstdio>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "spindrift/core/log.hpp"
#include "spindrift/linear/hypre_solver.hpp"
#include "spindrift/linear/system_file.hpp"

namespace spindrift::app {

namespace {

// Gone when it goes out of scope.
class TemporaryFile {
 public:
  TemporaryFile()
      : path_(std::filesystem::temp_directory_path() /
              fmt::format("spindrift-{}.system", ::getpid())) {}
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// What a command prints.
std::string output_of(const std::string& command) {
  std::string text;
  std::FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return text;
  char buffer[4096];
  for (std::size_t count; (count = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) {
    text.append(buffer, count);
  }
  ::pclose(pipe);
  return text;
}

}  // namespace

bool run_hypre(const CsrMatrix& a, std::span<const double> b, int processes, SetupReport& setup,
               SolveReport& solve) {
  if (!has_hypre()) return false;
  const auto program =
      std::filesystem::read_symlink("/proc/self/exe").parent_path() / "spindrift-hypre";
  const TemporaryFile file;
  write_system(file.path(), a, b);
  const std::string text = output_of(
      fmt::format("mpirun --allow-run-as-root --oversubscribe -n {} '{}' '{}' 2>/dev/null",
                  processes, program.string(), file.path().string()));
  const auto object = nlohmann::json::parse(text, nullptr, false);
  if (!object.is_object() || !object.contains("solve")) {
    log_warning("hypre over {} processes did not run; is mpirun there?", processes);
    return false;
  }
  setup.seconds = object.at("setup");
  setup.bytes = object.at("bytes");
  for (const auto& level : object.at("levels")) {
    setup.levels.push_back({level.at("rows"), level.at("nonzeros")});
  }
  solve.seconds = object.at("solve");
  solve.iterations = object.at("iterations");
  const auto& residual = object.at("residual");
  solve.residuals = {residual.is_null() ? std::nan("") : residual.get<double>()};
  solve.has_converged = object.at("has_converged");
  return true;
}

}  // namespace spindrift::app
