// spindrift bench: how fast the parts are on this machine.
#include "spindrift/app/bench.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>

#include <CLI/CLI.hpp>

#include "spindrift/app/command_line.hpp"
#include "spindrift/core/parallel.hpp"
#include "spindrift/core/stats.hpp"
#include "spindrift/core/text.hpp"

namespace spindrift::app {

namespace {

const std::map<std::string, void (*)(const BenchOptions&)>& benches() {
  static const std::map<std::string, void (*)(const BenchOptions&)> all = {
      {"cache", bench_cache},       {"contour", bench_contour}, {"frame", bench_frame},
      {"geometry", bench_geometry}, {"locate", bench_locate},   {"mesh", bench_mesh},
      {"pressure", bench_pressure}};
  return all;
}

std::string cell_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_integer()) return with_commas(value.get<std::int64_t>());
  if (value.is_number_float()) return fmt::format("{:.4g}", value.get<double>());
  return value.dump();
}

}  // namespace

void BenchTable::add(const Json& row) {
  if (json_) {
    Json object = {{"bench", bench_}};
    object.update(row);
    print_json(object);
    return;
  }
  std::vector<std::string> keys;
  std::string title, line;
  for (const auto& [key, value] : row.items()) {
    keys.push_back(key);
    const std::size_t width = std::max<std::size_t>(16, key.size() + 2);
    title += fmt::format("{:>{}}", key, width);
    line += fmt::format("{:>{}}", cell_text(value), width);
  }
  if (keys != header_) {
    header_ = keys;
    print_line("{}", title);
  }
  print_line("{}", line);
}

std::vector<int> bench_threads() {
  if (thread_limit() == 1) return {1};
  return {1, thread_limit()};
}

double best_seconds(int repeats, const std::function<void()>& work) {
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < repeats; ++i) {
    const Stopwatch watch;
    work();
    best = std::min(best, watch.seconds());
  }
  return best;
}

void add_bench(CLI::App& app, Action& action) {
  struct Options : BenchOptions {
    std::string name;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("bench", "Measure how fast the parts are here");
  std::vector<std::string> names;
  for (const auto& [name, run] : benches()) names.push_back(name);
  command->add_option("NAME", options->name, "Which: " + join_with_or(names))
      ->required()
      ->option_text(" ")
      ->check(CLI::IsMember(names));
  command->add_flag("--quick", options->quick, "Small sizes: under 40 s");
  command
      ->add_option("--tets", options->tets,
                   "cache, frame, pressure: only meshes of about so many tetrahedra")
      ->check(CLI::PositiveNumber)
      ->type_name("N");
  command->add_flag("--json", options->json, "Print one JSON object a row");
  command->callback([options, &action] {
    action.run = [options] {
      benches().at(options->name)(*options);
      return 0;
    };
  });
}

}  // namespace spindrift::app
