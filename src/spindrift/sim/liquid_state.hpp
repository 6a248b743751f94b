// What a Liquid is made of, for the files that implement it.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "spindrift/bodies/solids.hpp"
#include "spindrift/flow/components.hpp"
#include "spindrift/flow/present_velocity.hpp"
#include "spindrift/sim/body_sizes.hpp"
#include "spindrift/sim/free_room.hpp"
#include "spindrift/sim/liquid.hpp"
#include "spindrift/sim/openings.hpp"
#include "spindrift/sim/step_control.hpp"
#include "spindrift/sim/volume_control.hpp"
#include "spindrift/surface/contouring_tracker.hpp"
#include "spindrift/surface/cut_surface.hpp"
#include "spindrift/surface/mesh_thickening.hpp"

namespace spindrift {

struct Liquid::State {
  // The velocity that the next step follows, and solids in the middle of that step.
  struct Ahead {
    explicit Ahead(const State& state);
    SolidsAt halfway;
    MeshVelocity velocity;
  };
  // What the mesh carries at the end of a step. Checkpoints share it while they are written, and
  // branches.
  struct Flow {
    Buffer<double> z;         // m/s, on faces
    Buffer<Vec3> u;           // m/s, in cells
    Buffer<Vec3> carried;     // u before forces and projection
    Buffer<double> pressure;  // Pa, in cells
  };
  // Of a body of the mesh, 1/s: what keeps its volume, in thick liquid and elsewhere.
  struct DivergenceRates {
    double thick = 0, thin = 0;
  };
  // What the last projection started from, beside the mesh and what was carried there: done again,
  // it gives the same bits.
  struct Projected {
    std::vector<std::int32_t> likely;    // to be released
    std::vector<DivergenceRates> rates;  // of the mesh's bodies; empty: all are 0
  };
  // The velocity at the present time: u is half a step ahead.
  struct Present {
    explicit Present(const State& state);
    Buffer<Vec3> cell_velocity;
    SolidsAt solids;
    std::optional<PresentVelocity> everywhere;  // in and around the mesh; once it is wanted
  };

  State(const Scene& scene_in, const SceneShapes& shapes_in, const LiquidParams& params_in);

  void open_at_start(const SolidsAt& now);

  // The parts of a step, in order.
  void step();
  void move_surface(const VelocityField& paths, const SolidsAt& next, double dt);
  // Returns the mesh before.
  [[nodiscard]] std::unique_ptr<LiquidMesh> make_mesh(const SolidsAt& solids_then);
  // The velocity in the new mesh, before forces.
  [[nodiscard]] std::shared_ptr<Flow> carried_velocity(const MeshVelocity* from, double dt);
  // Made when it is first wanted: at the end of a frame for its files, else by the step. The mesh
  // must not be empty.
  [[nodiscard]] const Ahead& look_ahead();
  [[nodiscard]] double longest_step_now(std::span<const Vec3> velocities) const;
  void choose_step(std::span<const Vec3> velocities);
  void project_velocity(Flow& next);
  // From what was carried on, as `projected` says.
  void project_carried(const FlowComponents& bodies, std::span<const std::uint8_t> is_thick,
                       Flow& next);
  struct StepEnd {
    double dt = 0;  // s
    double time = 0;
    bool is_frame = false;
  };
  [[nodiscard]] StepEnd step_of(double step_dt) const;
  // The surface with its bodies and books at the end of a step. Returns by how much the volume has
  // changed beyond what is booked.
  [[nodiscard]] double move_liquid(const VelocityField& paths, const StepEnd& end);
  // The same for dt, or for half of it where that would lose too much.
  [[nodiscard]] StepEnd move_without_loss(const VelocityField& paths);
  [[nodiscard]] double keep_books();
  void start_books();
  [[nodiscard]] std::vector<EditedVolume> as_booked(std::vector<EditedVolume> leaving) const;
  [[nodiscard]] std::ptrdiff_t body_near(const Vec3& place) const;
  [[nodiscard]] std::shared_ptr<Flow> velocity_of(const State& old) const;

