// Scenes made by chance: none may throw, leak, grow without end or tear its surface.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "experiments.hpp"
#include "kept_runs.hpp"
#include "support/random_runs.hpp"

namespace spindrift::validation {
namespace {

constexpr double kSeconds = 2;

struct Worst {
  double value = 0;
  int seed = 0;
  void take(double other, int its_seed) {
    if (other <= value) return;
    value = other;
    seed = its_seed;
  }
};

// What its books say at a frame.
void print_frame(const FrameReport& report, double booked) {
  const VolumeBook& book = report.ledger.book;
  const double litre = 1e-3;
  std::string bodies;
  for (const BodyBook& body : report.ledger.bodies) {
    bodies += fmt::format(" {:.3g}/{:.3g}", body.volume / litre, body.target / litre);
  }
  progress(fmt::format(
      "  frame {} ({} steps): {:.4g} of {:.4g} l, in flight {:.3g}, thin parts show "
      "{:+.3g}, specks {:+.3g}, obstacles {:+.3g}, correction {:+.4g}; {:.3g} m/s, {} "
      "tetrahedra; bodies{}",
      report.frame, report.steps, report.volume / litre, booked / litre, book.in_flight / litre,
      book.thickening / litre, book.specks / litre, book.obstacles / litre, book.correction / litre,
      report.max_speed, report.tets, bodies));
}

Result one_scene(std::uint64_t seed, const KeptRuns& kept) {
  const std::string toml = test::random_scene(seed);
  const test::RandomRun run = test::run_scene(toml, kSeconds, print_frame);
  kept.keep(seed, run);
  Result result;
  result.about = fmt::format("```toml\n{}```", toml);
  const std::string name = fmt::format("seed {}", seed);
  result.rows.push_back(required(name, "trouble", "none",
                                 run.trouble.empty() ? "none" : run.trouble, run.trouble.empty()));
  result.rows.push_back(reported(name, "steps", fmt::format("{}", run.steps)));
  result.rows.push_back(reported(name, "greatest speed", fmt::format("{:.3g} m/s", run.speed)));
  result.rows.push_back(
      reported(name, "energy, as a share of what it may be", fmt::format("{:.2g}", run.energy)));
  result.rows.push_back(reported(name, "volume against the books, worst frame",
                                 fmt::format("{:.3g} %", 100 * run.drift)));
  result.rows.push_back(reported(name, "volume against the books, at the end",
                                 fmt::format("{:.3g} %", 100 * run.last_drift)));
  result.rows.push_back(reported(name, "took", fmt::format("{:.3g} s", run.seconds)));
  return result;
}

test::RandomRun outcome(std::uint64_t seed, const KeptRuns& kept) {
  if (const std::optional<test::RandomRun> run = kept.find(seed)) return *run;
  test::RandomRun run = test::run_scene(test::random_scene(seed), kSeconds);
  kept.keep(seed, run);
  return run;
}

}  // namespace

Result random_scenes(const ExperimentOptions& options) {
  const KeptRuns kept(options.kept);
  if (options.seed) return one_scene(*options.seed, kept);
  const int count = options.is_quick ? 20 : 120;
  Result result;
  int failed = 0;
  int steps = 0;
  Worst leak;
  Worst speed;
  Worst energy;
  // With volume control, and without.
  struct Drifts {
    std::vector<double> worst, last;
    Worst worst_scene, last_scene;
  };
  std::array<Drifts, 2> drifts;
  for (int seed = 1; seed <= count; ++seed) {
    // Before it runs: an assertion ends the program.
    progress(fmt::format("  seed {}", seed));
    const test::RandomRun run = outcome(static_cast<std::uint64_t>(seed), kept);
    steps += run.steps;
    leak.take(run.leak, seed);
    speed.take(run.speed, seed);
    energy.take(run.energy, seed);
    Drifts& of_kind = drifts[run.has_control ? 0 : 1];
    of_kind.worst.push_back(run.drift);
    of_kind.last.push_back(run.last_drift);
    of_kind.worst_scene.take(run.drift, seed);
    of_kind.last_scene.take(run.last_drift, seed);
    progress(
        fmt::format("    {} frames, {} steps, {:.3g} m/s, {:.0f} % full, volume {:.2g} %, {:.2g} % "
                    "at the end, energy {:.2g}",
                    run.frames, run.steps, run.speed, 100 * run.fullness, 100 * run.drift,
                    100 * run.last_drift, run.energy));
    if (run.trouble.empty()) continue;
    ++failed;
    progress(fmt::format("  seed {}: {}", seed, run.trouble));
    result.notes +=
        fmt::format("{}- seed {}: {}", result.notes.empty() ? "" : "\n", seed, run.trouble);
  }
  result.about = fmt::format(
      "{} scenes of 12 to 20 cells, {} s each ({} steps in all): bodies, obstacles at rest, "
      "spinning and keyframed, sources, sinks, open sides, any gravity. Each must run to its end, "
      "stay "
      "finite, keep its surface closed and manifold, stay in the domain and out of obstacles by "
      "half a voxel, and have no more energy than the height of the domain, the velocities of "
      "bodies and sources and three times that of obstacles allow. The books leave out what has no "
      "room in the domain and, without volume control, what moving obstacles cut off. "
      "`liquid_validation --only random --seed N` runs and prints one.",
      count, kSeconds, steps);
  const std::string name = fmt::format("{} seeds", count);
  result.rows.push_back(required(name, "scenes without trouble", fmt::format("{}", count),
                                 fmt::format("{}", count - failed), failed == 0));
  result.rows.push_back(reported(name, "farthest vertex out of the domain or into an obstacle",
                                 fmt::format("{:.3g} voxels (seed {})", leak.value, leak.seed)));
  result.rows.push_back(reported(name, "greatest speed",
                                 fmt::format("{:.3g} m/s (seed {})", speed.value, speed.seed)));
  result.rows.push_back(reported(name, "energy, as a share of what it may be",
                                 fmt::format("{:.2g} (seed {})", energy.value, energy.seed)));
  for (const bool has_control : {true, false}) {
    Drifts& of_kind = drifts[has_control ? 0 : 1];
    const std::string kind = fmt::format("{} of them {} volume control", of_kind.last.size(),
                                         has_control ? "with" : "without");
    const auto report = [&](const std::string& when, std::vector<double>& all, const Worst& worst) {
      if (all.empty()) return;
      std::sort(all.begin(), all.end());
      const auto share = [&](double part) {
        return 100 * all[static_cast<std::size_t>(part * static_cast<double>(all.size() - 1))];
      };
      result.rows.push_back(reported(
          kind, fmt::format("volume against the books, {}: median, nine in ten, worst scene", when),
          fmt::format("{:.2g} %, {:.3g} % and {:.3g} % (seed {})", share(0.5), share(0.9),
                      100 * worst.value, worst.seed)));
    };
    report("worst frame", of_kind.worst, of_kind.worst_scene);
    report("at the end", of_kind.last, of_kind.last_scene);
  }
  return result;
}

}  // namespace spindrift::validation
