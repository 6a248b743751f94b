#include "spindrift/geometry/mesh_shape.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "spindrift/geometry/mesh_edges.hpp"
#include "spindrift/geometry/triangle_bvh.hpp"

namespace spindrift {

namespace {

class MeshShape final : public Shape {
 public:
  MeshShape(const TriangleMesh& mesh, bool is_closed)
      : bvh_(mesh), box_(spindrift::bounds(mesh)), is_closed_(is_closed) {}

  double distance(const Vec3& point) const override {
    double value = 0;
    evaluate({&point, 1}, {&value, 1});
    return value;
  }

  // Points that follow each other in space help each other: the last distance bounds the search,
  // and while a step is shorter than it, no surface was crossed and the side is the same.
  void evaluate(std::span<const Vec3> points, std::span<double> values) const override {
    const Vec3* last = nullptr;
    double last_distance = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double step = last != nullptr ? (points[i] - *last).norm() : 0;
      const double reach = last != nullptr ? (last_distance + step) * (1 + 1e-9) + 1e-300
                                           : std::numeric_limits<double>::infinity();
      const double unsigned_distance = distance_within(points[i], reach);
      if (!is_closed_) {
        values[i] = unsigned_distance * open_side(points[i]);
      } else if (last != nullptr && step < last_distance * (1 - 1e-9)) {
        values[i] = std::copysign(unsigned_distance, values[i - 1]);
      } else {
        values[i] = bvh_.winding_number(points[i]) > 0.5 ? -unsigned_distance : unsigned_distance;
      }
      last = &points[i];
      last_distance = unsigned_distance;
    }
  }

  bool is_exact() const override { return is_closed_; }
  Box3 bounds() const override { return box_; }

 private:
  [[nodiscard]] double distance_within(const Vec3& point, double reach) const {
    ClosestPoint nearest = bvh_.closest_point(point, reach);
    if (nearest.triangle < 0) nearest = bvh_.closest_point(point);
    return std::sqrt(nearest.distance2);
  }

  // -1 well inside, +1 well outside, linear between winding numbers 3/4 and 1/4.
  [[nodiscard]] double open_side(const Vec3& point) const {
    return std::clamp(4 * (0.5 - bvh_.winding_number(point)), -1.0, 1.0);
  }

  TriangleBvh bvh_;
  Box3 box_;
  bool is_closed_;
};

bool all_edges_balance(const TriangleMesh& mesh) {
  const MeshEdges edges(mesh);
  for (std::int64_t e = 0; e < edges.edge_count(); ++e) {
    if (edge_balance(edges.uses(e)) != 0) return false;
  }
  return true;
}

}  // namespace

ShapePtr make_mesh_shape(const TriangleMesh& mesh) {
  return std::make_shared<MeshShape>(mesh, all_edges_balance(mesh));
}

}  // namespace spindrift
