// The spray of scenes/spray.toml, with thickening and without [Chentanez 2007, figure 4]: how much
// of what was poured is there, and whether the mesh is where the liquid is.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "experiments.hpp"
#include "support/scene_run.hpp"

namespace spindrift::validation {
namespace {

struct SprayRun {
  Curve volume, hanging;         // % of what was poured, % of the vertices, over time
  double worst_hanging = 0;      // %
  double least = 100, last = 0;  // % of what was poured; the least after the first half second
  double mean_hanging = 0;       // %
};

SprayRun run_spray(const std::string& scene, const std::string& name,
                   const ExperimentOptions& options) {
  const std::filesystem::path file =
      std::filesystem::path(SPINDRIFT_SOURCE_DIR) / "scenes" / (scene + ".toml");
  test::SceneRun run(load_scene(file, std::vector<std::string>{fmt::format(
                                          "resolution.cells={}", options.is_quick ? 32 : 64)}));
  SprayRun result{.volume = {name}, .hanging = {name}};
  const int frames = options.is_quick ? 12 : run.scene.time.frames;
  for (int frame = 1; frame <= frames; ++frame) {
    const FrameReport report = run.liquid.advance_frame();
    const double there = 100 * (1 + report.volume_drift);
    const double hanging = 100 * report.hanging;
    result.volume.points.emplace_back(report.time, there);
    result.hanging.points.emplace_back(report.time, hanging);
    result.worst_hanging = std::max(result.worst_hanging, hanging);
    result.mean_hanging += hanging / frames;
    if (report.time > 0.5) result.least = std::min(result.least, there);
    result.last = there;
    if (frame % 12 == 0) {
      progress(fmt::format("  {}, {:.1f} s: volume {:.3g} %, {:.2g} % off the mesh", name,
                           report.time, there, hanging));
    }
  }
  return result;
}

}  // namespace

Result spray(const ExperimentOptions& options) {
  Result result;
  result.about = fmt::format(
      "`scenes/spray.toml`, in which a jet hits a ball and opens into a sheet, with {} cells, and "
      "`scenes/spray_no_thickening.toml`; volume control is off. *Off the mesh*: vertices of the "
      "surface farther than half a cell from all tetrahedra.",
      options.is_quick ? 32 : 64);
  Plot volume{"spray_volume", "Spray: volume of what was poured", "time in s", "%", {}};
  Plot hanging{"spray_hanging", "Spray: surface off the mesh", "time in s", "% of vertices", {}};
  for (const bool has_thickening : {true, false}) {
    const std::string name = has_thickening ? "thickening" : "no thickening";
    SprayRun run = run_spray(has_thickening ? "spray" : "spray_no_thickening", name, options);
    if (has_thickening) {
      result.rows.push_back(
          bounded(name, "off the mesh, worst frame", 0.1, run.worst_hanging, "% of vertices"));
    } else {
      result.rows.push_back(reported(name, "off the mesh, worst frame",
                                     fmt::format("{:.3g} % of vertices", run.worst_hanging)));
    }
    result.rows.push_back(reported(name, "off the mesh, mean of frames",
                                   fmt::format("{:.3g} % of vertices", run.mean_hanging)));
    result.rows.push_back(reported(name, "volume, least after half a second",
                                   fmt::format("{:.3g} % of what was poured", run.least)));
    result.rows.push_back(
        reported(name, "volume, at the end", fmt::format("{:.3g} % of what was poured", run.last)));
    volume.curves.push_back(std::move(run.volume));
    hanging.curves.push_back(std::move(run.hanging));
  }
  result.plots = {std::move(volume), std::move(hanging)};
  return result;
}

}  // namespace spindrift::validation
