#include "spindrift/sim/liquid.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "spindrift/bodies/solids.hpp"
#include "spindrift/core/error.hpp"
#include "spindrift/core/parallel.hpp"
#include "spindrift/flow/advect.hpp"
#include "spindrift/flow/components.hpp"
#include "spindrift/flow/operators.hpp"
#include "spindrift/flow/separation.hpp"
#include "spindrift/mesh/tet_locator.hpp"
#include "spindrift/sim/body_volumes.hpp"
#include "spindrift/sim/gauge.hpp"
#include "spindrift/sim/solid_impacts.hpp"
#include "spindrift/sim/step_control.hpp"
#include "spindrift/sim/tracker_state.hpp"
#include "spindrift/sim/volume_control.hpp"
#include "spindrift/surface/contouring_tracker.hpp"

namespace spindrift {
namespace {

Solids scene_solids(const Scene& scene, const SceneShapes& shapes) {
  Domain domain;
  domain.box = Box3(scene.domain.min, scene.domain.max);
  for (std::size_t side = 0; side < 6; ++side) {
    domain.is_wall[side] = scene.domain.sides[side] == Side::wall;
  }
  std::vector<Obstacle> obstacles;
  for (std::size_t i = 0; i < scene.obstacles.size(); ++i) {
    const auto& motion = scene.obstacles[i].motion;
    obstacles.push_back({shapes.obstacles[i], motion ? build_motion(*motion) : Motion()});
  }
  return {domain, std::move(obstacles)};
}

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

// What lies beyond one open side of the domain.
class BeyondSide final : public ScalarField {
 public:
  BeyondSide(const Box3& domain, int side) : domain_(domain), axis_(side / 2), is_high_(side % 2) {}
  void evaluate(std::span<const Vec3> points, std::span<double> values) const override {
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double x = points[i][axis_];
      values[i] = is_high_ ? domain_.max()[axis_] - x : x - domain_.min()[axis_];
    }
  }
  // The part of a box beyond the side.
  [[nodiscard]] Box3 part_of(const Box3& box) const {
    Box3 part = box;
    (is_high_ ? part.min() : part.max())[axis_] =
        is_high_ ? domain_.max()[axis_] : domain_.min()[axis_];
    return part;
  }

 private:
  Box3 domain_;
  int axis_;
  bool is_high_;
};

// Tags of edits.
enum EditTag : std::uint32_t { kSource, kSink, kOpenSide };

class UniformVelocity final : public VelocityField {
 public:
  explicit UniformVelocity(const Vec3& velocity) : velocity_(velocity) {}
  void evaluate(std::span<const Vec3> /*points*/, std::span<Vec3> velocities) const override {
    std::fill(velocities.begin(), velocities.end(), velocity_);
  }

 private:
  Vec3 velocity_;
};

double greatest_speed(std::span<const Vec3> velocities) {
  double greatest = 0;
  for (const Vec3& u : velocities) greatest = std::max(greatest, u.squaredNorm());
  return std::sqrt(greatest);
}

}  // namespace

struct Liquid::State {
  State(const Scene& scene_in, const SceneShapes& shapes_in, const LiquidParams& params_in);

  // The parts of a step, in order.
  void step();
  void move_surface(const VelocityField& paths, const SolidsAt& next, double dt);
  void make_mesh(const SolidsAt& solids_then);
  void carry_velocity(const MeshVelocity* from, double dt);
  void choose_step();
  void project_velocity();
  void keep_books(double dt);

  [[nodiscard]] SolidContinuation continuation(const SolidsAt& solids) const;
  void apply_sources(double kick);
  [[nodiscard]] Buffer<double> volume_divergence();
  void measure_volumes();
  [[nodiscard]] std::vector<BodyVolume> body_list() const;
  // At the present time: u is half a step ahead.
  [[nodiscard]] Vec3 synchronised(std::size_t cell_index) const;
  [[nodiscard]] Buffer<Vec3> synchronised_velocity() const;
  void fill_state(FrameReport& report) const;
  void sample_probes();

  const Scene& scene;
  const SceneShapes& shapes;
  LiquidParams params;
  Solids solids;
  double cell, voxel;  // m
  Lattice lattice;     // of the surface
  Box3 mesh_box;
  StepLimits limits;