  [[nodiscard]] SolidContinuation continuation(const SolidsAt& solids) const;
  // Of the mesh's cells, a byte each.
  [[nodiscard]] Buffer<std::uint8_t> thick_cells() const;
  // Books what they change.
  [[nodiscard]] std::vector<DivergenceRates> divergence_rates(
      const FlowComponents& bodies, std::span<const std::uint8_t> is_thick);
  // Of the mesh's cells, 1/s: what sources pour under water, and these rates.
  [[nodiscard]] Buffer<double> wanted_divergence(const FlowComponents& bodies,
                                                 std::span<const std::uint8_t> is_thick,
                                                 std::span<const DivergenceRates> rates) const;
  [[nodiscard]] std::vector<std::int32_t> tracked_bodies(const FlowComponents& bodies) const;
  void measure_bodies(const SolidsAt& now);
  void put_back_volume(double when);
  struct BodyMove;
  struct SurfaceMove;
  [[nodiscard]] SurfaceMove surface_move(std::span<const BodyMove> moves) const;
  std::optional<BandDistance> try_offsets(double when, std::span<BodyMove> moves) const;
  [[nodiscard]] double least_volume() const;  // m^3, of bodies that are moved
  // m^3 that the bodies should show more than they do, as far as there is room.
  [[nodiscard]] std::vector<double> volume_to_show(double when) const;
  [[nodiscard]] double tracked_volume() const;  // m^3
  [[nodiscard]] std::optional<ThickeningParams> thickening() const;
  // What the mesh is to fill; null: the liquid as it is.
  [[nodiscard]] std::unique_ptr<const MeshThickened> thickened_for_mesh(
      const SolidsAt& solids_then);
  void renew_cut();
  [[nodiscard]] std::vector<BodyVolume> body_list() const;
  // The velocity at the present time.
  [[nodiscard]] Vec3 synchronised(std::size_t cell_index) const;
  [[nodiscard]] const Buffer<Vec3>& cell_velocity_now();
  // Of cells, what counts as liquid: thin liquid is meshed as if it were thicker, and what is added
  // has no mass.
  [[nodiscard]] Buffer<double> liquid_shares() const;
  // The mesh must not be empty.
  [[nodiscard]] PresentVelocity& velocity_now();
  [[nodiscard]] Present& look_at_present();
  void fill_state(FrameReport& report);
  // In checkpoints, but for what was carried.
  void save_flow(StateWriter& state) const;
  void restore_flow(const StateReader& state);
  void project_again(const StateReader& state, Flow& next);
  void sample_probes();

  const Scene& scene;
  const SceneShapes& shapes;
  LiquidParams params;
  Solids solids;
  Openings openings;
  FreeRoom room;
  double cell, voxel;  // m
  Lattice lattice;     // of the surface
  Box3 mesh_box;
  StepLimits limits;

  double time = 0;
  int frame = 0;       // the last one reached
  double dt = 0;       // of the next step
  double last_dt = 0;  // of the one before
  double lag = 0;      // of `carried`, behind the present, s
  std::unique_ptr<ContouringTracker> tracker;
  std::unique_ptr<LiquidMesh> mesh;
  std::shared_ptr<const Flow> flow = std::make_shared<Flow>();
  std::optional<Projected> projected;  // none: `flow` was projected elsewhere
  std::unique_ptr<Ahead> ahead;
  std::unique_ptr<Present> present;  // once reports want it, until the next step
  Vec3 drift = Vec3::Zero();         // of drops too small for the mesh, while there is no mesh

  CutSurface cut;
  std::vector<BodySize> sizes;          // of the tracker's components, cut
  bool is_cut_old = false;              // the surface has moved since
  std::vector<EditedVolume> exchanged;  // through openings, in the last step
  VolumeControl control;
  VolumeBook book;
  TrackerReport tracking;
  FrameReport report;  // since the last frame
};

}  // namespace spindrift
