// What files hold of the inside of a liquid.
#include <atomic>

#include "spindrift/core/parallel.hpp"
#include "spindrift/levelset/block_numbers.hpp"
#include "spindrift/sim/liquid_state.hpp"

namespace spindrift {

namespace {

// Every node in a box around a tetrahedron, and the next ones.
void mark_nodes(const TetMesh& mesh, VelocitySamples& samples) {
  const auto box_of = [&](std::int64_t tet) {
    Box3 box;
    for (int k = 0; k < 4; ++k) box.extend(samples.lattice.to_lattice(mesh.corner(tet, k)));
    return std::pair<Vec3i, Vec3i>(Vec3i(box.min().array().floor().cast<int>()),
                                   Vec3i(box.max().array().ceil().cast<int>()));
  };
  const auto for_each_in = [](const Vec3i& low, const Vec3i& high, const auto& call) {
    for (int z = low.z(); z <= high.z(); ++z) {
      for (int y = low.y(); y <= high.y(); ++y) {
        for (int x = low.x(); x <= high.x(); ++x) call(Vec3i(x, y, z));
      }
    }
  };
  constexpr std::int64_t kChunk = 1 << 14;
  std::vector<std::vector<std::uint64_t>> parts(
      static_cast<std::size_t>(chunk_count(mesh.tet_count(), kChunk)));
  parallel_for_chunks(mesh.tet_count(), kChunk, [&](std::int64_t begin, std::int64_t end) {
    BlockNumbers seen;
    for (std::int64_t tet = begin; tet < end; ++tet) {
      const auto [low, high] = box_of(tet);
      for_each_in(block_of_node(low), block_of_node(high),
                  [&](const Vec3i& block) { (void)seen.number(block_key(block)); });
    }
    parts[static_cast<std::size_t>(begin / kChunk)] = std::move(seen.keys);
  });
  std::vector<std::uint64_t> keys;
  for (const auto& part : parts) keys.insert(keys.end(), part.begin(), part.end());
  samples.blocks = BlockSet(std::move(keys));
  samples.known.assign(static_cast<std::size_t>(samples.blocks.size()), BlockMask{});
  parallel_for_chunks(mesh.tet_count(), kChunk, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t tet = begin; tet < end; ++tet) {
      const auto [low, high] = box_of(tet);
      for_each_in(low, high, [&](const Vec3i& node) {
        const std::int32_t block = samples.blocks.find(block_of_node(node));
        const int number = node_in_block(node);
        std::atomic_ref(
            samples.known[static_cast<std::size_t>(block)][static_cast<std::size_t>(number >> 6)])
            .fetch_or(std::uint64_t{1} << (number & 63), std::memory_order_relaxed);
      });
    }
  });
}

void sample(const VelocityField& velocity, VelocitySamples& samples) {
  parallel_for_each(
      samples.blocks.size(),
      [&](std::int64_t block) {
        const Vec3i first = samples.blocks.first_node(block);
        std::vector<int> nodes;
        std::vector<Vec3> points;
        for (int node = 0; node < kBlockNodes; ++node) {
          if (!has_node(samples.known[static_cast<std::size_t>(block)], node)) continue;
          nodes.push_back(node);
          points.push_back(samples.lattice.position(Vec3i(first + node_offset(node))));
        }
        std::vector<Vec3> found(points.size());
        velocity.evaluate(points, found);
        for (std::size_t i = 0; i < nodes.size(); ++i) {
          samples.values[static_cast<std::size_t>(block * kBlockNodes + nodes[i])] =
              found[i].cast<float>();
        }
      },
      1);
}

}  // namespace

CachedMesh Liquid::inside() const {
  const State& state = *state_;
  CachedMesh inside;
  inside.mesh.vertices = state.mesh->tets.vertices;
  inside.mesh.tets = state.mesh->tets.tets;
  inside.pressure = state.pressure;
  inside.velocity = state.synchronised_velocity();
  return inside;
}

CachedLevelSet Liquid::level_set() const {
  const State& state = *state_;
  CachedLevelSet levelset;
  levelset.lattice = state.lattice;
  VelocitySamples& samples = levelset.velocity;
  samples.lattice = {state.lattice.origin, state.cell};
  if (state.mesh->is_empty()) return levelset;
  mark_nodes(state.mesh->tets, samples);
  samples.values.assign(static_cast<std::size_t>(samples.blocks.size()) * kBlockNodes,
                        Vec3f::Zero());
  sample(state_->velocity_now(), samples);
  return levelset;
}

}  // namespace spindrift
