// A simulation without physics, for tests of the run around it: a box whose side follows the
// logistic map, so that whoever restores it inexactly goes another way.
//
// The environment makes it fail: FAKE_FAIL_FRAME and FAKE_NAN_FRAME name a frame, and
// FAKE_STEP_SECONDS is how long a step sleeps.
#pragma once

#include <cstdlib>
#include <limits>

#include <unistd.h>

#include "spindrift/app/simulation.hpp"

#include "support/meshes.hpp"

namespace spindrift::test {

class FakeSimulation final : public app::Simulation {
 public:
  explicit FakeSimulation(const Scene& scene) : scene_(scene) {}

  FrameReport report() const override {
    FrameReport report;
    report.frame = frame_;
    report.time = time_;
    report.tets = 6;
    report.triangles = 12;
    report.volume = is_frame("FAKE_NAN_FRAME") ? std::numeric_limits<double>::quiet_NaN() : x_;
    report.volume_drift = 0.001;
    report.ledger.book.start = 0.3;
    report.ledger.volume = x_;
    report.ledger.bodies.push_back({.id = 4, .volume = x_, .target = x_});
    report.probes.resize(scene_.probes.size());
    return report;
  }

  FrameReport advance_frame(const std::function<bool(double)>& after_step) override {
    const double time = (frame_ + 1) / scene_.time.fps;
    std::vector<ProbeSample> samples;
    const double begin = time_;
    int steps = 0;
    for (bool goes_on = true; goes_on && steps < kSteps;) {
      ++steps;
      ::usleep(static_cast<useconds_t>(1e6 * number("FAKE_STEP_SECONDS", 0)));
      x_ = 3.9 * x_ * (1 - x_);
      time_ = steps == kSteps ? time : begin + (time - begin) * steps / kSteps;
      if (steps == kSteps) ++frame_;
      if (steps == kSteps && is_frame("FAKE_FAIL_FRAME")) {
        throw Error(ErrorKind::numerical, {}, "the pressure did not converge", "lower time.cfl");
      }
      samples.push_back({time_, Vec3(x_, 0, 0)});
      goes_on = after_step(time_);
    }
    FrameReport result = report();
    result.steps = steps;
    for (auto& probe : result.probes) probe = samples;
    return result;
  }

  LiquidSurface surface() const override {
    LiquidSurface surface;
    surface.mesh = cube({0, 0, 0}, {x_, 1, 0.5});
    surface.velocities.assign(surface.mesh.vertices.size(), Vec3(x_, 0, 0));
    return surface;
  }

  // A tetrahedron that grows with it.
  CachedMesh inside() const override {
    CachedMesh inside;
    inside.mesh.vertices = {{0, 0, 0}, {x_, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    inside.mesh.tets = {{0, 1, 2, 3}};
    inside.pressure = {1000 * x_};
    inside.velocity = {Vec3(x_, 2, 3)};
    inside.liquid = {1};
    return inside;
  }

  // A single node that moves.
  CachedLevelSet level_set() const override {
    CachedLevelSet levelset;
    levelset.lattice = {Vec3::Zero(), 0.125};
    VelocitySamples& velocity = levelset.velocity;
    velocity.lattice = {Vec3::Zero(), 0.25};
    velocity.blocks = BlockSet({block_key({0, 0, 0})});
    velocity.known = {BlockMask{1}};
    velocity.values.assign(kBlockNodes, Vec3f(1, 2, 3));
    return levelset;
  }

  void save(StateWriter& state) const override {
    state.put("fake.x", x_);
    state.put("fake.time", time_);
    state.put("fake.frame", frame_);
  }
  void restore(const StateReader& state) override {
    x_ = state.get<double>("fake.x");
    time_ = state.get<double>("fake.time");
    frame_ = state.get<std::int32_t>("fake.frame");
  }
  void branch(const StateReader& state, const Scene&, const SceneShapes&) override {
    restore(state);
  }

 private:
  static constexpr int kSteps = 3;  // a frame

  static double number(const char* variable, double otherwise) {
    const char* text = std::getenv(variable);
    return text == nullptr ? otherwise : std::atof(text);
  }
  // Is this the frame that the variable names?
  bool is_frame(const char* variable) const { return number(variable, -1) == frame_; }

  const Scene& scene_;
  double x_ = 0.3, time_ = 0;
  std::int32_t frame_ = 0;
};

}  // namespace spindrift::test
