// Nodes next to the boundary of a mesh.
#include "spindrift/core/key_order.hpp"
#include "spindrift/core/parallel.hpp"
#include "spindrift/flow/grid_raster.hpp"
#include "spindrift/levelset/block_finder.hpp"

namespace spindrift {
namespace {

constexpr std::int64_t kChunk = 1 << 12;

}  // namespace

BoundaryNodes::BoundaryNodes(const TetMesh& mesh, std::span<const BoundaryVertex> boundary,
                             const Lattice& lattice, const BlockSet& blocks,
                             std::span<const BlockMask> known)
    : mesh_(mesh) {
  const std::int64_t count = std::ssize(boundary);
  std::vector<std::vector<Use>> parts(static_cast<std::size_t>(chunk_count(count, kChunk)));
  parallel_for_chunks(count, kChunk, [&](std::int64_t begin, std::int64_t end) {
    BlockFinder finder(blocks);
    std::vector<Use>& uses = parts[static_cast<std::size_t>(begin / kChunk)];
    for (std::int64_t i = begin; i < end; ++i) {
      const auto v = static_cast<std::size_t>(boundary[static_cast<std::size_t>(i)].vertex);
      const Vec3i cell = lattice.to_lattice(mesh.vertices[v]).array().floor().cast<int>();
      for (int k = 0; k < 8; ++k) {
        const Vec3i node = cell + Vec3i(k & 1, k >> 1 & 1, k >> 2);
        const std::int32_t block = finder.find(block_of_node(node));
        if (block < 0) continue;
        if (has_node(known[static_cast<std::size_t>(block)], node_in_block(node))) continue;
        uses.push_back({place_of(block, node), static_cast<std::int32_t>(i)});
      }
    }
  });
  Buffer<Use> uses;
  for (const std::vector<Use>& part : parts) uses.insert(uses.end(), part.begin(), part.end());
  Buffer<std::uint64_t> keys(uses.size());
  for (std::size_t i = 0; i < uses.size(); ++i) keys[i] = uses[i].place;
  const Buffer<std::int32_t> order = key_order(keys).indices;
  uses_.resize(uses.size());
  parallel_for_each(std::ssize(order), [&](std::int64_t i) {
    const auto k = static_cast<std::size_t>(i);
    uses_[k] = uses[static_cast<std::size_t>(order[k])];
  });
}

void BoundaryNodes::continue_to(std::span<const BoundaryVertex> boundary,
                                std::span<const Vec3> at_vertices, double room, GridNodes& nodes,
                                const BlockMask* which) const {
  // Of the node whose uses these are.
  const auto value = [&](std::span<const Use> own) {
    const auto block = static_cast<std::int64_t>(own.front().place / kBlockNodes);
    const auto k = static_cast<int>(own.front().place % kBlockNodes);
    const Vec3 position =
        nodes.lattice.position(Vec3i(nodes.blocks.first_node(block) + node_offset(k)));
    Vec3 sum = Vec3::Zero();
    double weights = 0;
    for (const Use& use : own) {
      const BoundaryVertex& from = boundary[static_cast<std::size_t>(use.vertex)];
      const Vec3 way = position - mesh_.vertices[static_cast<std::size_t>(from.vertex)];
      // Falls off to next to nothing a cell away.
      const double weight = (1.001 - way.array().abs() / nodes.lattice.spacing).max(0.001).prod();
      const Vec3 more = room * (from.most - from.least);
      const Vec3 beyond = at_vertices[static_cast<std::size_t>(from.vertex)] + from.slope * way;
      sum += weight * beyond.cwiseMax(from.least - more).cwiseMin(from.most + more);
      weights += weight;
    }
    return Vec3(sum / weights);
  };
  // Each chunk has the nodes whose first use is in it.
  parallel_for_chunks(std::ssize(uses_), kChunk, [&](std::int64_t begin, std::int64_t end) {
    auto i = static_cast<std::size_t>(begin);
    const auto last = static_cast<std::size_t>(end);
    while (i > 0 && i < last && uses_[i].place == uses_[i - 1].place) ++i;
    while (i < last) {
      std::size_t next = i + 1;
      while (next < uses_.size() && uses_[next].place == uses_[i].place) ++next;
      const std::size_t place = uses_[i].place;
      if (which == nullptr ||
          has_node(which[place / kBlockNodes], static_cast<int>(place % kBlockNodes))) {
        nodes.values[place] = value(std::span(uses_).subspan(i, next - i));
      }
      i = next;
    }
  });
  add_to(nodes.known);
}

void BoundaryNodes::add_to(std::span<BlockMask> known) const {
  for (const Use& use : uses_) {
    const std::size_t k = use.place % kBlockNodes;
    known[use.place / kBlockNodes][k >> 6] |= std::uint64_t{1} << (k & 63);
  }
}

}  // namespace spindrift
