// All that liquid cannot enter: the walls of the domain and the obstacles, as one.
//
//   const SolidsAt now = solids.at(t);
//   now.distance(x);      // negative inside
//   now.velocity_at(x);   // of the solid that is closest to x
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "spindrift/bodies/motion.hpp"
#include "spindrift/geometry/shape.hpp"

namespace spindrift {

struct Obstacle {
  ShapePtr shape;  // as drawn
  Motion motion;
};

// A box that liquid stays in. Beyond a wall everything is solid; beyond an open side nothing is.
struct Domain {
  Box3 box;                       // m
  std::array<bool, 6> is_wall{};  // x_min, x_max, y_min, y_max, z_min, z_max

  // m, negative beyond a wall; huge without walls.
  [[nodiscard]] double wall_distance(const Vec3& point) const;
  // m, positive beyond the open sides; hugely negative without any.
  [[nodiscard]] double open_distance(const Vec3& point) const;
};

// Where the walls of a domain lie; at infinity where a side is open. In place, and without
// branches: many points are asked for.
struct Walls {
  static constexpr double kFar = 1e9;  // m

  explicit Walls(const Domain& domain);

  // Negative beyond a wall; kFar without walls.
  [[nodiscard]] double distance(const Vec3& point) const {
    return std::min(std::min(std::min(kFar, along(0, point.x())), along(1, point.y())),
                    along(2, point.z()));
  }
  // By how much the distance changes along each axis, from `step` before the point to as much
  // after it.
  [[nodiscard]] Vec3 change_around(const Vec3& point, double step) const;

  Vec3 low, high;  // m

 private:
  [[nodiscard]] double along(int axis, double x) const {
    return std::min(x - low[axis], high[axis] - x);
  }
};

// Solids at an instant. In absolute value distances are no more than the true ones. Refers to what
// it is made from.
class SolidsAt final : public ScalarField, public VelocityField {
 public:
  SolidsAt(const Domain& domain, const std::vector<Obstacle>& obstacles, double time);

  [[nodiscard]] double distance(const Vec3& point) const { return closest(point).distance; }
  [[nodiscard]] Vec3 velocity_at(const Vec3& point) const;
  // A point closer to a solid than `distance`, moved to that distance outside of it by the shortest
  // way, as far as that is known; others as they are. `step`: of the differences that tell the way,
  // m.
  [[nodiscard]] Vec3 moved_away(const Vec3& point, double distance, double step) const;

  void evaluate(std::span<const Vec3> points, std::span<double> values) const override;
  void evaluate(std::span<const Vec3> points, std::span<Vec3> velocities) const override;

 private:
  struct Closest {
    double distance;
    std::ptrdiff_t obstacle;  // -1: a wall
  };
  [[nodiscard]] Closest closest(const Vec3& point) const;
  [[nodiscard]] double obstacle_distance(std::size_t obstacle, const Vec3& point) const;
  [[nodiscard]] Vec3 obstacle_change(std::size_t obstacle, const Vec3& point, double step) const;
  [[nodiscard]] bool is_in_seam(const Vec3& point) const;

  Walls walls_;
  const std::vector<Obstacle>& obstacles_;
  double time_;
  std::vector<Pose> poses_;
  std::vector<Box3> boxes_;  // of the obstacles, where they are
};

class Solids {
 public:
  Solids(const Domain& domain, std::vector<Obstacle> obstacles)
      : domain_(domain), obstacles_(std::move(obstacles)) {}

  [[nodiscard]] SolidsAt at(double time) const { return {domain_, obstacles_, time}; }
  [[nodiscard]] const Domain& domain() const { return domain_; }
  [[nodiscard]] bool move() const;
  // Around all that moves from t0 to t1, as it is at these times, in the domain.
  [[nodiscard]] Box3 moving_box(double t0, double t1) const;
  // Of what is in the domain, m/s.
  [[nodiscard]] double max_speed(double t0, double t1) const;

 private:
  Domain domain_;
  std::vector<Obstacle> obstacles_;
};

}  // namespace spindrift
