// A level pool over an uneven floor must stay what it is.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "spindrift/geometry/triangle_bvh.hpp"

#include "experiments.hpp"
#include "support/scene_run.hpp"

namespace spindrift::validation {
namespace {

// The level is at no height of the lattice; a mound rises from the floor.
std::string pool_scene(const std::string& obstacle) {
  return "format = 1\n[time]\nfps = 60\n[domain]\nmin = [0, 0, 0]\nmax = [1, 0.6, 0.6]\n"
         "[resolution]\ncells = 24\n"
         "[[liquid.body]]\nshape = { box = { min = [0, 0, 0], max = [1, 0.6, 0.317] } }\n"
         "[[obstacle]]\nshape = { sphere = { center = [0.2, 0.3, -0.35], radius = 0.5 } }\n"
         "[[obstacle]]\nshape = { " +
         obstacle + " }\n";
}

// Of the vertices of a surface from another one, m.
double greatest_distance(const TriangleMesh& from, const TriangleMesh& to) {
  const TriangleBvh bvh(to);
  double greatest = 0;
  for (const Vec3& v : from.vertices) {
    greatest = std::max(greatest, bvh.closest_point(v).distance2);
  }
  return std::sqrt(greatest);
}

void run_pool(const std::string& name, const std::string& obstacle, Result& result) {
  test::SceneRun run(pool_scene(obstacle));
  const TriangleMesh start = run.liquid.surface().mesh;
  Curve speed{name};
  FrameReport report;
  int steps = 0;
  for (; steps < 240; steps += report.steps) {
    report = run.liquid.advance_frame();
    speed.points.emplace_back(steps + report.steps, std::log10(std::max(report.max_speed, 1e-12)));
  }
  const double moved = greatest_distance(run.liquid.surface().mesh, start) / cell_size(run.scene);
  result.rows.push_back(bounded(name, "greatest speed", 1e-4, report.max_speed, "m/s"));
  result.rows.push_back(
      bounded(name, "farthest vertex from the surface at the start", 1e-3, moved, "cells"));
  result.rows.push_back(
      reported(name, "volume", fmt::format("{:+.2g} %", 100 * report.volume_drift)));
  result.plots[0].curves.push_back(std::move(speed));
}

}  // namespace

Result pool_at_rest(const ExperimentOptions& /*options*/) {
  Result result;
  result.about =
      "A pool of 1 m by 0.6 m, 24 cells long, 0.317 m deep over a mound, on a graded mesh, for 240 "
      "steps of 1/60 s with the default projection and tolerance. The obstacle is a ball of radius "
      "0.1 m, under water or half out of it, or a round post of radius 0.08 m that leans by 16 "
      "degrees and stands out.";
  result.plots.push_back(
      {"pool", "Greatest speed in a pool at rest", "step", "log10 of the speed in m/s", {}});
  run_pool("submerged ball", "sphere = { center = [0.7, 0.31, 0.15], radius = 0.1 }", result);
  run_pool("ball that breaks the surface", "sphere = { center = [0.7, 0.31, 0.3], radius = 0.1 }",
           result);
  run_pool("slanted post",
           "cylinder = { from = [0.62, 0.28, -0.1], to = [0.78, 0.34, 0.5], radius = 0.08 }",
           result);
  return result;
}

}  // namespace spindrift::validation
