// Embree's answers to the queries of TriangleBvh, to measure ours against.
#pragma once

#include <memory>

#include "spindrift/geometry/triangle_mesh.hpp"

namespace spindrift::app {

class EmbreeBaseline {
 public:
  explicit EmbreeBaseline(const TriangleMesh& mesh);
  ~EmbreeBaseline();
  EmbreeBaseline(const EmbreeBaseline&) = delete;
  EmbreeBaseline& operator=(const EmbreeBaseline&) = delete;

  [[nodiscard]] double closest_distance2(const Vec3& point) const;
  // Distance along the unit direction, or -1.
  [[nodiscard]] double first_hit(const Vec3& origin, const Vec3& direction) const;

 private:
  struct Scene;
  std::unique_ptr<Scene> scene_;
};

}  // namespace spindrift::app
