// A drop in the air moves as a point would, and stays round.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "experiments.hpp"
#include "support/scene_run.hpp"

namespace spindrift::validation {
namespace {

constexpr double kRadius = 0.1, kVoxel = 0.01;  // m
const Vec3 kCenter(0.253, 0.251, 0.752);
const Vec3 kGravity(0, 0, -9.81);

std::string drop_scene(const Vec3& velocity) {
  return fmt::format(
      "format = 1\n[time]\nfps = 120\n[domain]\nmin = [0, 0, 0]\nmax = [1, 0.5, 1]\n"
      "[resolution]\nsize = {}\n"
      "[[liquid.body]]\nshape = {{ sphere = {{ center = [{}, {}, {}], radius = {} }} }}\n"
      "velocity = [{}, {}, {}]\n",
      2 * kVoxel, kCenter.x(), kCenter.y(), kCenter.z(), kRadius, velocity.x(), velocity.y(),
      velocity.z());
}

void run_drop(const std::string& name, const Vec3& velocity, Result& result) {
  test::SceneRun run(drop_scene(velocity));
  const MassProperties start = mass_properties(run.liquid.surface().mesh);
  Curve roundness{name};
  double worst = 0;
  for (int frame = 0; frame < 30; ++frame) {
    const FrameReport report = run.liquid.advance_frame();
    if (report.steps != 1) throw std::runtime_error("a frame of the drop took several steps");
    const double t = run.liquid.time();
    const Vec3 center = kCenter + t * velocity + 0.5 * t * t * kGravity;
    worst = 0;
    for (const Vec3& v : run.liquid.surface().mesh.vertices) {
      worst = std::max(worst, std::abs((v - center).norm() - kRadius) / kVoxel);
    }
    roundness.points.emplace_back(t, worst);
  }
  const double t = run.liquid.time();
  const MassProperties end = mass_properties(run.liquid.surface().mesh);
  const Vec3 way = t * velocity + 0.5 * t * t * kGravity;
  const double fall = 0.5 * t * t * kGravity.norm();
  result.rows.push_back(bounded(name, "centre of mass, relative to g t²/2", 0.1,
                                100 * (end.center - start.center - way).norm() / fall, "%"));
  result.rows.push_back(bounded(name, "volume", 0.5, 100 * (end.volume / start.volume - 1), "%"));
  result.rows.push_back(
      bounded(name, "farthest vertex from the exact sphere", 0.5, worst, "voxels"));
  result.plots[0].curves.push_back(std::move(roundness));
}

}  // namespace

Result falling_drop(const ExperimentOptions& /*options*/) {
  Result result;
  result.about = "A ball of liquid with a radius of 10 surface voxels, for 30 steps of 1/120 s.";
  result.plots.push_back({"drop",
                          "Farthest vertex of a drop from the exact sphere",
                          "time in s",
                          "surface voxels",
                          {}});
  run_drop("falling", Vec3::Zero(), result);
  run_drop("thrown at (1.5, 0.1, 0.4) m/s", {1.5, 0.1, 0.4}, result);
  return result;
}

}  // namespace spindrift::validation
