// How much room a scene has for liquid.
#pragma once

#include "spindrift/scene/build.hpp"
#include "spindrift/scene/scene_shapes.hpp"

namespace spindrift::test {

// m^3 of the domain outside of obstacles at a time, from 30^3 samples.
[[nodiscard]] inline double free_volume(const Scene& scene, const SceneShapes& shapes,
                                        double time) {
  constexpr int kSamples = 30;  // along each side
  std::vector<Pose> poses;
  for (const ObstacleSpec& obstacle : scene.obstacles) {
    poses.push_back(obstacle.motion ? build_motion(*obstacle.motion).pose(time) : Pose());
  }
  const Vec3 size = scene.domain.max - scene.domain.min;
  int free = 0;
  for (int i = 0; i < kSamples * kSamples * kSamples; ++i) {
    const Vec3 share = (Vec3(i % kSamples, i / kSamples % kSamples, i / kSamples / kSamples) +
                        Vec3::Constant(0.5)) /
                       kSamples;
    const Vec3 point = scene.domain.min + share.cwiseProduct(size);
    bool is_free = true;
    for (std::size_t k = 0; k < poses.size() && is_free; ++k) {
      is_free = shapes.obstacles[k]->distance(poses[k].apply_inverse(point)) > 0;
    }
    free += is_free ? 1 : 0;
  }
  return size.prod() * free / (kSamples * kSamples * kSamples);
}

}  // namespace spindrift::test
