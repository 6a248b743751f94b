// Closest points, rays and winding numbers over millions of triangles.
//
//   const TriangleBvh bvh(mesh);
//   double distance = std::sqrt(bvh.closest_point(x).distance2);
//   bool inside = bvh.winding_number(x) > 0.5;
//
// Answers are in double precision and exact to its round-off; only the far field of the winding
// number is approximated. Measured beside Embree's point query by `spindrift bench geometry`.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "spindrift/geometry/triangle_mesh.hpp"

namespace spindrift {

namespace bvh {
struct Tree;
}

struct ClosestPoint {
  Vec3 point = Vec3::Zero();
  double distance2 = std::numeric_limits<double>::infinity();  // squared, m^2
  std::int32_t triangle = -1;                                  // -1: none within reach
};

struct RayHit {
  double t = 0;  // hit point = origin + t * direction
  std::int32_t triangle = -1;
};

// Copies what it needs of the mesh. Safe to query from several threads at once.
class TriangleBvh {
 public:
  explicit TriangleBvh(const TriangleMesh& mesh);
  ~TriangleBvh();
  TriangleBvh(TriangleBvh&&) noexcept;
  TriangleBvh& operator=(TriangleBvh&&) noexcept;

  // The nearest point of the mesh, if one is nearer than `max_distance`.
  [[nodiscard]] ClosestPoint closest_point(
      const Vec3& point, double max_distance = std::numeric_limits<double>::infinity()) const;

  // The first hit with 0 <= t <= t_max, from either side. No ray slips between two triangles that
  // share an edge.
  [[nodiscard]] std::optional<RayHit> first_hit(
      const Vec3& origin, const Vec3& direction,
      double t_max = std::numeric_limits<double>::infinity()) const;

  // Generalised winding number [Jacobson 2013], with far parts as dipoles [Barill 2018]: 1 inside a
  // closed, outward-oriented mesh, 0 outside, in between where the mesh is open.
  [[nodiscard]] double winding_number(const Vec3& point) const;

  // Appends every triangle that may meet the box (those of all leaves whose boxes do).
  void append_overlaps(const Box3& box, std::vector<std::int32_t>& triangles) const;

  [[nodiscard]] std::int64_t bytes() const;

 private:
  std::unique_ptr<bvh::Tree> tree_;
};

}  // namespace spindrift
