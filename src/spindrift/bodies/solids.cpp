#include "spindrift/bodies/solids.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "spindrift/core/error.hpp"

namespace spindrift {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kFar = Walls::kFar;
// Solids closer than this touch, m.
constexpr double kTouching = 1e-7;

// The box around a moved box.
Box3 moved_box(const Box3& box, const Pose& pose) {
  if (box.isEmpty()) return box;
  if (!box.min().allFinite() || !box.max().allFinite()) {
    return {Vec3::Constant(-kInfinity), Vec3::Constant(kInfinity)};
  }
  Box3 moved;
  for (int corner = 0; corner < 8; ++corner) {
    moved.extend(pose.apply(box.corner(static_cast<Box3::CornerType>(corner))));
  }
  return moved;
}

}  // namespace

Walls::Walls(const Domain& domain) {
  for (int axis = 0; axis < 3; ++axis) {
    const auto side = static_cast<std::size_t>(2 * axis);
    low[axis] = domain.is_wall[side] ? domain.box.min()[axis] : -kInfinity;
    high[axis] = domain.is_wall[side + 1] ? domain.box.max()[axis] : kInfinity;
  }
}

Vec3 Walls::change_around(const Vec3& point, double step) const {
  const Vec3 here(along(0, point.x()), along(1, point.y()), along(2, point.z()));
  Vec3 change;
  for (int axis = 0; axis < 3; ++axis) {
    const double others = std::min(kFar, std::min(here[(axis + 1) % 3], here[(axis + 2) % 3]));
    change[axis] = std::min(others, along(axis, point[axis] + step)) -
                   std::min(others, along(axis, point[axis] - step));
  }
  return change;
}

double Domain::wall_distance(const Vec3& point) const { return Walls(*this).distance(point); }

double Domain::open_distance(const Vec3& point) const {
  double greatest = -kFar;
  for (int axis = 0; axis < 3; ++axis) {
    const auto side = static_cast<std::size_t>(2 * axis);
    if (!is_wall[side]) greatest = std::max(greatest, box.min()[axis] - point[axis]);
    if (!is_wall[side + 1]) greatest = std::max(greatest, point[axis] - box.max()[axis]);
  }
  return greatest;
}

SolidsAt::SolidsAt(const Domain& domain, const std::vector<Obstacle>& obstacles, double time)
    : walls_(domain), obstacles_(obstacles), time_(time) {
  for (const Obstacle& obstacle : obstacles) {
    poses_.push_back(obstacle.motion.pose(time));
    boxes_.push_back(moved_box(obstacle.shape->bounds(), poses_.back()));
  }
}

double SolidsAt::obstacle_distance(std::size_t obstacle, const Vec3& point) const {
  return obstacles_[obstacle].shape->distance(poses_[obstacle].apply_inverse(point));
}

SolidsAt::Closest SolidsAt::closest(const Vec3& point) const {
  Closest best{walls_.distance(point), -1};
  std::ptrdiff_t touching = best.distance < kTouching ? 1 : 0;
  for (std::size_t i = 0; i < obstacles_.size(); ++i) {
    const double reach = std::max(kTouching, best.distance);
    // Without branches, other than Eigen's own. Nothing is near an empty box.
    const Vec3 outside =
        (boxes_[i].min() - point).cwiseMax(point - boxes_[i].max()).cwiseMax(Vec3::Zero());
    if (outside.squaredNorm() > reach * reach || boxes_[i].isEmpty()) continue;
    const double d = obstacle_distance(i, point);
    touching += d < kTouching ? 1 : 0;
    if (d < best.distance) best = {d, static_cast<std::ptrdiff_t>(i)};
  }
  if (touching > 1 && best.distance > -kTouching && is_in_seam(point)) best.distance = -kTouching;
  return best;
}

