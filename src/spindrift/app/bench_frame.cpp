#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "spindrift/app/bench.hpp"
#include "spindrift/core/parallel.hpp"
#include "spindrift/flow/mesh_velocity.hpp"
#include "spindrift/geometry/shape.hpp"
#include "spindrift/scene/read.hpp"
#include "spindrift/sim/liquid.hpp"

namespace spindrift::app {

namespace {

// scenes/dam_break.toml, of any size, with about as many triangles as tetrahedra, as the paper's
// have. So few frames that steps are as long as they may be.
constexpr const char* kDamBreak = R"(
format = 1
name = "dam_break"
[time]
fps = 0.5
frames = 1
[domain]
min = [0, 0, 0]
max = [2, 1, 1]
sides = { z_max = "open" }
[resolution]
cells = 64
surface = 3
[[liquid.body]]
shape = { box = { min = [0, 0, 0], max = [0.7, 1, 0.6] } }
[[obstacle]]
shape = { sphere = { center = [1.25, 0.5, 0], radius = 0.22 } }
)";

// At which it has 1.3 million tetrahedra.
constexpr int kPaperCells = 168;

// At this time, in s, the liquid covers the floor and climbs the far wall.
constexpr double kStart = 0.5;

Scene dam_break(int cells) {
  Scene scene = parse_scene(kDamBreak, "dam_break");
  scene.resolution.cells = cells;
  return scene;
}

// A liquid that flows already, as the shape of a body.
class FlowingBody final : public Shape {
 public:
  FlowingBody(const Liquid& liquid, const Box3& box) : liquid_(liquid), box_(box) {}
  [[nodiscard]] double distance(const Vec3& point) const override {
    double value = 0;
    liquid_.distance().evaluate(std::span(&point, 1), std::span(&value, 1));
    return value;
  }
  [[nodiscard]] Box3 bounds() const override { return box_; }
  void evaluate(std::span<const Vec3> points, std::span<double> values) const override {
    liquid_.distance().evaluate(points, values);
  }

 private:
  const Liquid& liquid_;
  Box3 box_;
};

// The dam break while it flows, from a coarse run: a fine one would take an hour to get there.
class FlowingDamBreak {
 public:
  explicit FlowingDamBreak(int cells)
      : scene_(dam_break(cells)),
        shapes_(build_scene_shapes(scene_, library_)),
        liquid_(scene_, shapes_) {
    (void)liquid_.advance_frame([](double time) { return time < kStart; });
    const LiquidMesh& mesh = liquid_.mesh();
    velocity_.emplace(TetFlow{mesh.tets, *mesh.faces, mesh.cells, liquid_.cell_velocity(), {}}, 0,
                      MeshVelocityParams{});
  }

  [[nodiscard]] ShapePtr body() const {
    return std::make_shared<FlowingBody>(liquid_, Box3(scene_.domain.min, scene_.domain.max));
  }
  [[nodiscard]] const VelocityField& velocity() const { return velocity_->paths(); }

 private:
  Scene scene_;
  MeshLibrary library_;
  SceneShapes shapes_;
  Liquid liquid_;
  std::optional<MeshVelocity> velocity_;
};

void bench_steps(const FlowingDamBreak& start, int cells, int steps, const BenchOptions& options,
                 BenchTable& table) {
  const Scene scene = dam_break(cells);
  MeshLibrary library;
  SceneShapes shapes = build_scene_shapes(scene, library);
  shapes.bodies = {start.body()};
  LiquidParams params;
  params.start_velocity = &start.velocity();
  Liquid liquid(scene, shapes, params);
  (void)liquid.advance_frame([](double) { return false; });  // the first one finds the memory
  int left = steps;
  const FrameReport report = liquid.advance_frame([&left](double) { return --left > 0; });
  const double seconds = report.stats.seconds("total");
  Json row = {{"scene", "dam_break"},      {"cells", cells},
              {"tets", report.tets},       {"triangles", report.triangles},
              {"threads", thread_limit()}, {"steps", report.steps},
              {"seconds", seconds},        {"seconds_per_step", seconds / report.steps}};
  double other = seconds;
  for (const char* phase : {"surface", "mesh", "advect", "project"}) {
    row[std::string("seconds_") + phase] = report.stats.seconds(phase) / report.steps;
    other -= report.stats.seconds(phase);
  }
  row["seconds_other"] = std::max(0.0, other) / report.steps;
  row["iterations"] = report.iterations;
  row["microseconds_per_element"] =
      1e6 * seconds / report.steps / static_cast<double>(report.tets + report.triangles);
  row["peak_bytes"] = peak_bytes();
  if (options.json) {
    for (const auto& part : report.stats.phases()) {
      row["parts"][part.name] = part.value / report.steps;
    }
  }
  table.add(row);
}

}  // namespace

void bench_frame(const BenchOptions& options) {
  BenchTable table("frame", options.json);
  const FlowingDamBreak start(options.quick ? 24 : 48);
  // From 0.1 to 4 million tetrahedra; the third is the paper's size.
  std::vector<int> sizes = {48, 94, kPaperCells, 296};
  if (options.quick) sizes = {24, 48};
  if (options.tets > 0) sizes = {static_cast<int>(kPaperCells * std::sqrt(options.tets / 1.3e6))};
  for (const int cells : sizes) {
    for (const int threads : bench_threads()) {
      if (cells > kPaperCells && threads < bench_threads().back()) continue;  // minutes
      const ThreadLimit limit(threads);
      bench_steps(start, cells, 3, options, table);
    }
  }
}

}  // namespace spindrift::app
