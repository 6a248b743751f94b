// Keeps the volume of every body of liquid what it should be, by a small divergence [Kim et al.
// 2007].
//
// Tracking a surface and projecting a velocity to a tolerance lose or gain a little volume in each
// step. A body of volume V that misses d gets the divergence 0.75 d / (V dt) everywhere inside. Kim
// et al. take 25 steps for 90 %, and an integral against steady losses: their volumes are counted
// from a grid's cells. Ours are those of a surface, exact enough to act on at once, and a steady
// loss then leaves a third of a step's.
//
// Bodies merge and split: those connected through a step share what they miss by their volumes. So
// do those that are measured together, before the step or after it: which of them has which
// volume is not known. What a body missed that vanishes goes to another; if there is none, it waits
// for the next.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "spindrift/core/vec.hpp"

namespace spindrift {

// A body of liquid after a step.
struct BodyVolume {
  std::int64_t id = 0;
  std::vector<std::int64_t> parents{};  // ids a step ago of what is in it
  double volume = 0;                    // m^3
  double edited = 0;                    // m^3, of it, that sources and sinks put there in the step
  Vec3 place = Vec3::Zero();            // its middle, m
  std::int64_t group = -1;              // bodies of one are measured together; -1: alone
  double landed = 0;                    // m^3, that droplets gave it in the step
};

class VolumeControl {
 public:
  struct Body {
    std::int64_t id = 0;
    double volume = 0;   // m^3
    double missing = 0;  // m^3
    Vec3 place = Vec3::Zero();
    std::int64_t group = -1;
  };

  // At the start bodies miss what is `edited` of them: it is not part of their volume.
  void start(std::span<const BodyVolume> bodies);

  // A body, by its index, gave `volume` to droplets in the step that `update` is to be told of.
  void give_to_droplets(std::size_t body, double volume) { bodies_[body].volume -= volume; }
  // It is in no body.
  void wait(double volume) { waiting_ += volume; }

  // The index in `now` of the body that takes over from one that vanished at a place; -1: none.
  using Heir = std::function<std::ptrdiff_t(const Vec3& place)>;
  // Returns by how much the volume of all changed beyond edits and droplets, m^3.
  double update(std::span<const BodyVolume> now, const Heir& heir);

  // What each body should show more than it does, m^3. Bodies too small to be moved show what they
  // like; the largest shows that much less, or more, so that all of them together are right.
  [[nodiscard]] std::vector<double> to_show(double least_volume) const;

  // A body, by its index, got `volume` of what it misses.
  void put_back(std::size_t body, double volume) {
    bodies_[body].volume += volume;
    bodies_[body].missing -= volume;
  }

  // What each body should have, as a share of what it shows; those measured together alike. No less
  // than nothing, no more than twice.
  [[nodiscard]] std::vector<double> true_shares() const;

  // Of what their thin parts carry, m^3, how much is no more than they should have.
  [[nodiscard]] std::vector<double> held_shares(std::span<const double> carried) const;

  // 1/s, of a body by its index that should show `more`, for a step of `dt`.
  [[nodiscard]] double divergence(std::size_t body, double more, double dt) const;

  [[nodiscard]] const std::vector<Body>& bodies() const { return bodies_; }
  // m^3, that nothing shows: there were no bodies when it lost its own.
  [[nodiscard]] double waiting() const { return waiting_; }
  void restore(std::vector<Body> bodies, double waiting) {
    bodies_ = std::move(bodies);
    waiting_ = waiting;
  }

 private:
  template <class Visit>
  void for_each_with_its_group(const Visit& visit) const;

  std::vector<Body> bodies_;
  double waiting_ = 0;
};

}  // namespace spindrift
