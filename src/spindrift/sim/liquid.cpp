#include "spindrift/sim/liquid.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "spindrift/core/error.hpp"
#include "spindrift/core/parallel_copy.hpp"
#include "spindrift/flow/advect.hpp"
#include "spindrift/flow/operators.hpp"
#include "spindrift/flow/separation.hpp"
#include "spindrift/levelset/far_distance.hpp"
#include "spindrift/sim/liquid_state.hpp"
#include "spindrift/sim/obstacle_cut.hpp"
#include "spindrift/sim/outflow.hpp"
#include "spindrift/sim/released_faces.hpp"
#include "spindrift/sim/scene_solids.hpp"
#include "spindrift/surface/mesh_thickening.hpp"

namespace spindrift {
namespace {

// In a frame: liquid that needs more has gone wild.
constexpr int kMostSteps = 10000;

// Of the volume: a step that loses more is taken again, half as long.
constexpr double kMostLoss = 0.02;
// Of the surface: films lose and gain volume in every step, and halving steps does not help.
constexpr double kThickEnough = 0.3;
// Of what a step may be: shorter ones are not halved.
constexpr double kShortest = 0.25;
// Steps grow by no more than this: after one that was halved, others are likely to be.
constexpr double kMostGrowth = 1.5;

// All bodies of liquid, as drawn; nothing anywhere if there are none.
class Bodies final : public ScalarField {
 public:
  explicit Bodies(const std::vector<ShapePtr>& shapes) : shapes_(shapes) {}
  void evaluate(std::span<const Vec3> points, std::span<double> values) const override {
    for (std::size_t i = 0; i < points.size(); ++i) {
      values[i] = 1e9;
      for (const ShapePtr& shape : shapes_) {
        values[i] = std::min(values[i], shape->distance(points[i]));
      }
    }
  }

 private:
  const std::vector<ShapePtr>& shapes_;
};

// A bound on the distance to a surface that lies farther out by up to `by`.
class Nearer final : public ScalarField {
 public:
  Nearer(const ScalarField& field, double by) : field_(field), by_(by) {}
  void evaluate(std::span<const Vec3> points, std::span<double> values) const override {
    field_.evaluate(points, values);
    for (double& value : values) value -= value > 0 ? by_ : 0;
  }

 private:
  const ScalarField& field_;
  double by_;
};

class UniformVelocity final : public VelocityField {
 public:
  explicit UniformVelocity(const Vec3& velocity) : velocity_(velocity) {}
  void evaluate(std::span<const Vec3> /*points*/, std::span<Vec3> velocities) const override {
    std::fill(velocities.begin(), velocities.end(), velocity_);
  }

