// What files hold of the inside of a liquid.
#include "spindrift/core/parallel.hpp"
#include "spindrift/sim/liquid_state.hpp"
#include "spindrift/sim/nodes_around.hpp"

namespace spindrift {

namespace {

void sample(PresentVelocity& velocity, VelocitySamples& samples) {
  std::vector<std::size_t> nodes;
  std::vector<Vec3> points;
  for (std::int64_t block = 0; block < samples.blocks.size(); ++block) {
    const Vec3i first = samples.blocks.first_node(block);
    for (int node = 0; node < kBlockNodes; ++node) {
      if (!has_node(samples.known[static_cast<std::size_t>(block)], node)) continue;
      nodes.push_back(static_cast<std::size_t>(block * kBlockNodes + node));
      points.push_back(samples.lattice.position(Vec3i(first + node_offset(node))));
    }
  }
  std::vector<Vec3> found(points.size());
  velocity.evaluate(points, found);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    samples.values[nodes[i]] = found[i].cast<float>();
  }
}

}  // namespace

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
  sample(state_->velocity_now(), samples);
  return levelset;
}

}  // namespace spindrift
