#include "spindrift/scene/scene_shapes.hpp"

namespace spindrift {

SceneShapes build_scene_shapes(const Scene& scene, MeshLibrary& library) {
  const LoadMesh load = library.loader();
  SceneShapes shapes;
  for (const BodySpec& body : scene.liquid.bodies) {
    shapes.bodies.push_back(build_shape(body.shape, load));
  }
  for (const ObstacleSpec& obstacle : scene.obstacles) {
    shapes.obstacles.push_back(build_shape(obstacle.shape, load));
  }
  for (const SourceSpec& source : scene.sources) {
    shapes.sources.push_back(build_shape(source.shape, load));
  }
  for (const SinkSpec& sink : scene.sinks) shapes.sinks.push_back(build_shape(sink.shape, load));
  return shapes;
}

std::vector<ShapePtr> obstacles_at(const Scene& scene, const SceneShapes& shapes, double t) {
  std::vector<ShapePtr> placed;
  for (std::size_t i = 0; i < shapes.obstacles.size(); ++i) {
    Placement placement;
    if (const auto& motion = scene.obstacles[i].motion) {
      const Pose pose = build_motion(*motion).pose(t);
      placement.rotation = pose.rotation;
      placement.translation = pose.translation;
    }
    placed.push_back(make_placed(shapes.obstacles[i], placement));
  }
  return placed;
}

}  // namespace spindrift
