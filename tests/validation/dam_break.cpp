// The dam break of scenes/dam_break.toml: volume, walls, energy, the state of the surface, and how
// smooth its calm end is.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>

#include <fmt/format.h>

#include "spindrift/geometry/mesh_check.hpp"
#include "spindrift/sim/gauge.hpp"
#include "spindrift/sim/scene_solids.hpp"

#include "experiments.hpp"
#include "support/leaks.hpp"
#include "support/scene_run.hpp"
#include "surface_roughness.hpp"

namespace spindrift::validation {
namespace {

// Potential energy of as much liquid at rest in the scene's tank, m^5 times density and gravity:
// filled slice by slice. Half of a ball of 0.22 m lies on its floor of 2 m by 1 m.
double level_moment(double volume) {
  constexpr double kSlice = 1e-5;  // m
  double moment = 0;
  double z = 0.5 * kSlice;
  for (double left = volume; left > 0; z += kSlice) {
    const double ball = std::numbers::pi * std::max(0.0, 0.22 * 0.22 - z * z);
    const double part = std::min(left, kSlice * (2 - ball));
    moment += part * z;
    left -= part;
  }
  return moment;
}

double energy_above_rest(const FrameReport& report) {
  return report.energy - 1000 * 9.81 * level_moment(report.volume);
}

// Heights away from walls and ball, a voxel apart.
HeightGrid calm_heights(const test::SceneRun& run, double voxel) {
  const Solids solids = scene_solids(run.scene, run.shapes);
  const SolidsAt now = solids.at(run.liquid.time());
  const Vec3 low(0.1, 0.1, 0);
  HeightGrid grid{.columns = static_cast<int>(0.8 / voxel),
                  .rows = static_cast<int>(0.8 / voxel),
                  .spacing = voxel,
                  .heights = {}};
  for (int j = 0; j < grid.rows; ++j) {
    for (int i = 0; i < grid.columns; ++i) {
      grid.heights.push_back(surface_height(run.liquid.distance(), now, solids.domain().box,
                                            low + voxel * Vec3(i, j, 0), voxel));
    }
  }
  return grid;
}

struct DamKind {
  std::string name;
  bool has_control = true, has_thickening = true;
};

struct DamRun {
  Curve drift, energy;                     // %, and a share of the start, over time
  double worst_drift = 0;                  // %
  double worst_leak = 0;                   // voxels, out of the domain or into the ball
  double greatest_growth = 0;              // of the energy between frames, share of the start
  double last_energy = 0;                  // share of the start
  int frames = 0, unsound = 0;             // frames whose surface is not closed and manifold
  double left = 0;                         // m^3, through the open top; negative
  double worst_hanging = 0;                // % of the vertices, off the mesh
  std::vector<RoughnessBand> roughness{};  // at the end
  double seconds = 0;
};

void tell(const std::string& name, const FrameReport& report, const DamRun& run) {
  progress(fmt::format(
      "  {}, {:.1f} s: volume {:+.3g} %, {:.3g} % at worst; energy {:.1f} %, grew by {:.2f} %; {} "
      "frames unsound",
      name, report.time, 100 * report.volume_drift, run.worst_drift,
      100 * run.energy.points.back().y(), 100 * run.greatest_growth, run.unsound));
}

DamRun run_dam(const DamKind& kind, const ExperimentOptions& options) {
  const std::string& name = kind.name;
  const std::filesystem::path file =
      std::filesystem::path(SPINDRIFT_SOURCE_DIR) / "scenes/dam_break.toml";
  const std::vector<std::string> overrides = {
      fmt::format("resolution.cells={}", options.is_quick ? 24 : 64),
      fmt::format("volume.control={}", kind.has_control),
      fmt::format("thickening.enabled={}", kind.has_thickening)};
  test::SceneRun run(load_scene(file, overrides));
  const double voxel = cell_size(run.scene) / run.scene.resolution.surface;
  const Stopwatch watch;
  DamRun result{.drift = {name}, .energy = {name}};
  const double start = energy_above_rest(run.liquid.report());
  double before = start;
  result.drift.points.emplace_back(0, 0);
  result.energy.points.emplace_back(0, 1);
  const int frames = static_cast<int>((options.is_quick ? 2 : 10) * run.scene.time.fps);
  for (; result.frames < frames; ++result.frames) {
    const FrameReport report = run.liquid.advance_frame();
    const double drift = 100 * report.volume_drift;
    const double energy = energy_above_rest(report);
    result.worst_drift = std::max(result.worst_drift, std::abs(drift));
    result.greatest_growth = std::max(result.greatest_growth, (energy - before) / start);
    result.drift.points.emplace_back(report.time, drift);
    result.energy.points.emplace_back(report.time, energy / start);
    before = energy;
    const TriangleMesh surface = run.liquid.surface().mesh;
    const test::Leak leak =
        test::greatest_leak(run.scene, run.shapes, report.time, surface.vertices);
    result.worst_leak = std::max({result.worst_leak, leak.domain / voxel, leak.obstacles / voxel});
    const MeshReport state = check_mesh(surface, {.find_self_intersections = false});
    result.unsound += state.is_closed() && state.is_manifold() ? 0 : 1;
    result.left = report.ledger.book.open_sides;
    result.worst_hanging = std::max(result.worst_hanging, 100 * report.hanging);
    if (report.frame % 12 == 0) tell(name, report, result);
  }
  result.last_energy = before / start;
  result.roughness = curvature_spectrum(calm_heights(run, voxel));
  result.seconds = watch.seconds();
  return result;
}

}  // namespace

Result dam_break(const ExperimentOptions& options) {
  Result result;
  result.about = fmt::format(
      "`scenes/dam_break.toml` with {} cells for {} s. Energy is kinetic and potential, above that "
      "of "
      "as much liquid at rest in the tank, as a share of the start.",
      options.is_quick ? 24 : 64, options.is_quick ? 2 : 10);
  Plot drift{"dam_volume", "Dam break: volume against the books", "time in s", "%", {}};
  Plot energy{"dam_energy",
              "Dam break: energy above the level at rest",
              "time in s",
              "share of the start",
              {}};
  const std::vector<DamKind> kinds = {{.name = "volume control"},
                                      {.name = "no volume control", .has_control = false},
                                      {.name = "no thickening", .has_thickening = false}};
  for (const DamKind& kind : kinds) {
    const std::string& name = kind.name;
    const bool is_default = kind.has_control && kind.has_thickening;
    DamRun run = run_dam(kind, options);
    if (is_default) {
      result.rows.push_back(bounded(name, "volume, worst frame", 0.5, run.worst_drift, "%"));
      result.rows.push_back(bounded(name, "farthest vertex out of the tank or into the ball", 0.5,
                                    run.worst_leak, "voxels"));
      result.rows.push_back(bounded(name, "energy, greatest growth between frames", 1,
                                    std::max(0.0, 100 * run.greatest_growth), "% of the start"));
      if (!options.is_quick) {  // after 10 s
        result.rows.push_back(
            bounded(name, "energy at the end", 15, 100 * run.last_energy, "% of the start"));
      }
      result.rows.push_back(required(
          name, "frames with a surface that is closed and manifold", fmt::format("{}", run.frames),
          fmt::format("{}", run.frames - run.unsound), run.unsound == 0));
      result.rows.push_back(bounded(name, "surface off the mesh by half a cell, worst frame", 0.1,
                                    run.worst_hanging, "% of vertices"));
    } else {
      result.rows.push_back(
          reported(name, "volume, worst frame", fmt::format("{:.3g} %", run.worst_drift)));
      result.rows.push_back(
          reported(name, "energy, greatest growth between frames",
                   fmt::format("{:.3g} % of the start", std::max(0.0, 100 * run.greatest_growth))));
    }
    if (!is_default || options.is_quick) {
      result.rows.push_back(reported(name, "energy at the end",
                                     fmt::format("{:.3g} % of the start", 100 * run.last_energy)));
    }
    result.rows.push_back(
        reported(name, "left through the open top", fmt::format("{:.2g} m³", std::abs(run.left))));
    if (kind.has_control) {
      std::string spectrum;
      for (const RoughnessBand& band : run.roughness) {
        spectrum += fmt::format("{}{:.2g} ({:.0f} to {:.0f})", spectrum.empty() ? "" : ", ",
                                band.curvature, band.shortest, band.longest);
      }
      result.rows.push_back(reported(name, "mean curvature at the end, 1/m (wavelengths in voxels)",
                                     std::move(spectrum)));
    }
    progress(fmt::format("  {}: {:.0f} s of computing", name, run.seconds));
    if (!kind.has_thickening) continue;
    drift.curves.push_back(std::move(run.drift));
    energy.curves.push_back(std::move(run.energy));
  }
  result.plots = {std::move(drift), std::move(energy)};
  return result;
}

}  // namespace spindrift::validation
