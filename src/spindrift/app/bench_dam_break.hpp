// A dam break that flows, of any size, for benchmarks.
#pragma once

#include <optional>

#include "spindrift/flow/mesh_velocity.hpp"
#include "spindrift/scene/scene_shapes.hpp"
#include "spindrift/sim/liquid.hpp"

namespace spindrift::app {

// At which it has 1.3 million tetrahedra.
inline constexpr int kPaperCells = 168;

// scenes/dam_break.toml with about as many triangles as tetrahedra, as the paper's have. So few
// frames that steps are as long as they may be.
[[nodiscard]] Scene dam_break_scene(int cells);

// The dam break while it flows, from a coarse run: a fine one would take an hour to get there.
class FlowingDamBreak {
 public:
  explicit FlowingDamBreak(int cells);

  [[nodiscard]] ShapePtr body() const;
  [[nodiscard]] const VelocityField& velocity() const { return velocity_->paths(); }

 private:
  Scene scene_;
  MeshLibrary library_;
  SceneShapes shapes_;
  Liquid liquid_;
  std::optional<MeshVelocity> velocity_;
};

// Its liquid at any resolution. `start` must outlive it.
class FineDamBreak {
 public:
  FineDamBreak(const FlowingDamBreak& start, int cells);

  [[nodiscard]] const Scene& scene() const { return scene_; }
  [[nodiscard]] Liquid& liquid() { return liquid_; }

 private:
  Scene scene_;
  MeshLibrary library_;
  SceneShapes shapes_;
  Liquid liquid_;
};

}  // namespace spindrift::app
