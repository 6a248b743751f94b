// What files hold of the inside of a liquid.
#include "spindrift/sim/liquid_state.hpp"
#include "spindrift/sim/nodes_around.hpp"

namespace spindrift {

CachedMesh Liquid::inside() const {
  State& state = *state_;
  CachedMesh inside;
  inside.mesh.vertices = state.mesh->tets.vertices;
  inside.mesh.tets = state.mesh->tets.tets;
  inside.pressure = state.flow->pressure;
  inside.velocity = state.cell_velocity_now();
  inside.liquid = state.liquid_shares();
  return inside;
}

CachedLevelSet Liquid::level_set() const {
  const State& state = *state_;
  CachedLevelSet levelset;
  levelset.lattice = state.lattice;
  VelocitySamples& samples = levelset.velocity;
  samples.lattice = {state.lattice.origin, state.cell};
  if (state.mesh->is_empty()) return levelset;
  MarkedNodes nodes = nodes_around(state.mesh->tets, samples.lattice);
  samples.blocks = std::move(nodes.blocks);
  samples.known = std::move(nodes.marks);
  samples.values.assign(static_cast<std::size_t>(samples.blocks.size()) * kBlockNodes,
                        Vec3f::Zero());
  state_->velocity_now().evaluate_at_nodes(samples.lattice, samples.blocks, samples.known,
                                           samples.values);
  return levelset;
}

}  // namespace spindrift
