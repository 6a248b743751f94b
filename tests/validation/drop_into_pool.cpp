// A drop falls into a pool: how many pieces of liquid there are, how large, and whether all is
// there.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "experiments.hpp"
#include "support/scene_run.hpp"

namespace spindrift::validation {
namespace {

std::string pool_scene(bool has_thickening, bool is_quick) {
  return fmt::format(
      "format = 1\n[time]\nfps = 48\n[domain]\nmin = [0, 0, 0]\nmax = [1, 1, 0.8]\n"
      "[resolution]\ncells = {}\n[thickening]\nenabled = {}\n"
      "[[liquid.body]]\nshape = {{ box = {{ min = [0, 0, 0], max = [1, 1, 0.25] }} }}\n"
      "[[liquid.body]]\nshape = {{ sphere = {{ center = [0.51, 0.48, 0.4], radius = 0.08 }} }}\n"
      "velocity = [0, 0, -3]\n",
      is_quick ? 32 : 64, has_thickening);
}

struct PoolRun {
  Curve pieces, drops;     // how many, and litres in all but the largest, over time
  double worst_drift = 0;  // %
  std::size_t most_pieces = 0;
  double most_in_drops = 0, most_in_flight = 0, most_thickening = 0;  // litres
};

PoolRun run_pool(const std::string& name, bool has_thickening, const ExperimentOptions& options) {
  test::SceneRun run(pool_scene(has_thickening, options.is_quick));
  PoolRun result{.pieces = {name}, .drops = {name}};
  const int frames = static_cast<int>((options.is_quick ? 0.5 : 1.5) * run.scene.time.fps);
  for (int frame = 0; frame < frames; ++frame) {
    const FrameReport report = run.liquid.advance_frame();
    double largest = 0;
    double all = 0;
    for (const BodyBook& body : report.ledger.bodies) {
      largest = std::max(largest, body.volume);
      all += body.volume;
    }
    const double in_drops = 1000 * (all - largest);
    const std::size_t pieces = report.ledger.bodies.size();
    result.pieces.points.emplace_back(report.time, static_cast<double>(pieces));
    result.drops.points.emplace_back(report.time, in_drops);
    result.worst_drift = std::max(result.worst_drift, 100 * std::abs(report.volume_drift));
    result.most_pieces = std::max(result.most_pieces, pieces);
    // The drop itself, before it arrives, is no splash.
    if (pieces != 2 || frame > frames / 4) {
      result.most_in_drops = std::max(result.most_in_drops, in_drops);
    }
    result.most_in_flight = std::max(result.most_in_flight, 1000 * report.ledger.book.in_flight);
    result.most_thickening =
        std::max(result.most_thickening, 1000 * std::abs(report.ledger.book.thickening));
    if (report.frame % 12 == 0) {
      progress(fmt::format("  {}, {:.2f} s: {} pieces, {:.3g} litres in drops, volume {:+.3g} %",
                           name, report.time, pieces, in_drops, 100 * report.volume_drift));
    }
  }
  return result;
}

}  // namespace

Result drop_into_pool(const ExperimentOptions& options) {
  Result result;
  result.about = fmt::format(
      "A drop of 2.1 litres falls at 3 m/s into a pool of 1 m by 1 m, 0.25 m deep, with {} cells "
      "across, with thickening and without. *In flight*: in droplets too small for the surface's "
      "grid.",
      options.is_quick ? 32 : 64);
  Plot pieces{"splash_pieces", "A drop falls into a pool: pieces of liquid", "time in s", "", {}};
  Plot drops{"splash_drops",
             "A drop falls into a pool: all but the largest piece",
             "time in s",
             "litres",
             {}};
  for (const bool has_thickening : {true, false}) {
    const std::string name = has_thickening ? "thickening" : "no thickening";
    PoolRun run = run_pool(name, has_thickening, options);
    result.rows.push_back(bounded(name, "volume, worst frame", 0.5, run.worst_drift, "%"));
    result.rows.push_back(reported(name, "pieces at the most", fmt::format("{}", run.most_pieces)));
    result.rows.push_back(reported(name, "in all but the largest, at the most",
                                   fmt::format("{:.3g} litres", run.most_in_drops)));
    if (has_thickening) {
      result.rows.push_back(reported(name, "in flight, at the most",
                                     fmt::format("{:.3g} litres", run.most_in_flight)));
      result.rows.push_back(reported(name, "shown more or less than carried, at the most",
                                     fmt::format("{:.3g} litres", run.most_thickening)));
    }
    pieces.curves.push_back(std::move(run.pieces));
    drops.curves.push_back(std::move(run.drops));
  }
  result.plots = {std::move(pieces), std::move(drops)};
  return result;
}

}  // namespace spindrift::validation
