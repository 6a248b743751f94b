#include "spindrift/app/simulation.hpp"

namespace spindrift::app {

namespace {

class LiquidSimulation final : public Simulation {
 public:
  LiquidSimulation(const Scene& scene, const SceneShapes& shapes) : liquid_(scene, shapes) {}

  FrameReport report() const override { return liquid_.report(); }
  FrameReport advance_frame(const std::function<bool(double)>& after_step) override {
    return liquid_.advance_frame(after_step);
  }
  LiquidSurface surface() const override { return liquid_.surface(); }
  void save(StateWriter& state) const override { liquid_.save(state); }
  void restore(const StateReader& state) override { liquid_.restore(state); }

 private:
  Liquid liquid_;
};

}  // namespace

std::unique_ptr<Simulation> make_liquid(const Scene& scene, const SceneShapes& shapes) {
  return std::make_unique<LiquidSimulation>(scene, shapes);
}

}  // namespace spindrift::app
