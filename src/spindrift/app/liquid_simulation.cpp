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
  CachedMesh inside() const override { return liquid_.inside(); }
  CachedLevelSet level_set() const override { return liquid_.level_set(); }
  void save(StateWriter& state) const override { liquid_.save(state); }
  void restore(const StateReader& state) override { liquid_.restore(state); }
  void branch(const StateReader& state, const Scene& scene, const SceneShapes& shapes) override {
    Liquid before(scene, shapes);
    before.restore(state);
    liquid_.branch_from(before);
  }

 private:
  Liquid liquid_;
};

}  // namespace

std::unique_ptr<Simulation> make_liquid(const Scene& scene, const SceneShapes& shapes) {
  return std::make_unique<LiquidSimulation>(scene, shapes);
}

}  // namespace spindrift::app
