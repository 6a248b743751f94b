// The liquid against theory: the second half of docs/validation.md, as Markdown on stdout.
//
//   liquid_validation [--quick] [--only NAME] [--seed N] [--kept FOLDER] [--plots FOLDER]
//                     [--images LINK]
//
// --quick leaves out what is long; --only runs one experiment, --seed one random scene, frame by
// frame. --kept keeps the outcomes of random scenes there, and takes those that this very program
// left. --plots writes the curves as SVG, and LINK is where the page finds them. Bounds that are
// not met are said, and are no failure of this program.
#include <algorithm>
#include <exception>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "spindrift/core/stats.hpp"
#include "spindrift/core/text.hpp"

#include "experiments.hpp"

namespace spindrift::validation {
namespace {

struct Options {
  ExperimentOptions experiment;
  std::string only, images = "images";
  std::filesystem::path plots;
};

const std::vector<Experiment>& experiments() {
  static const std::vector<Experiment> all = {
      {"pool", "A pool at rest", pool_at_rest},
      {"drop", "A falling drop", falling_drop},
      {"wave", "A standing wave", standing_wave},
      {"interpolants", "The wave with other interpolants", interpolants_in_a_wave},
      {"dam", "Dam break", dam_break},
      {"splash", "A drop falls into a pool", drop_into_pool},
      {"spray", "Spray", spray},
      {"books", "Sources, sinks and open sides", sources_and_sinks},
      {"random", "Random scenes", random_scenes},
  };
  return all;
}

[[noreturn]] void explain_usage() {
  std::string names;
  for (const Experiment& experiment : experiments()) names += " " + experiment.name;
  fmt::print(stderr,
             "usage: liquid_validation [--quick] [--only NAME] [--seed N] [--kept FOLDER] "
             "[--plots FOLDER] [--images LINK]\nexperiments:{}\n",
             names);
  std::exit(2);
}

Options read_options(int count, char** arguments) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string word = arguments[i];
    if (word == "--quick") {
      options.experiment.is_quick = true;
      continue;
    }
    if (i + 1 == count) explain_usage();
    const std::string value = arguments[++i];
    if (word == "--only") {
      options.only = value;
    } else if (word == "--seed") {
      options.experiment.seed = std::stoull(value);
    } else if (word == "--kept") {
      options.experiment.kept = value;
    } else if (word == "--plots") {
      options.plots = value;
    } else if (word == "--images") {
      options.images = value;
    } else {
      explain_usage();
    }
  }
  const auto is_meant = [&](const Experiment& e) { return e.name == options.only; };
  const auto& all = experiments();
  if (!options.only.empty() && std::none_of(all.begin(), all.end(), is_meant)) explain_usage();
  return options;
}

void write_plots(const std::vector<Plot>& plots, const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  for (const Plot& plot : plots) {
    const auto path = folder / ("liquid_" + plot.name + ".svg");
    std::ofstream file(path);
    if (!(file << to_svg(plot) << std::flush)) {
      throw std::runtime_error(fmt::format("{} cannot be written", path.string()));
    }
  }
}

// An experiment that throws is one that does not meet its bounds; the others still run.
Result run_guarded(const Experiment& experiment, const ExperimentOptions& options) {
  try {
    return experiment.run(options);
  } catch (const std::exception& error) {
    return {"The experiment did not end.",
            {required("", "runs", "to its end", error.what(), false)},
            {},
            ""};
  }
}

int run(const Options& options) {
  int asked = 0;
  std::vector<std::string> missed;
  for (const Experiment& experiment : experiments()) {
    if (!options.only.empty() && experiment.name != options.only) continue;
    progress(experiment.title);
    const Stopwatch watch;
    const Result result = run_guarded(experiment, options.experiment);
    progress(fmt::format("  took {}", duration_text(watch.seconds())));
    if (!options.plots.empty()) write_plots(result.plots, options.plots);
    fmt::print("{}", to_markdown(experiment, result, options.plots.empty() ? "" : options.images));
    std::fflush(stdout);
    for (const Row& row : result.rows) {
      asked += row.is_met ? 1 : 0;
      if (row.is_met && !*row.is_met) {
        missed.push_back(fmt::format("{}, {}, {}: {} instead of {}", experiment.title, row.setting,
                                     row.quantity, row.measured, row.asked));
      }
    }
  }
  fmt::print("### Summary\n\n{} of {} bounds are met{}\n\n", asked - std::ssize(missed), asked,
             missed.empty() ? "." : ". Not met:");
  for (const std::string& line : missed) fmt::print("- {}\n", line);
  if (!missed.empty()) fmt::print("\n");
  return 0;
}

}  // namespace
}  // namespace spindrift::validation

int main(int count, char** arguments) {
  try {
    return spindrift::validation::run(spindrift::validation::read_options(count, arguments));
  } catch (const std::exception& error) {
    fmt::print(stderr, "liquid_validation: {}\n", error.what());
    return 1;
  }
}
