// The `spindrift` command: its subcommands, common options and exit codes.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace spindrift {
struct Scene;
struct SceneShapes;
}  // namespace spindrift

namespace spindrift::app {

class Simulation;

// What `run` simulates with. The scene and its shapes outlive the simulation.
using MakeSimulation = std::function<std::unique_ptr<Simulation>(const Scene&, const SceneShapes&)>;

// Parses, runs, and turns what goes wrong into a message on standard error and an exit code:
// 0 done, 2 bad input, 3 numerical failure, 4 the system failed, 130 interrupted, 1 a bug of ours.
[[nodiscard]] int run(int argc, char** argv, const MakeSimulation& make_simulation);

// What the chosen subcommand does.
struct Action {
  std::function<int()> run;        // returns the exit code; called after the common options are set
  std::vector<std::string> files;  // named on the command line, read or written: not for the log
};

// Each subcommand adds itself and stores its action when it is chosen.
void add_check(CLI::App& app, Action& action);
void add_mesh(CLI::App& app, Action& action);
void add_render(CLI::App& app, Action& action);
void add_info(CLI::App& app, Action& action);
void add_export(CLI::App& app, Action& action);
void add_run(CLI::App& app, Action& action, const MakeSimulation& make_simulation);
void add_bench(CLI::App& app, Action& action);
void add_view(CLI::App& app, Action& action);

}  // namespace spindrift::app