  double time = 0;
  int frame = 0;       // the last one reached
  double dt = 0;       // of the next step
  double last_dt = 0;  // of the one before
  std::unique_ptr<ContouringTracker> tracker;
  std::unique_ptr<LiquidMesh> mesh;
  Buffer<double> z;
  Buffer<Vec3> u;
  Buffer<Vec3> carried;  // u before forces and projection
  Buffer<double> pressure;
  Vec3 drift = Vec3::Zero();  // of drops too small for the mesh, while there is no mesh

  CutSurface cut;
  std::vector<double> volumes;  // of the tracker's components, cut
  std::vector<double> edited;   // of them, by sources and sinks in the last step
  VolumeControl control;
  VolumeBook book;
  TrackerReport tracking;
  std::vector<SolidImpact> impacts;  // in the last step
  FrameReport report;                // since the last frame
};

Liquid::State::State(const Scene& scene_in, const SceneShapes& shapes_in,
                     const LiquidParams& params_in)
    : scene(scene_in),
      shapes(shapes_in),
      params(params_in),
      solids(scene_solids(scene_in, shapes_in)),
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
  make_mesh(now);
  carry_velocity(nullptr, 0);
  choose_step();
  project_velocity();
  measure_volumes();
  control.start(body_list());
  for (const double volume : volumes) book.start += volume;
  sample_probes();
}

SolidContinuation Liquid::State::continuation(const SolidsAt& now) const {
  return {&now, params.solid_depth * voxel, params.solid_margin * voxel};
}

void Liquid::State::step() {
  const double step_dt = dt;
  const double frame_end = (frame + 1) / scene.time.fps;
  // Rounding must not leave a rest.
  const bool ends_frame = time + step_dt * (1 + 1e-9) >= frame_end;
  const double next_time = ends_frame ? frame_end : time + step_dt;
  const SolidsAt next = solids.at(next_time);
  if (mesh->is_empty()) {
    drift += 0.5 * (last_dt + dt) * scene.liquid.gravity;
    move_surface(UniformVelocity(drift), next, step_dt);
    make_mesh(next);
    carry_velocity(nullptr, step_dt);
  } else {
    std::optional<MeshVelocity> velocity;
    const SolidsAt halfway = solids.at(time + 0.5 * step_dt);
    {
      const auto phase = report.stats.measure("advect");
      MeshVelocityParams how;
      how.interpolant = params.interpolant;
      how.vertices.correction = params.correction;
      velocity.emplace(TetFlow{mesh->tets, *mesh->faces, mesh->cells, u, z}, step_dt, how,
                       SolidMotion{&halfway, &halfway});
      drift = velocity->far_velocity();
    }
    move_surface(velocity->paths(), next, step_dt);
    const std::unique_ptr<LiquidMesh> old_mesh = std::move(mesh);  // `velocity` refers to it
    const Buffer<Vec3> old_u = std::move(u);
    const Buffer<double> old_z = std::move(z);
    make_mesh(next);
    carry_velocity(&*velocity, step_dt);
  }
  time = next_time;
  frame += ends_frame ? 1 : 0;
  last_dt = step_dt;
  ++report.steps;
  measure_volumes();
  keep_books(step_dt);
  choose_step();
  project_velocity();
  sample_probes();
}

void Liquid::State::move_surface(const VelocityField& paths, const SolidsAt& next, double step_dt) {
  const auto phase = report.stats.measure("surface");
  SurfaceChanges changes;
  const SolidsAt before = solids.at(time);
  changes.solids = continuation(next);
  changes.solids.before = &before;
  const Box3 domain = solids.domain().box;

  std::vector<std::unique_ptr<ScalarField>> made;
  const double middle = time + 0.5 * step_dt;
  for (std::size_t i = 0; i < scene.sources.size(); ++i) {
    const SourceSpec& source = scene.sources[i];
    if (middle < source.start || (source.stop && middle >= *source.stop)) continue;
    changes.edits.push_back({SurfaceEdit::Kind::add, shapes.sources[i].get(),
                             shapes.sources[i]->bounds().intersection(domain), kSource});
  }
  for (const ShapePtr& sink : shapes.sinks) {
    changes.edits.push_back(
        {SurfaceEdit::Kind::remove, sink.get(), sink->bounds().intersection(domain), kSink});
  }
  Box3 reached = bounds(tracker->surface());
  for (const SurfaceEdit& edit : changes.edits) reached.extend(edit.box);
  if (!reached.isEmpty()) {
    const double way = step_dt * greatest_speed(u) + 2 * cell;
    reached = Box3(reached.min() - Vec3::Constant(way), reached.max() + Vec3::Constant(way));
    for (int side = 0; side < 6; ++side) {
      if (solids.domain().is_wall[static_cast<std::size_t>(side)]) continue;
      auto beyond = std::make_unique<BeyondSide>(domain, side);
      const Box3 box = beyond->part_of(reached);
      if (!box.isEmpty())
        changes.edits.push_back({SurfaceEdit::Kind::remove, beyond.get(), box, kOpenSide});
      made.push_back(std::move(beyond));
    }
  }
  impacts = find_impacts(*tracker, lattice, paths, step_dt, before, next);
  tracking = tracker->advance(paths, step_dt, changes);
  for (const auto& part : tracking.stats.phases()) {
    report.stats.add_seconds("surface: " + part.name, part.value);
  }
  report.stats.count("nodes traced", tracking.nodes);

  const auto& components = tracker->components();
  edited.assign(components.components.size(), 0.0);
  for (const EditedVolume& change : tracking.edited) {
    (change.tag == kSource ? book.sources
     : change.tag == kSink ? book.sinks
                           : book.open_sides) += change.volume;
    const std::int32_t vertex = tracker->vertices().closest(change.place, 8);
    const std::int32_t body =
        vertex < 0 ? 0 : components.of_vertex[static_cast<std::size_t>(vertex)];
    if (body >= 0 && !edited.empty()) edited[static_cast<std::size_t>(body)] += change.volume;
  }
  book.specks += tracking.specks.pocket_volume - tracking.specks.drop_volume;
}

