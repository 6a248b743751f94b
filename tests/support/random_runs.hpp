// Runs a random scene and says what is wrong with it.
#pragma once

#include <cmath>
#include <cstdint>
#include <exception>
#include <functional>
#include <string>

#include <fmt/format.h>

#include "spindrift/core/stats.hpp"
#include "spindrift/geometry/mesh_check.hpp"
#include "spindrift/sim/scene_solids.hpp"

#include "support/free_volume.hpp"
#include "support/leaks.hpp"
#include "support/random_scenes.hpp"
#include "support/scene_run.hpp"

namespace spindrift::test {

struct RandomRun {
  std::string trouble;  // empty: none; ends the run
  double leak = 0;      // voxels
  double speed = 0;     // m/s, greatest
  bool has_control = true;
  double drift = 0;       // of the volume, greatest, relative to the start and what came in
  double last_drift = 0;  // and at the end
  double energy = 0;      // greatest, as a share of what it may be
  double fullness = 0;  // liquid in the room outside of obstacles at the end; moving ones take some
  int frames = 0, steps = 0;
  double seconds = 0;
};

// Called after each frame with what is booked of the liquid, m^3, as far as there is room.
using WatchRun = std::function<void(const FrameReport& report, double booked)>;

// What a surface must never be, or nothing.
[[nodiscard]] inline std::string surface_trouble(const LiquidSurface& surface) {
  for (const Vec3& v : surface.mesh.vertices) {
    if (!v.allFinite()) return "a vertex is not finite";
  }
  for (const Vec3& u : surface.velocities) {
    if (!u.allFinite()) return "a velocity is not finite";
  }
  if (surface.mesh.triangles.empty()) return {};
  const MeshReport report = check_mesh(surface.mesh, {.find_self_intersections = false});
  if (!report.is_closed()) {
    return fmt::format("the surface is open at {} edges", report.unbalanced_edges.count);
  }
  if (!report.is_manifold()) {
    return fmt::format("the surface is not manifold at {} edges and {} vertices",
                       report.nonmanifold_edges.count, report.nonmanifold_vertices.count);
  }
  return {};
}

// m^2/s^2: what a kilogram of liquid may have at most. The height of the domain, the velocities
// that it starts and comes in with, and three times that of obstacles: they push some of it out of
// the way faster than they are.
[[nodiscard]] inline double most_energy(const Scene& scene, const SceneShapes& shapes,
                                        double seconds) {
  const Vec3 size = scene.domain.max - scene.domain.min;
  double most = scene.liquid.gravity.cwiseAbs().dot(size);
  double speed = 0;
  for (const BodySpec& body : scene.liquid.bodies) speed = std::max(speed, body.velocity.norm());
  for (const SourceSpec& source : scene.sources) speed = std::max(speed, source.velocity.norm());
  most += 0.5 * speed * speed;
  const double obstacles = scene_solids(scene, shapes).max_speed(0, seconds);
  return most + 0.5 * 9 * obstacles * obstacles;
}

// Leaks are by more than half a voxel.
inline void observe(const SceneRun& run, const FrameReport& report, double most, RandomRun& result,
                    const WatchRun& watch) {
  const LiquidSurface surface = run.liquid.surface();
  result.trouble = surface_trouble(surface);
  const Leak leak = greatest_leak(run.scene, run.shapes, run.liquid.time(), surface.mesh.vertices);
  const double voxel = cell_size(run.scene) / run.scene.resolution.surface;
  result.leak = std::max({result.leak, leak.domain / voxel, leak.obstacles / voxel});
  if (result.trouble.empty() && result.leak > 0.5) {
    result.trouble =
        fmt::format("{:.3g} voxels {}", result.leak,
                    leak.domain > leak.obstacles ? "out of the domain" : "into an obstacle");
  }
  if (result.trouble.empty() && !(std::isfinite(report.volume) && std::isfinite(report.energy))) {
    result.trouble = "volume or energy is not finite";
  }
  // The mesh makes thin liquid thicker: what moves is its mass.
  double meshed = 0;
  for (const double volume : run.liquid.mesh().cells.volumes) meshed += volume;
  const double density = run.scene.liquid.density;
  const double kinetic = meshed > 0 ? report.ledger.kinetic / (density * meshed) : 0;
  const double potential =
      report.volume > 0 ? report.ledger.potential / (density * report.volume) : 0;
  result.energy = std::max(result.energy, (kinetic + potential) / most);
  if (result.trouble.empty() && result.energy > 1) {
    result.trouble = fmt::format("{:.3g} times the energy that it may have", result.energy);
  }
  const VolumeBook& book = report.ledger.book;
  const double held = book.start + book.sources;
  const double room = free_volume(run.scene, run.shapes, run.liquid.time());
  result.has_control = run.scene.volume.control;
  // There is no place for more. What obstacles cut off comes back if control may put it elsewhere.
  const double booked = std::min(book.expected() + (result.has_control ? 0 : book.obstacles), room);
  const double all = report.volume + book.in_flight;
  result.last_drift = held > 0 ? std::abs(all - booked) / held : 0;
  result.drift = std::max(result.drift, result.last_drift);
  result.fullness = book.expected() / room;
  result.speed = std::max(result.speed, report.max_speed);
  if (watch) watch(report, booked);
}

// A run that needs more steps, in a frame on average, has liquid that becomes faster and faster.
inline constexpr int kMostSteps = 15;

[[nodiscard]] inline RandomRun run_scene(const std::string& toml, double seconds,
                                         const WatchRun& watch = {}) {
  RandomRun result;
  const Stopwatch stopwatch;
  try {
    SceneRun run(toml);
    const int frames = static_cast<int>(std::lround(seconds * run.scene.time.fps));
    const double most = most_energy(run.scene, run.shapes, seconds);
    observe(run, run.liquid.report(), most, result, watch);
    while (result.trouble.empty() && result.frames < frames) {
      const FrameReport report =
          run.liquid.advance_frame([&](double) { return ++result.steps < frames * kMostSteps; });
      if (result.steps >= frames * kMostSteps) {
        result.speed = std::max(result.speed, report.max_speed);
        result.trouble = fmt::format("{} steps are not enough", frames * kMostSteps);
        break;
      }
      ++result.frames;
      observe(run, report, most, result, watch);
    }
  } catch (const std::exception& error) {
    result.trouble = error.what();
  }
  result.seconds = stopwatch.seconds();
  if (!result.trouble.empty()) {
    result.trouble =
        fmt::format("after {} frames, {:.0f} % of the free room full, {:.3g} m/s at most: {}",
                    result.frames, 100 * result.fullness, result.speed, result.trouble);
  }
  return result;
}

}  // namespace spindrift::test
