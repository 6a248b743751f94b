// How far a liquid's surface is where it must not be: outside of its domain, or in an obstacle.
#pragma once

#include <algorithm>
#include <vector>

#include "spindrift/scene/build.hpp"
#include "spindrift/scene/scene_shapes.hpp"

namespace spindrift::test {

struct Leak {
  double domain = 0, obstacles = 0;  // m, of the worst vertex; 0: none
};

[[nodiscard]] inline Leak greatest_leak(const Scene& scene, const SceneShapes& shapes, double time,
                                        const std::vector<Vec3>& vertices) {
  Leak leak;
  for (const Vec3& v : vertices) {
    leak.domain = std::max(
        {leak.domain, (scene.domain.min - v).maxCoeff(), (v - scene.domain.max).maxCoeff()});
  }
  for (std::size_t i = 0; i < scene.obstacles.size(); ++i) {
    const auto& motion = scene.obstacles[i].motion;
    const Pose pose = motion ? build_motion(*motion).pose(time) : Pose();
    for (const Vec3& v : vertices) {
      leak.obstacles =
          std::max(leak.obstacles, -shapes.obstacles[i]->distance(pose.apply_inverse(v)));
    }
  }
  return leak;
}

}  // namespace spindrift::test
