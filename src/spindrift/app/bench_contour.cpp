#include <cmath>
#include <limits>

#include "spindrift/app/bench.hpp"
#include "spindrift/app/openvdb_baseline.hpp"
#include "spindrift/core/parallel.hpp"
#include "spindrift/geometry/shape.hpp"
#include "spindrift/surface/contouring_tracker.hpp"

namespace spindrift::app {

namespace {

constexpr float kBand = 3;  // lattice units, on both sides: ours and OpenVDB's
const Box3 kBox(Vec3(-1.6, -1.6, -0.6), Vec3(1.6, 1.6, 0.6));

// A torus with bumps of 6 cm, 15 cm apart in each direction: convex, hollow and saddle-shaped.
class BumpyTorus final : public ScalarField {
 public:
  void evaluate(std::span<const Vec3> points, std::span<double> values) const override {
    constexpr double kHeight = 0.03, kWaves = 20;  // m, rad/m
    torus_->evaluate(points, values);
    for (std::size_t i = 0; i < points.size(); ++i) {
      const Vec3 phase = kWaves * points[i];
      const double bump = std::sin(phase.x()) * std::sin(phase.y()) * std::sin(phase.z());
      // Divided by the greatest slope, so that it never exceeds the distance.
      values[i] = (values[i] + kHeight * bump) / (1 + kHeight * kWaves);
    }
  }

 private:
  ShapePtr torus_ = make_torus(Vec3::Zero(), Vec3::UnitZ(), 1, 0.35);
};

// Turns about a line beside the torus's centre, one half faster than the other: it bends what it
// carries, and keeps its volume.
class Swirl final : public VelocityField {
 public:
  void evaluate(std::span<const Vec3> points, std::span<Vec3> velocities) const override {
    for (std::size_t i = 0; i < points.size(); ++i) {
      const Vec3& p = points[i];
      velocities[i] = (1 - 0.3 * p.x()) * Vec3(0, -p.z(), p.y() - 0.4);
    }
  }
};

ContouringParams params_of(double spacing) {
  return {.lattice = {.origin = kBox.min(), .spacing = spacing}, .band = kBand};
}

// The spacing at which the torus has about so many triangles: their number goes with its inverse
// square.
double spacing_for(double triangles) {
  constexpr double kCoarse = 0.02;
  const ContouringTracker coarse(BumpyTorus(), kBox, params_of(kCoarse));
  return kCoarse * std::sqrt(static_cast<double>(coarse.surface().triangle_count()) / triangles);
}

// Seconds that move no vertex by more than `distance`.
double longest_step(const TriangleMesh& surface, const VelocityField& velocity, double distance) {
  std::vector<Vec3> velocities(surface.vertices.size());
  evaluate_parallel(velocity, surface.vertices, velocities);
  double fastest = 0;
  for (const Vec3& v : velocities) fastest = std::max(fastest, v.norm());
  return distance / fastest;
}

// The least of what was measured, as in best_seconds().
struct Best {
  double seconds = std::numeric_limits<double>::infinity();
  void add(double measured) { seconds = std::min(seconds, measured); }
};

void bench_steps(double spacing, int threads, BenchTable& table) {
  constexpr int kSteps = 3;
  constexpr double kFastest = 4;  // lattice units a step
  const ThreadLimit limit(threads);
  const ContouringParams params = params_of(spacing);
  const Swirl swirl;
  ContouringTracker tracker(BumpyTorus(), kBox, params);
  const double dt = longest_step(tracker.surface(), swirl, kFastest * spacing);
  tracker.advance(swirl, dt);  // to warm up

  Best redistance, contour, advance, to_volume, to_mesh;
  std::optional<OpenVdbReport> openvdb;
  for (int step = 0; step < kSteps; ++step) {
    const Stopwatch watch;
    const TrackerReport report = tracker.advance(swirl, dt);
    advance.add(watch.seconds());
    redistance.add(report.stats.seconds("distance"));
    contour.add(report.stats.seconds("contour"));
    openvdb = run_openvdb(tracker.surface(), params.lattice, kBand);
    if (!openvdb) continue;
    to_volume.add(openvdb->seconds_to_volume);
    to_mesh.add(openvdb->seconds_to_mesh);
  }

  const auto of_openvdb = [&](auto value) { return openvdb ? Json(value) : Json(nullptr); };
  const double pair = redistance.seconds + contour.seconds;
  const double openvdb_pair = to_volume.seconds + to_mesh.seconds;
  table.add({{"triangles", tracker.surface().triangle_count()},
             {"threads", threads},
             {"seconds_redistance", redistance.seconds},
             {"seconds_contour", contour.seconds},
             {"seconds_advance", advance.seconds},
             {"seconds_openvdb", of_openvdb(openvdb_pair)},
             {"seconds_openvdb_to_volume", of_openvdb(to_volume.seconds)},
             {"seconds_openvdb_to_mesh", of_openvdb(to_mesh.seconds)},
             {"triangles_openvdb", of_openvdb(openvdb ? openvdb->triangles : 0)},
             {"share_of_openvdb", of_openvdb(pair / openvdb_pair)}});
}

}  // namespace

void bench_contour(const BenchOptions& options) {
  const std::vector<double> sizes = options.quick
                                        ? std::vector<double>{0.1e6, 0.2e6}
                                        : std::vector<double>{0.1e6, 0.4e6, 1.2e6, 1.7e6, 4e6};
  BenchTable table("contour", options.json);
  for (const double triangles : sizes) {
    const double spacing = spacing_for(triangles);
    for (const int threads : bench_threads()) bench_steps(spacing, threads, table);
  }
}

}  // namespace spindrift::app
