// A liquid that moves: the simulator of Chentanez et al. 2007, section 3.
//
//   Liquid liquid(scene, build_scene_shapes(scene, library));
//   for (int frame = 1; frame <= scene.time.frames; ++frame) {
//     const FrameReport report = liquid.advance_frame();
//     write(liquid.surface(), report);
//   }
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "spindrift/cache/frame.hpp"
#include "spindrift/cache/state.hpp"
#include "spindrift/core/stats.hpp"
#include "spindrift/core/vec.hpp"
#include "spindrift/flow/mesh_velocity.hpp"
#include "spindrift/geometry/triangle_mesh.hpp"
#include "spindrift/scene/scene_shapes.hpp"
#include "spindrift/sim/ledger.hpp"
#include "spindrift/sim/liquid_mesh.hpp"

namespace spindrift {

// How, where scenes do not say.
struct LiquidParams {
  Interpolant interpolant = Interpolant::vertex_linear;
  double correction = 0.93;   // of velocities at vertices; the paper: 0
  double solid_depth = 3;     // voxels that the tracked surface goes on in solids
  double solid_margin = 0.5;  // voxels from a solid at which liquid touches it
  // Of the liquid at the start, in the place of what the scene says of its bodies; null: that.
  const VelocityField* start_velocity = nullptr;
};

// What is seen of the liquid: outside of solids and in the domain.
struct LiquidSurface {
  TriangleMesh mesh;             // closed, oriented outwards
  std::vector<Vec3> velocities;  // of its vertices, m/s, at the same instant
};

// A row of a probe: every step, at its end.
struct ProbeSample {
  double time = 0;            // s
  Vec3 value = Vec3::Zero();  // height in m or pressure in Pa in x alone; velocity in m/s
};

// What happened since the last frame; the state at its end.
struct FrameReport {
  int frame = 0;
  double time = 0;  // s
  int steps = 0;
  std::int64_t tets = 0, triangles = 0;
  double volume = 0;               // m^3
  double volume_drift = 0;         // (volume - expected) / expected
  double energy = 0;               // J, kinetic and potential
  double max_speed = 0;            // m/s
  double hanging = 0;              // share of the surface's vertices half a cell off the mesh
  double residual = 0;             // the greatest, relative
  int iterations = 0;              // the most in a step
  double greatest_divergence = 0;  // 1/s, beyond what was asked for
  Ledger ledger;
  Stats stats;                                   // seconds: surface, mesh, advect, project, other
  std::vector<std::vector<ProbeSample>> probes;  // in the scene's order
};

class Liquid {
 public:
  // The initial state, projected: that of frame 0. `scene` and `shapes` must outlive this.
  Liquid(const Scene& scene, const SceneShapes& shapes, const LiquidParams& params = {});
  ~Liquid();
  Liquid(const Liquid&) = delete;
  Liquid& operator=(const Liquid&) = delete;

  // Of the state as it is, without a step.
  [[nodiscard]] FrameReport report() const;

  // As many steps as it takes to the next frame. `after_step(time)` says whether to go on: if not,
  // the report is that of an unfinished frame. Throws Error of kind `numerical`.
  FrameReport advance_frame(const std::function<bool(double)>& after_step = {});

  [[nodiscard]] double time() const;  // s
  [[nodiscard]] LiquidSurface surface() const;

  // The inside at the same instant: for files.
  [[nodiscard]] CachedMesh inside() const;
  // The lattice of the surface, and the velocity at the nodes of one as coarse as the mesh,
  // wherever the mesh or the next node is liquid.
  [[nodiscard]] CachedLevelSet level_set() const;

  // For looking at.
  [[nodiscard]] const LiquidMesh& mesh() const;
  [[nodiscard]] std::span<const Vec3> cell_velocity() const;
  [[nodiscard]] const ScalarField& distance() const;  // of the tracked surface, m; in solids too

  // Restoring makes the next frames the same, bit for bit. `state` must come from the same scene.
  void save(StateWriter& state) const;
  void restore(const StateReader& state);

  // Goes on from where `before` is, a liquid of a scene with the same domain, resolution and
  // frames. Where nothing around the liquid has changed, the next frames are those of `before`, bit
  // for bit; else its velocity is carried over and projected among the new solids, and the books
  // start from the volume that is left there.
  void branch_from(const Liquid& before);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace spindrift
