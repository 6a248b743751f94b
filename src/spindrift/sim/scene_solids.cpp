#include "spindrift/sim/scene_solids.hpp"

#include <utility>

#include "spindrift/scene/build.hpp"

namespace spindrift {

Solids scene_solids(const Scene& scene, const SceneShapes& shapes) {
  Domain domain;
  domain.box = Box3(scene.domain.min, scene.domain.max);
  for (std::size_t side = 0; side < 6; ++side) {
    domain.is_wall[side] = scene.domain.sides[side] == Side::wall;
  }
  std::vector<Obstacle> obstacles;
  for (std::size_t i = 0; i < scene.obstacles.size(); ++i) {
    const auto& motion = scene.obstacles[i].motion;
    obstacles.push_back({shapes.obstacles[i], motion ? build_motion(*motion) : Motion()});
  }
  return {domain, std::move(obstacles)};
}

}  // namespace spindrift
