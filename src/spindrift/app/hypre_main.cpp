// spindrift-hypre: solves a linear system with hypre over several processes.
//
//   mpirun -n 2 spindrift-hypre FILE
//
// A program of its own, because mpirun starts processes and the spindrift command is one. Prints
// one JSON object: seconds of set-up and solve, iterations, relative residual, bytes of all levels.
#include <cstdio>

#include <CLI/CLI.hpp>

#include "spindrift/app/output.hpp"
#include "spindrift/core/error.hpp"
#include "spindrift/core/memory.hpp"
#include "spindrift/linear/hypre_solver.hpp"
#include "spindrift/linear/system_file.hpp"

namespace spindrift::app {
namespace {

struct HypreOptions {
  std::string file;
  HypreParams hypre;
  SolveParams solve;
};

// The exit code.
int solve_system(const HypreOptions& options, const HypreRank& process) {
  const SystemRows own = read_system(options.file, process.rank, process.count);
  if (own.all_rows < process.count) {
    throw InputError({.file = options.file},
                     fmt::format("has {} rows for {} processes", own.all_rows, process.count),
                     "start fewer");
  }
  HypreSolver solver(own.matrix, own.first_row, options.hypre);
  Buffer<double> x(own.right_hand_side.size(), 0.0);
  const SolveReport report = solver.solve(own.right_hand_side, x, options.solve);
  if (process.rank == 0) {
    nlohmann::ordered_json levels = nlohmann::ordered_json::array();
    for (const LevelReport& level : solver.setup().levels) {
      levels.push_back({{"rows", level.rows}, {"nonzeros", level.nonzeros}});
    }
    print_json({{"processes", process.count},
                {"setup", solver.setup().seconds},
                {"solve", report.seconds},
                {"iterations", report.iterations},
                {"residual", report.residual()},
                {"bytes", solver.setup().bytes},
                {"operator_complexity", solver.setup().operator_complexity()},
                {"levels", levels},
                {"has_converged", report.has_converged}});
    if (!report.has_converged) fmt::print(stderr, "spindrift-hypre: {}\n", report.problem);
  }
  return report.has_converged ? 0 : static_cast<int>(ErrorKind::numerical);
}

int run_hypre(int argc, char** argv) {
  HypreOptions options;
  CLI::App app("Solves a linear system with hypre; to be started by mpirun", "spindrift-hypre");
  app.add_option("file", options.file, "the system, as write_system writes it")->required();
  app.add_option("--tolerance", options.solve.tolerance, "of the relative residual")
      ->capture_default_str();
  app.add_option("--max-iterations", options.solve.max_iterations)->capture_default_str();
  app.add_option("--strength", options.hypre.strength, "of connections to interpolate from")
      ->capture_default_str();
  app.add_option("--aggressive-levels", options.hypre.aggressive_levels)->capture_default_str();
  const HypreRank process = hypre_rank();
  try {
    app.parse(argc, argv);
    return solve_system(options, process);
  } catch (const CLI::ParseError& error) {
    if (process.rank != 0) return error.get_exit_code() == 0 ? 0 : 2;
    return app.exit(error) == 0 ? 0 : static_cast<int>(ErrorKind::bad_input);
  } catch (const Error& error) {
    fmt::print(stderr, "spindrift-hypre: {}\n", error.what());
    if (process.count > 1) abort_hypre(static_cast<int>(error.kind()));
    return static_cast<int>(error.kind());
  }
}

}  // namespace
}  // namespace spindrift::app

int main(int argc, char** argv) {
  spindrift::keep_freed_memory();
  return spindrift::app::run_hypre(argc, argv);
}
