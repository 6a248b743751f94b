// How an obstacle moves: a rigid pose for every instant, and its exact velocity.
//
//   Motion stirrer = Motion::spin({.axis = {0, 0, 1}, .center = {1, 0.5, 0}, .rpm = 30});
//   Vec3 x = stirrer.pose(t).apply(p);   // where the obstacle's own point p is at time t
//   Vec3 v = stirrer.velocity(x, t);     // how fast it moves there
#pragma once

#include <vector>

#include "spindrift/core/vec.hpp"

namespace spindrift {

// x -> rotation * x + translation.
struct Pose {
  Quat rotation = Quat::Identity();
  Vec3 translation = Vec3::Zero();

  [[nodiscard]] Vec3 apply(const Vec3& x) const { return rotation * x + translation; }
  [[nodiscard]] Vec3 apply_inverse(const Vec3& x) const {
    return rotation.conjugate() * (x - translation);
  }
};

// The obstacle as drawn, turned about the origin, then moved.
struct MotionKey {
  double t = 0;                     // s
  Vec3 axis = Vec3::UnitZ();        // not zero; any length
  double degrees = 0;               // any number of turns
  Vec3 translation = Vec3::Zero();  // m
};

struct SpinMotion {
  Vec3 axis = Vec3::UnitZ();   // not zero; any length; turns as a right-handed screw
  Vec3 center = Vec3::Zero();  // a point of the axis, m
  double rpm = 0;              // turns per minute, from the obstacle as drawn at t = 0
};

class Motion {
 public:
  // At rest, as drawn.
  Motion() = default;

  // At least one key, in increasing order of t. Between two keys the translation is linear. If both
  // turn about the same axis, or one does not turn, the angle is linear, so that 0 to 720 degrees
  // are two full turns; otherwise the rotation takes the shortest way at constant speed (slerp).
  // The pose is held before the first key and after the last.
  [[nodiscard]] static Motion keyframes(const std::vector<MotionKey>& keys);

  [[nodiscard]] static Motion spin(const SpinMotion& spin);

  [[nodiscard]] Pose pose(double t) const;

  // Velocity in m/s of the obstacle's point that is at `point` at time t: the derivative of the
  // pose, from the right where it jumps (at keys).
  [[nodiscard]] Vec3 velocity(const Vec3& point, double t) const;

  // The greatest speed in m/s that velocity() gives in a finite box between two times.
  [[nodiscard]] double max_speed(const Box3& box, double t0, double t1) const;

  // False if velocity() is zero everywhere, always.
  [[nodiscard]] bool moves() const;

 private:
  // A stretch of constant velocity and constant angular velocity, until the next segment begins:
  //   x -> turn(angle + (t - epoch) rate) * base * (x - pivot) + origin + (t - epoch) drift.
  struct Segment {
    double begin = 0, epoch = 0;  // s
    Quat base = Quat::Identity();
    Vec3 axis = Vec3::UnitZ();   // of the turn; unit
    double angle = 0, rate = 0;  // rad, rad/s
    Vec3 pivot = Vec3::Zero();   // m, in the obstacle's own coordinates
    Vec3 origin = Vec3::Zero();  // where the pivot is at `epoch`, m
    Vec3 drift = Vec3::Zero();   // m/s
  };

  [[nodiscard]] static Segment between(const MotionKey& from, const MotionKey& to);
  [[nodiscard]] const Segment* segment_at(double t) const;
  [[nodiscard]] static Vec3 velocity_in(const Segment& segment, const Vec3& point, double t);

  // Before the first segment the pose is that of its beginning, at rest.
  std::vector<Segment> segments_;
};

}  // namespace spindrift
