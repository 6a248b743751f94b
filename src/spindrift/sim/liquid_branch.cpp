// Going on in a changed scene.
#include "spindrift/core/error.hpp"
#include "spindrift/flow/mesh_velocity.hpp"
#include "spindrift/flow/operators.hpp"
#include "spindrift/sim/liquid_state.hpp"
#include "spindrift/sim/released_faces.hpp"

namespace spindrift {

namespace {

bool are_same(const LiquidMesh& a, const LiquidMesh& b) {
  return a.tets.vertices == b.tets.vertices && a.tets.tets == b.tets.tets &&
         a.cells.tags.size() == b.cells.tags.size();
}

}  // namespace

void Liquid::branch_from(const Liquid& before) {
  State& s = *state_;
  const State& old = *before.state_;
  SPINDRIFT_ASSERT(s.cell == old.cell && s.voxel == old.voxel &&
                   s.lattice.origin == old.lattice.origin);
  s.time = old.time;
  s.frame = old.frame;
  s.dt = old.dt;
  s.last_dt = old.last_dt;
  s.lag = old.lag;
  s.drift = old.drift;
  s.tracker->restore(old.tracker->memory());
  (void)s.make_mesh(s.solids.at(s.time));
  s.book = old.book;
  s.control.restore(old.control.bodies(), old.control.waiting());
  // What is owed belongs to sources by their number.
  if (s.openings.owed().size() == old.openings.owed().size()) {
    s.openings.restore(old.openings.owed());
  }
  s.measure_bodies(s.solids.at(s.time));
  if (are_same(*s.mesh, *old.mesh)) {
    s.flow = old.flow;
    s.projected.reset();  // by another scene
    take_tags(old.mesh->cells.tags, *s.mesh);
  } else {
    const std::shared_ptr<State::Flow> next = s.velocity_of(old);
    s.control.start(s.body_list());
    // What new solids displace is no drift.
    for (const BodySize& size : s.sizes) s.book.start += size.volume;
    for (const BodySize& size : old.sizes) s.book.start -= size.volume;
    s.mesh->released = likely_released(old.mesh->cells, old.mesh->released, s.mesh->cells, s.cell);
    s.project_velocity(*next);
    s.flow = next;
  }
  s.report = {};
  s.report.probes.resize(s.scene.probes.size());
}

// From before the last forces and projection, which are to be done again.
std::shared_ptr<Liquid::State::Flow> Liquid::State::velocity_of(const State& old) const {
  auto next = std::make_shared<Flow>();
  Buffer<double>& z = next->z;
  Buffer<Vec3>& u = next->u;
  u.assign(static_cast<std::size_t>(mesh->cells.cell_count()), drift);
  z.assign(static_cast<std::size_t>(mesh->cells.face_count()), 0.0);
  if (mesh->is_empty()) return next;
  if (!old.mesh->is_empty()) {
    const SolidsAt solids_then = old.solids.at(time);
    const MeshVelocity velocity(
        {old.mesh->tets, *old.mesh->faces, old.mesh->cells, old.flow->carried, {}}, 0, {},
        {&solids_then, &solids_then, nullptr});
    evaluate_parallel(velocity.values(), mesh->cells.centers, u);
  }
  face_velocities(mesh->cells, u, z);
  return next;
}

}  // namespace spindrift
