#include "spindrift/app/bench_dam_break.hpp"

#include <memory>

#include "spindrift/geometry/shape.hpp"
#include "spindrift/scene/read.hpp"

namespace spindrift::app {

namespace {

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

// At this time, in s, the liquid covers the floor and climbs the far wall.
constexpr double kStart = 0.5;

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

SceneShapes flowing_shapes(const Scene& scene, const FlowingDamBreak& start, MeshLibrary& library) {
  SceneShapes shapes = build_scene_shapes(scene, library);
  shapes.bodies = {start.body()};
  return shapes;
}

LiquidParams flowing_params(const FlowingDamBreak& start) {
  LiquidParams params;
  params.start_velocity = &start.velocity();
  return params;
}

}  // namespace

Scene dam_break_scene(int cells) {
  Scene scene = parse_scene(kDamBreak, "dam_break");
  scene.resolution.cells = cells;
  return scene;
}

FlowingDamBreak::FlowingDamBreak(int cells)
    : scene_(dam_break_scene(cells)),
      shapes_(build_scene_shapes(scene_, library_)),
      liquid_(scene_, shapes_) {
  (void)liquid_.advance_frame([](double time) { return time < kStart; });
  const LiquidMesh& mesh = liquid_.mesh();
  velocity_.emplace(TetFlow{mesh.tets, *mesh.faces, mesh.cells, liquid_.cell_velocity(), {}}, 0,
                    MeshVelocityParams{});
}

ShapePtr FlowingDamBreak::body() const {
  return std::make_shared<FlowingBody>(liquid_, Box3(scene_.domain.min, scene_.domain.max));
}

FineDamBreak::FineDamBreak(const FlowingDamBreak& start, int cells)
    : scene_(dam_break_scene(cells)),
      shapes_(flowing_shapes(scene_, start, library_)),
      liquid_(scene_, shapes_, flowing_params(start)) {}

}  // namespace spindrift::app