 private:
  Vec3 velocity_;
};

}  // namespace

Liquid::State::State(const Scene& scene_in, const SceneShapes& shapes_in,
                     const LiquidParams& params_in)
    : scene(scene_in),
      shapes(shapes_in),
      params(params_in),
      solids(scene_solids(scene_in, shapes_in)),
      openings(scene_in, shapes_in, solids),
      room(solids, cell_size(scene_in)),
      cell(cell_size(scene_in)),
      voxel(cell / scene_in.resolution.surface) {
  const Box3 domain = solids.domain().box;
  mesh_box = Box3(domain.min() - Vec3::Constant(2 * cell), domain.max() + Vec3::Constant(2 * cell));
  limits = {.cell = cell,
            .cfl = scene.time.cfl,
            .max_step = scene.time.max_step,
            .gravity = scene.liquid.gravity.norm()};
  report.probes.resize(scene.probes.size());

  lattice = {domain.min(), voxel};
  ContouringParams tracking_params;
  tracking_params.lattice = lattice;
  const SolidsAt now = solids.at(0);
  tracker = std::make_unique<ContouringTracker>(Bodies(shapes.bodies), domain, tracking_params,
                                                continuation(now));
  open_at_start(now);
  (void)make_mesh(now);
  const std::shared_ptr<Flow> start = carried_velocity(nullptr, 0);
  choose_step(start->u);
  project_velocity(*start);
  flow = start;
  measure_bodies(now);
  start_books();
  sample_probes();
}

// Sources are full at the start, sinks empty: that is what the ledger starts from.
void Liquid::State::open_at_start(const SolidsAt& now) {
  SurfaceChanges changes;
  changes.solids = continuation(now);
  changes.edits = openings.edits(0, 0, solids.domain().box);
  changes.thickening = thickening();
  if (!changes.edits.empty()) (void)tracker->advance(UniformVelocity(Vec3::Zero()), 0, changes);
}

SolidContinuation Liquid::State::continuation(const SolidsAt& now) const {
  return {&now, params.solid_depth * voxel, params.solid_margin * voxel};
}

void Liquid::State::step() {
  StepEnd end;
  std::shared_ptr<Flow> next;
  if (mesh->is_empty()) {
    drift += (lag + 0.5 * dt) * scene.liquid.gravity;
    end = step_of(dt);
    (void)move_liquid(UniformVelocity(drift), end);
    put_back_volume(end.time);
    (void)make_mesh(solids.at(end.time));
    next = carried_velocity(nullptr, end.dt);
  } else {
    (void)look_ahead();
    present.reset();
    const std::unique_ptr<const Ahead> now = std::move(ahead);
    drift = now->velocity.far_velocity();
    end = move_without_loss(now->velocity.paths());
    put_back_volume(end.time);
    // `now` refers to it.
    const std::unique_ptr<LiquidMesh> old_mesh = make_mesh(solids.at(end.time));
    {
      const auto phase = report.stats.measure("project");
      mesh->released = likely_released(old_mesh->cells, old_mesh->released, mesh->cells, cell);
    }
    next = carried_velocity(&now->velocity, end.dt);
  }
  lag = end.dt - 0.5 * dt;
  last_dt = end.dt;
  time = end.time;
  frame += end.is_frame ? 1 : 0;
  ++report.steps;
  choose_step(next->u);
  project_velocity(*next);
  flow = std::move(next);
  sample_probes();
}

Liquid::State::StepEnd Liquid::State::step_of(double step_dt) const {
  const double frame_end = (frame + 1) / scene.time.fps;
  // Rounding must not leave a rest.
  const bool is_frame = time + step_dt * (1 + 1e-9) >= frame_end;
  const double end = is_frame ? frame_end : time + step_dt;
  return {step_dt, end, is_frame};
}

double Liquid::State::move_liquid(const VelocityField& paths, const StepEnd& end) {
  const SolidsAt next = solids.at(end.time);
  move_surface(paths, next, end.dt);
  measure_bodies(next);
  return keep_books();
}

// A step that goes too far where liquid meets solids or other liquid loses what overlaps; half of
// it loses far less.
Liquid::State::StepEnd Liquid::State::move_without_loss(const VelocityField& paths) {
  const double volume = tracked_volume();
  double area = 0;
  double thick_area = 0;
  for (const BodySize& size : sizes) {
    area += size.air_area;
    thick_area += size.thick_area;
  }
  const ContouringTracker::Memory surface_before = tracker->memory();
  const VolumeControl control_before = control;
  const VolumeBook book_before = book;
  const std::vector<double> owed_before = openings.owed();
  StepEnd end = step_of(dt);
  const double change = move_liquid(paths, end);
  const bool is_short = dt < kShortest * std::min(longest_step_now(flow->u), 1 / scene.time.fps);
  const bool is_thin = thick_area < kThickEnough * area;
  if (-change <= kMostLoss * volume || volume < least_volume() || is_short || is_thin) return end;
  tracker->restore(surface_before);
  control = control_before;
  book = book_before;
  openings.restore(owed_before);
  report.stats.count("steps halved", 1);
  end = step_of(0.5 * dt);
  (void)move_liquid(paths, end);
  return end;
}

Liquid::State::Ahead::Ahead(const State& state)
    : halfway(state.solids.at(state.time + 0.5 * state.dt)),
      velocity(
          {state.mesh->tets, *state.mesh->faces, state.mesh->cells, state.flow->u, state.flow->z},
          state.dt,
          {.interpolant = state.params.interpolant,
           .vertices = {.correction = state.params.correction}},
          {&halfway, state.solids.move() ? &halfway : nullptr, state.openings.outlets()}) {}

const Liquid::State::Ahead& Liquid::State::look_ahead() {
  if (!ahead) {
    const auto phase = report.stats.measure("advect");
    ahead = std::make_unique<Ahead>(*this);
    for (const auto& part : ahead->velocity.stats().phases()) {
      report.stats.add_seconds("advect: " + part.name, part.value);
    }
  }
  return *ahead;
}

void Liquid::State::move_surface(const VelocityField& paths, const SolidsAt& next, double step_dt) {
  const auto phase = report.stats.measure("surface");
  SurfaceChanges changes;
  if (!scene.sources.empty()) {
    // What is not shown for want of room is there all the same.
    const double volume = std::max(tracked_volume(), book.expected());
    openings.stop_sources(room.left(volume, time + step_dt) == 0);
  }
  const SolidsAt before = solids.at(time);
  changes.solids = continuation(next);
  changes.solids.before = &before;
  Box3 reached = bounds(tracker->surface());
  for (const ShapePtr& source : shapes.sources) {
    reached.extend(source->bounds().intersection(solids.domain().box));
  }
  const double speed = mesh->is_empty() ? drift.norm() : greatest_speed(flow->u);
  const double way = step_dt * speed + 2 * cell;
  if (!reached.isEmpty()) {
    reached = Box3(reached.min() - Vec3::Constant(way), reached.max() + Vec3::Constant(way));
  }
  changes.edits = openings.edits(time, step_dt, reached);
  // Thin parts are shown beyond the tracked surface, by less than a voxel.
  Box3 liquid_box = bounds(tracker->surface());
  if (!liquid_box.isEmpty()) {
    liquid_box =
        Box3(liquid_box.min() - Vec3::Constant(voxel), liquid_box.max() + Vec3::Constant(voxel));
  }
  const std::vector<EditedVolume> leaving = outflow(
      {paths, tracker->distance(), liquid_box, way, step_dt, lattice}, changes.edits, before);
  changes.outflow = leaving;
  exchanged = as_booked(leaving);
  if (solids.move()) {
    book.obstacles -=
        cut_by_obstacles({tracker->distance(), paths, step_dt}, before, next,
                         solids.moving_box(time, time + step_dt).intersection(reached),
                         solids.max_speed(time, time + step_dt), lattice);
  }
  changes.thickening = thickening();
  changes.gravity = scene.liquid.gravity;
  std::vector<double> held;
  if (scene.volume.control) {
    held = control.held_shares(tracker->thin_liquid().carried(control.bodies().size()));
    changes.held = held;
  }
  tracking = tracker->advance(paths, step_dt, changes);
  for (const auto& part : tracking.stats.phases()) {
    report.stats.add_seconds("surface: " + part.name, part.value);
  }
  report.stats.count("nodes traced", tracking.nodes);

  const std::vector<EditedVolume> poured = openings.inflow(tracking.edited, time, step_dt);
  exchanged.insert(exchanged.end(), poured.begin(), poured.end());
  book.thickening = tracking.thin_shown - tracking.thin_carried;
  book.in_flight = tracking.in_flight;
  book.specks += tracking.specks.pocket_volume - tracking.specks.drop_volume;
}

std::optional<ThickeningParams> Liquid::State::thickening() const {
  const ThickeningSettings& settings = scene.thickening;
  if (!settings.enabled) return std::nullopt;
  ThickeningParams how;
  how.thinness = settings.thinness;
  how.small = settings.small;
  how.redistribution = settings.redistribution;
  how.grow_big = settings.grow_big;
  how.grow_small = settings.grow_small;
  return how;
}

std::unique_ptr<const MeshThickened> Liquid::State::thickened_for_mesh(
    const SolidsAt& solids_then) {
  const ThickeningSettings& settings = scene.thickening;
  if (!settings.enabled || !(settings.mesh_radius > 0)) return nullptr;
  const auto phase = report.stats.measure("mesh: thicken");
  const std::vector<MedialParticle> particles = tracker->thin_liquid().middles();
  if (particles.empty()) return nullptr;
  return std::make_unique<MeshThickened>(
      tracker->distance(), particles, lattice,
      MeshThickeningParams{.thinness = settings.mesh_thinness * cell,
                           .radius = settings.mesh_radius * cell,
                           .support = std::max(settings.mesh_support * cell, voxel),
                           .most = 0.9 * tracker->samples().band * voxel},
      MeshedAmong{{mesh_box.min(), cell}, &solids_then, openings.outlets()});
}

std::unique_ptr<LiquidMesh> Liquid::State::make_mesh(const SolidsAt& solids_then) {
  const auto phase = report.stats.measure("mesh");
  ahead.reset();  // they refer to the old one
  present.reset();
  const std::unique_ptr<const MeshThickened> thickened = thickened_for_mesh(solids_then);
  const double offset = thickened ? thickened->greatest_offset() : 0;
  // Half the diagonal of a brick of cells, and a cell.
  const FarDistance far(tracker->samples(), 8 * cell + offset);
  const Nearer bound(far, offset);
  const ScalarField& liquid = thickened ? *thickened : tracker->distance();
  return std::exchange(mesh,
                       mesh_liquid({liquid, bound}, solids_then, mesh_box, cell, report.stats));
}

std::shared_ptr<Liquid::State::Flow> Liquid::State::carried_velocity(const MeshVelocity* from,
                                                                     double step_dt) {
  const auto phase = report.stats.measure("advect");
  const CellMesh& cells = mesh->cells;
  auto next = std::make_shared<Flow>();
  Buffer<double>& z = next->z;
  Buffer<Vec3>& u = next->u;
  z = filled_buffer(static_cast<std::size_t>(cells.face_count()), 0.0);
  u.resize(static_cast<std::size_t>(cells.cell_count()));
  if (from != nullptr) {
    const bool needs_faces = scene.solver.projection == Projection::two_point;
    (void)advect(*from, cells, step_dt, needs_faces ? std::span<double>(z) : std::span<double>(),
                 u);
    return next;
  }
  if (step_dt > 0) {
    parallel_fill(u, drift);
  } else if (params.start_velocity != nullptr) {
    evaluate_parallel(*params.start_velocity, cells.centers, u);
  } else {
    parallel_fill(u, Vec3(Vec3::Zero()));
    for (std::size_t c = 0; c < u.size(); ++c) {
      double closest = 1e300;
      for (std::size_t b = 0; b < shapes.bodies.size(); ++b) {
        const double d = shapes.bodies[b]->distance(cells.centers[c]);
        if (d >= closest) continue;
        closest = d;
        u[c] = scene.liquid.bodies[b].velocity;
      }
    }
  }
  face_velocities(cells, u, z);
  return next;
}

double Liquid::State::longest_step_now(std::span<const Vec3> velocities) const {
  return longest_step(limits, greatest_speed(velocities),
                      solids.max_speed(time, time + limits.max_step));
}

void Liquid::State::choose_step(std::span<const Vec3> velocities) {
  const double longest = longest_step_now(velocities);
  const double growing = last_dt > 0 ? std::min(longest, kMostGrowth * last_dt) : longest;
  dt = step_towards(time, (frame + 1) / scene.time.fps, growing);
  if (kMostSteps * dt >= std::min(limits.max_step, 1 / scene.time.fps)) return;
  throw Error(ErrorKind::numerical, {},
              fmt::format("at {:.6g} s the liquid moves at {:.3g} m/s, and a frame would take more "
                          "than {} steps",
                          time, greatest_speed(velocities), kMostSteps),
              "obstacles may leave it no room; or raise time.cfl");
}

void Liquid::State::project_velocity(Flow& next) {
  projected.emplace();
  if (mesh->is_empty()) return;
  const auto phase = report.stats.measure("project");
  CellMesh& cells = mesh->cells;
  const double kick = lag + 0.5 * dt;
  // Gravity acts on all of the liquid; on what sources prescribe it has acted already.
  openings.set_velocities(time, -kick * scene.liquid.gravity, cells, next.u, next.z);
  next.carried.resize(next.u.size());
  parallel_copy(next.u, next.carried);
  const FlowComponents bodies = find_components(cells);
  projected->likely = std::move(mesh->released);
  Buffer<std::uint8_t> is_thick;
  if (scene.volume.control && !control.bodies().empty()) {
    const auto own_phase = report.stats.measure("project: divergence");
    is_thick = thick_cells();
    projected->rates = divergence_rates(bodies, is_thick);
  }
  project_carried(bodies, is_thick, next);
}

void Liquid::State::project_carried(const FlowComponents& bodies,
                                    std::span<const std::uint8_t> is_thick, Flow& next) {
  CellMesh& cells = mesh->cells;
  const double kick = lag + 0.5 * dt;
  const SolidsAt halfway = solids.at(time + 0.5 * dt);
  Buffer<double> solid_velocity;
  if (solids.move()) {
    solid_velocity = filled_buffer(static_cast<std::size_t>(cells.face_count()), 0.0);
    parallel_for_each(cells.face_count(), [&](std::int64_t f) {
      const auto k = static_cast<std::size_t>(f);
      if (cells.tags[k] != FaceTag::solid) return;
      solid_velocity[k] =
          halfway.velocity_at(cells.face_centers[k]).dot(cells.area_vectors[k].normalized());
    });
  }
  const Buffer<double> divergence = wanted_divergence(bodies, is_thick, projected->rates);
  // What weighs on faces below the surface: a pool at rest would flow there otherwise.
  Buffer<double> boundary_pressure;
  if (!mesh->mixed.empty()) {
    boundary_pressure = filled_buffer(static_cast<std::size_t>(cells.face_count()), 0.0);
    for (const MixedFace& mixed : mesh->mixed) {
      boundary_pressure[static_cast<std::size_t>(mixed.face)] =
          std::max(0.0, -scene.liquid.density * scene.liquid.gravity.dot(mixed.way_up));
    }
  }
  ProjectionInput input;
  input.dt = kick;
  input.boundary_pressure = boundary_pressure;
  input.gravity = scene.liquid.gravity;
  input.solid_velocity = solid_velocity;
  input.divergence = divergence;
  input.bodies = &bodies;
  ProjectionParams how;
  how.kind = scene.solver.projection == Projection::consistent ? ProjectionKind::consistent
                                                               : ProjectionKind::two_point;
  how.density = scene.liquid.density;
  how.solve.tolerance = scene.solver.tolerance;
  next.pressure = filled_buffer(next.u.size(), 0.0);
  // A twentieth of what a cell weighs: less is not worth another solve.
  const double least_pull = 0.05 * scene.liquid.density * limits.gravity * cell;
  SeparationReport separated =
      project_separating(cells, input, how, {.least_pull = least_pull, .likely = projected->likely},
                         next.z, next.u, next.pressure);
  mesh->released = std::move(separated.released);
  const ProjectionReport& solved = separated.projection;
  report.stats.count("pressure solves", separated.solves);
  report.stats.add_seconds("project: set up", separated.seconds_setup);
  report.stats.add_seconds("project: solve", separated.seconds_solve);
  if (!solved.has_converged) {
    throw Error(ErrorKind::numerical, {},
                fmt::format("at {:.6g} s the pressure was not found: {}", time, solved.problem),
                "take smaller steps, or raise solver.tolerance");
  }
  report.residual = std::max(report.residual, solved.solve.residual());
  report.iterations = std::max(report.iterations, static_cast<int>(separated.iterations));
  report.greatest_divergence = std::max(report.greatest_divergence, solved.greatest_divergence);
}

Liquid::Liquid(const Scene& scene, const SceneShapes& shapes, const LiquidParams& params)
    : state_(std::make_unique<State>(scene, shapes, params)) {}
Liquid::~Liquid() = default;

FrameReport Liquid::advance_frame(const std::function<bool(double)>& after_step) {
  State& state = *state_;
  state.report = {};
  state.report.probes.resize(state.scene.probes.size());
  const Stopwatch watch;
  for (const int before = state.frame; state.frame == before;) {
    state.step();
    if (after_step && !after_step(state.time)) break;
  }
  if (!state.mesh->is_empty()) (void)state.look_ahead();
  state.report.stats.add_seconds("total", watch.seconds());
  state.renew_cut();
  FrameReport report = state.report;
  state.fill_state(report);
  return report;
}

double Liquid::time() const { return state_->time; }
const LiquidMesh& Liquid::mesh() const { return *state_->mesh; }
std::span<const Vec3> Liquid::cell_velocity() const { return state_->flow->u; }
const ScalarField& Liquid::distance() const { return state_->tracker->distance(); }

}  // namespace spindrift