void Liquid::State::make_mesh(const SolidsAt& solids_then) {
  const auto phase = report.stats.measure("mesh");
  mesh = mesh_liquid(tracker->distance(), solids_then, mesh_box, cell, report.stats);
}

void Liquid::State::carry_velocity(const MeshVelocity* from, double step_dt) {
  const auto phase = report.stats.measure("advect");
  const CellMesh& cells = mesh->cells;
  z.assign(static_cast<std::size_t>(cells.face_count()), 0.0);
  u.assign(static_cast<std::size_t>(cells.cell_count()), Vec3::Zero());
  if (from != nullptr) {
    const bool needs_faces = scene.solver.projection == Projection::two_point;
    (void)advect(*from, cells, step_dt, needs_faces ? std::span<double>(z) : std::span<double>(),
                 u);
    return;
  }
  if (step_dt > 0) {
    std::fill(u.begin(), u.end(), drift);
  } else {
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
}

void Liquid::State::choose_step() {
  const double longest =
      longest_step(limits, greatest_speed(u), solids.max_speed(time, time + limits.max_step));
  dt = step_towards(time, (frame + 1) / scene.time.fps, longest);
}

void Liquid::State::apply_sources(double kick) {
  for (std::size_t i = 0; i < scene.sources.size(); ++i) {
    const SourceSpec& source = scene.sources[i];
    if (time < source.start || (source.stop && time >= *source.stop)) continue;
    const Shape& shape = *shapes.sources[i];
    // Gravity acts on all of the liquid; here it has acted already.
    const Vec3 velocity = source.velocity - kick * scene.liquid.gravity;
    const CellMesh& cells = mesh->cells;
    parallel_for_each(cells.cell_count(), [&](std::int64_t c) {
      const auto k = static_cast<std::size_t>(c);
      if (shape.distance(cells.centers[k]) < 0) u[k] = velocity;
    });
    if (scene.solver.projection == Projection::consistent) continue;
    parallel_for_each(cells.face_count(), [&](std::int64_t f) {
      const auto k = static_cast<std::size_t>(f);
      if (shape.distance(cells.face_centers[k]) < 0) {
        z[k] = velocity.dot(cells.area_vectors[k].normalized());
      }
    });
  }
}

// What keeps the volume of the bodies, 1/s in the cells.
Buffer<double> Liquid::State::volume_divergence() {
  const CellMesh& cells = mesh->cells;
  Buffer<double> divergence(static_cast<std::size_t>(cells.cell_count()), 0.0);
  const FlowComponents bodies = find_components(cells);
  // By a vertex of theirs at the surface.
  std::vector<std::int32_t> tracked(bodies.components.size(), -1);
  for (std::int64_t f = 0; f < cells.face_count(); ++f) {
    const auto k = static_cast<std::size_t>(f);
    if (cells.tags[k] != FaceTag::air) continue;
    std::int32_t& body = tracked[static_cast<std::size_t>(
        bodies.of_cell[static_cast<std::size_t>(cells.face_cells[k][0])])];
    if (body >= 0) continue;
    const std::int32_t vertex =
        tracker->vertices().closest(cells.face_centers[k], 2.0 * scene.resolution.surface);
    if (vertex >= 0) body = tracker->components().of_vertex[static_cast<std::size_t>(vertex)];
  }
  spread_impacts(impacts, lattice, cells, dt, divergence);
  // The rest of what the bodies miss.
  std::vector<double> promised(control.bodies().size(), 0.0);
  for (std::size_t c = 0; c < divergence.size(); ++c) {
    const std::int32_t body = tracked[static_cast<std::size_t>(bodies.of_cell[c])];
    if (body >= 0) {
      promised[static_cast<std::size_t>(body)] += dt * divergence[c] * cells.volumes[c];
    }
  }
  // Not more than was lost: some of it found its way.
  std::vector<double> kept(promised.size(), 1.0);
  for (std::size_t b = 0; b < promised.size(); ++b) {
    if (promised[b] > 0) {
      kept[b] = std::clamp(control.bodies()[b].missing / promised[b], 0.0, 1.0);
    }
  }
  for (std::size_t c = 0; c < divergence.size(); ++c) {
    const std::int32_t body = tracked[static_cast<std::size_t>(bodies.of_cell[c])];
    if (body < 0) continue;
    const auto b = static_cast<std::size_t>(body);
    divergence[c] = kept[b] * divergence[c] + control.divergence(b, dt, kept[b] * promised[b]);
    book.correction += dt * divergence[c] * cells.volumes[c];
  }
  return divergence;
}

void Liquid::State::project_velocity() {
  if (mesh->is_empty()) {
    carried.clear();
    pressure.clear();
    return;
  }
  const auto phase = report.stats.measure("project");
  CellMesh& cells = mesh->cells;
  const double kick = 0.5 * (last_dt + dt);
  apply_sources(kick);
  carried = u;

  const SolidsAt halfway = solids.at(time + 0.5 * dt);
  Buffer<double> solid_velocity;
  if (solids.move()) {
    solid_velocity.assign(static_cast<std::size_t>(cells.face_count()), 0.0);
    parallel_for_each(cells.face_count(), [&](std::int64_t f) {
      const auto k = static_cast<std::size_t>(f);
      if (cells.tags[k] != FaceTag::solid) return;
      solid_velocity[k] =
          halfway.velocity_at(cells.face_centers[k]).dot(cells.area_vectors[k].normalized());
    });
  }
  Buffer<double> divergence;
  if (scene.volume.control && !control.bodies().empty()) divergence = volume_divergence();
  // What weighs on faces below the surface: a pool at rest would flow there otherwise.
  Buffer<double> boundary_pressure;
  if (!mesh->mixed.empty()) {
    boundary_pressure.assign(static_cast<std::size_t>(cells.face_count()), 0.0);
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
  ProjectionParams how;
  how.kind = scene.solver.projection == Projection::consistent ? ProjectionKind::consistent
                                                               : ProjectionKind::two_point;
  how.density = scene.liquid.density;
  how.solve.tolerance = scene.solver.tolerance;
  pressure.assign(u.size(), 0.0);
  // A twentieth of what a cell weighs: less is not worth another solve.
  const double least_pull = 0.05 * scene.liquid.density * limits.gravity * cell;
  const SeparationReport separated =
      project_separating(cells, input, how, {.least_pull = least_pull}, z, u, pressure);
  const ProjectionReport& solved = separated.projection;
  if (!solved.has_converged) {
    throw Error(ErrorKind::numerical, {},
                fmt::format("at {:.6g} s the pressure was not found: {}", time, solved.problem),
                "take smaller steps, or raise solver.tolerance");
  }
  report.residual = std::max(report.residual, solved.solve.residual());
  report.iterations = std::max(report.iterations, static_cast<int>(separated.iterations));
  report.greatest_divergence = std::max(report.greatest_divergence, solved.greatest_divergence);
}

void Liquid::State::measure_volumes() {
  const auto phase = report.stats.measure("other");
  const SolidsAt now = solids.at(time);
  {
    const auto part = report.stats.measure("other: cut");
    cut = cut_surface(tracker->surface(), tracker->samples(), now, mesh_box);
  }
  volumes = body_volumes(cut, tracker->components(), tracker->vertices());
  edited.resize(volumes.size(), 0.0);
}

std::vector<BodyVolume> Liquid::State::body_list() const {
  std::vector<BodyVolume> list;
  const auto& components = tracker->components().components;
  for (std::size_t i = 0; i < components.size(); ++i) {
    list.push_back({components[i].id, components[i].parents, volumes[i], edited[i]});
  }
  return list;
}

void Liquid::State::keep_books(double step_dt) {
  const auto largest = [&](std::int64_t) -> std::ptrdiff_t {
    const auto most = std::max_element(volumes.begin(), volumes.end());
    return most == volumes.end() ? -1 : most - volumes.begin();
  };
  (void)control.update(body_list(), step_dt, largest);
}

Vec3 Liquid::State::synchronised(std::size_t cell_index) const {
  // Of the last kick, the part that lies before now.
  const double share = last_dt > 0 ? last_dt / (last_dt + dt) : 0;
  return carried[cell_index] + share * (u[cell_index] - carried[cell_index]);
}

Buffer<Vec3> Liquid::State::synchronised_velocity() const {
  Buffer<Vec3> now(u.size());
  for (std::size_t c = 0; c < now.size(); ++c) now[c] = synchronised(c);
  return now;
}

void Liquid::State::fill_state(FrameReport& result) const {
  result.frame = frame;
  result.time = time;
  result.tets = std::ssize(mesh->tets.tets);
  result.triangles = cut.mesh.triangle_count();
  Ledger& ledger = result.ledger;
  ledger.book = book;
  for (const double volume : volumes) ledger.volume += volume;
  result.volume = ledger.volume;
  const double expected = book.expected();
  result.volume_drift = expected > 0 ? (ledger.volume - expected) / expected : 0;
  for (const VolumeControl::Body& body : control.bodies()) {
    ledger.bodies.push_back({body.id, body.volume, body.volume + body.missing});
  }
  const Buffer<Vec3> now = synchronised_velocity();
  const double density = scene.liquid.density;
  double kinetic = 0;
  Vec3 momentum = Vec3::Zero();
  for (std::size_t c = 0; c < now.size() && c < mesh->cells.volumes.size(); ++c) {
    const double mass = density * mesh->cells.volumes[c];
    kinetic += 0.5 * mass * now[c].squaredNorm();
    momentum += mass * now[c];
  }
  ledger.kinetic = kinetic;
  for (int axis = 0; axis < 3; ++axis) ledger.momentum[axis] = momentum[axis];
  if (cut.mesh.triangle_count() > 0) {
    const MassProperties mass = mass_properties(cut.mesh, density);
    const Box3& box = solids.domain().box;
    Vec3 bottom = box.min();
    for (int axis = 0; axis < 3; ++axis) {
      if (scene.liquid.gravity[axis] > 0) bottom[axis] = box.max()[axis];
    }
    ledger.potential = -mass.mass * scene.liquid.gravity.dot(mass.center - bottom);
  }
  result.energy = ledger.kinetic + ledger.potential;
  result.max_speed = greatest_speed(now);
}

void Liquid::State::sample_probes() {
  const auto phase = report.stats.measure("other");
  std::optional<TetLocator> locator;
  for (std::size_t i = 0; i < scene.probes.size(); ++i) {
    const ProbeSpec& probe = scene.probes[i];
    ProbeSample sample{time, Vec3::Zero()};
    if (probe.kind == ProbeKind::height) {
      sample.value.x() = surface_height(tracker->distance(), solids.at(time), solids.domain().box,
                                        probe.at, voxel);
    } else if (!mesh->is_empty()) {
      if (!locator) locator.emplace(mesh->tets, mesh->faces->neighbors());
      const std::int32_t tet = locator->find(probe.at);
      if (tet >= 0) {
        const auto t = static_cast<std::size_t>(tet);
        if (probe.kind == ProbeKind::pressure) sample.value.x() = pressure[t];
        if (probe.kind == ProbeKind::velocity) sample.value = synchronised(t);
      }
    }
    report.probes[i].push_back(sample);
  }
}

Liquid::Liquid(const Scene& scene, const SceneShapes& shapes, const LiquidParams& params)
    : state_(std::make_unique<State>(scene, shapes, params)) {}
Liquid::~Liquid() = default;

FrameReport Liquid::report() const {
  FrameReport report = state_->report;
  state_->fill_state(report);
  return report;
}

FrameReport Liquid::advance_frame(const std::function<bool(double)>& after_step) {
  State& state = *state_;
  state.report = {};
  state.report.probes.resize(state.scene.probes.size());
  const Stopwatch watch;
  for (const int before = state.frame; state.frame == before;) {
    state.step();
    if (after_step && !after_step(state.time)) break;
  }
  state.report.stats.add_seconds("total", watch.seconds());
  FrameReport report = state.report;
  state.fill_state(report);
  return report;
}

double Liquid::time() const { return state_->time; }
const LiquidMesh& Liquid::mesh() const { return *state_->mesh; }
std::span<const Vec3> Liquid::cell_velocity() const { return state_->u; }

LiquidSurface Liquid::surface() const {
  const State& state = *state_;
  LiquidSurface surface;
  surface.mesh = state.cut.mesh;
  surface.velocities.assign(surface.mesh.vertices.size(), state.drift);
  if (!state.mesh->is_empty()) {
    const Buffer<Vec3> now = state.synchronised_velocity();
    const SolidsAt solids = state.solids.at(state.time);
    const MeshVelocity velocity({state.mesh->tets, *state.mesh->faces, state.mesh->cells, now, {}},
                                0, {}, {&solids, &solids});
    evaluate_parallel(velocity.paths(), surface.mesh.vertices, surface.velocities);
  }
  return surface;
}

// ---- Checkpoints

void Liquid::save(StateWriter& state) const {
  const State& s = *state_;
  state.put("time", s.time);
  state.put("frame", std::int64_t{s.frame});
  state.put("dt", s.dt);
  state.put("last_dt", s.last_dt);
  state.put("drift", s.drift);
  save_tracker(*s.tracker, state);
  state.put("velocity.faces", s.z);
  state.put("velocity.cells", s.u);
  state.put("velocity.carried", s.carried);
  state.put("pressure", s.pressure);
  std::vector<std::uint8_t> tags;
  for (const FaceTag tag : s.mesh->cells.tags) tags.push_back(static_cast<std::uint8_t>(tag));
  state.put("tags", tags);
  const VolumeBook& book = s.book;
  state.put("book", std::vector<double>{book.start, book.sources, book.sinks, book.open_sides,
                                        book.specks, book.correction});
  std::vector<std::int64_t> ids;
  std::vector<double> bodies;
  for (const VolumeControl::Body& body : s.control.bodies()) {
    ids.push_back(body.id);
    bodies.insert(bodies.end(), {body.volume, body.missing, body.debt});
  }
  state.put("bodies.ids", ids);
  state.put("bodies.volumes", bodies);
}

void Liquid::restore(const StateReader& state) {
  State& s = *state_;
  s.time = state.get<double>("time");
  s.frame = static_cast<int>(state.get<std::int64_t>("frame"));
  s.dt = state.get<double>("dt");
  s.last_dt = state.get<double>("last_dt");
  s.drift = state.get<Vec3>("drift");
  restore_tracker(state, *s.tracker);
  s.make_mesh(s.solids.at(s.time));
  const auto fill = [&]<class T>(const char* name, std::int64_t count, Buffer<T>& values) {
    const std::vector<T> read = state.array<T>(name);
    if (std::ssize(read) != count && !(read.empty() && count == 0)) {
      throw InputError({}, fmt::format("the checkpoint's '{}' does not fit its surface", name),
                       "it comes from another version or another scene: begin anew");
    }
    values.assign(read.begin(), read.end());
  };
  CellMesh& cells = s.mesh->cells;
  fill("velocity.faces", cells.face_count(), s.z);
  fill("velocity.cells", cells.cell_count(), s.u);
  fill("velocity.carried", cells.cell_count(), s.carried);
  fill("pressure", cells.cell_count(), s.pressure);
  Buffer<std::uint8_t> tags;
  fill("tags", cells.face_count(), tags);
  for (std::size_t f = 0; f < tags.size(); ++f) cells.tags[f] = static_cast<FaceTag>(tags[f]);
  const std::vector<double> book = state.array<double>("book");
  const std::vector<std::int64_t> ids = state.array<std::int64_t>("bodies.ids");
  const std::vector<double> volumes = state.array<double>("bodies.volumes");
  if (book.size() != 6 || volumes.size() != 3 * ids.size()) {
    throw InputError({}, "the checkpoint's books are damaged", "begin anew");
  }
  s.book = {book[0], book[1], book[2], book[3], book[4], book[5]};
  std::vector<VolumeControl::Body> bodies;
  for (std::size_t b = 0; b < ids.size(); ++b) {
    bodies.push_back({ids[b], volumes[3 * b], volumes[3 * b + 1], volumes[3 * b + 2]});
  }
  s.control.restore(std::move(bodies));
  s.measure_volumes();
  s.report = {};
  s.report.probes.resize(s.scene.probes.size());
}

}  // namespace spindrift
