// What a run needs of a simulation: sim/liquid.hpp has one, tests have others.
#pragma once

#include <functional>
#include <memory>

#include "spindrift/app/command_line.hpp"
#include "spindrift/cache/state.hpp"
#include "spindrift/sim/liquid.hpp"

namespace spindrift::app {

class Simulation {
 public:
  Simulation() = default;
  virtual ~Simulation() = default;
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  // Of the state as it is, without a step.
  [[nodiscard]] virtual FrameReport report() const = 0;

  // To the next frame, or to the end of the step after which `after_step(time)` is false. Throws
  // Error of kind `numerical`.
  [[nodiscard]] virtual FrameReport advance_frame(
      const std::function<bool(double)>& after_step) = 0;

  [[nodiscard]] virtual LiquidSurface surface() const = 0;

  // What frames hold beside it, if the scene asks for it.
  [[nodiscard]] virtual CachedMesh inside() const = 0;
  [[nodiscard]] virtual CachedLevelSet level_set() const = 0;

  // Restoring makes the next frames the same, bit for bit.
  virtual void save(StateWriter& state) const = 0;
  virtual void restore(const StateReader& state) = 0;

  // Goes on from a state of another scene, which may differ in what Branch allows.
  virtual void branch(const StateReader& state, const Scene& scene, const SceneShapes& shapes) = 0;
};

// The liquid of sim/liquid.hpp. `scene` and `shapes` must outlive it.
[[nodiscard]] std::unique_ptr<Simulation> make_liquid(const Scene& scene,
                                                      const SceneShapes& shapes);

}  // namespace spindrift::app