// Whether solids stand flush there, as a box on a wall does: they face each other, and nothing is
// between them, though neither has the point inside.
bool SolidsAt::is_in_seam(const Vec3& point) const {
  constexpr double kOpposite = -0.9;  // the cosine between two normals
  constexpr double kStep = 100 * kTouching;
  std::vector<Vec3> normals;
  const auto add_normal = [&](const Vec3& change) {
    const double length = change.norm();
    if (length > 0) normals.emplace_back(change / length);
  };
  if (walls_.distance(point) < kTouching) add_normal(walls_.change_around(point, kStep));
  for (std::size_t i = 0; i < obstacles_.size(); ++i) {
    if (obstacle_distance(i, point) < kTouching) add_normal(obstacle_change(i, point, kStep));
  }
  for (const Vec3& a : normals) {
    for (const Vec3& b : normals) {
      if (a.dot(b) < kOpposite) return true;
    }
  }
  return false;
}

// By how much the distance from an obstacle changes along each axis, from `step` before the point
// to as much after it.
Vec3 SolidsAt::obstacle_change(std::size_t obstacle, const Vec3& point, double step) const {
  Vec3 change;
  for (int axis = 0; axis < 3; ++axis) {
    const Vec3 way = step * Vec3::Unit(axis);
    change[axis] =
        obstacle_distance(obstacle, point + way) - obstacle_distance(obstacle, point - way);
  }
  return change;
}

Vec3 SolidsAt::velocity_at(const Vec3& point) const {
  const Closest solid = closest(point);
  if (solid.obstacle < 0) return Vec3::Zero();
  return obstacles_[static_cast<std::size_t>(solid.obstacle)].motion.velocity(point, time_);
}

Vec3 SolidsAt::moved_away(const Vec3& point, double distance, double step) const {
  constexpr int kMostMoves = 8;  // edges take a few: away from one surface may be towards another
  Vec3 x = point;
  for (int move = 0; move < kMostMoves; ++move) {
    const Closest solid = closest(x);
    if (solid.distance >= distance - 1e-3 * step) break;
    Vec3 gradient;
    if (solid.obstacle < 0) {
      gradient = walls_.change_around(x, step);
    } else {
      gradient = obstacle_change(static_cast<std::size_t>(solid.obstacle), x, step);
    }
    const double length = gradient.norm();
    if (!(length > 0)) break;
    x += (distance - solid.distance) / length * gradient;
  }
  return x;
}

void SolidsAt::evaluate(std::span<const Vec3> points, std::span<double> values) const {
  for (std::size_t i = 0; i < points.size(); ++i) values[i] = distance(points[i]);
}

void SolidsAt::evaluate(std::span<const Vec3> points, std::span<Vec3> velocities) const {
  for (std::size_t i = 0; i < points.size(); ++i) velocities[i] = velocity_at(points[i]);
}

bool Solids::move() const {
  return std::any_of(obstacles_.begin(), obstacles_.end(),
                     [](const Obstacle& obstacle) { return obstacle.motion.moves(); });
}

Box3 Solids::moving_box(double t0, double t1) const {
  Box3 all;
  for (const Obstacle& obstacle : obstacles_) {
    if (!obstacle.motion.moves()) continue;
    for (const double t : {t0, t1}) {
      all.extend(moved_box(obstacle.shape->bounds(), obstacle.motion.pose(t)));
    }
  }
  return all.intersection(domain_.box);
}

double Solids::max_speed(double t0, double t1) const {
  double greatest = 0;
  for (const Obstacle& obstacle : obstacles_) {
    if (!obstacle.motion.moves()) continue;
    Box3 box = moved_box(obstacle.shape->bounds(), obstacle.motion.pose(t0));
    box.extend(moved_box(obstacle.shape->bounds(), obstacle.motion.pose(t1)));
    const Box3 inside = box.intersection(domain_.box);
    greatest = std::max(greatest, obstacle.motion.max_speed(inside, t0, t1));
  }
  return greatest;
}

}  // namespace spindrift
