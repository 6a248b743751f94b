#include "spindrift/flow/vertex_rings.hpp"

#include <utility>
#include <vector>

#include "spindrift/core/parallel.hpp"

namespace spindrift {
namespace {

// Corners are sorted by ranges of vertices first, and within these then, where they are at hand: a
// scatter over all vertices at once would wait for memory.
constexpr int kRangeBits = 12;
constexpr std::int64_t kChunk = 1 << 14;  // tetrahedra

struct Use {
  std::int32_t vertex, corner;
};

// The uses of the vertices of one range after those of another, in the order of the corners.
struct SortedUses {
  Buffer<Use> uses;
  std::vector<std::int32_t> starts;  // of the ranges
};

SortedUses uses_by_range(const TetMesh& mesh) {
  SortedUses sorted;
  sorted.uses.resize(4 * mesh.tets.size());
  const auto ranges =
      static_cast<std::size_t>(chunk_count(mesh.vertex_count(), std::int64_t{1} << kRangeBits));
  std::vector<std::vector<std::int32_t>> places(
      static_cast<std::size_t>(chunk_count(mesh.tet_count(), kChunk)));
  parallel_for_chunks(mesh.tet_count(), kChunk, [&](std::int64_t begin, std::int64_t end) {
    std::vector<std::int32_t>& counts = places[static_cast<std::size_t>(begin / kChunk)];
    counts.assign(ranges, 0);
    for (std::int64_t t = begin; t < end; ++t) {
      for (const std::int32_t v : mesh.tets[static_cast<std::size_t>(t)]) {
        ++counts[static_cast<std::size_t>(v >> kRangeBits)];
      }
    }
  });
  std::int32_t next = 0;
  for (std::size_t range = 0; range < ranges; ++range) {
    sorted.starts.push_back(next);
    for (auto& counts : places) next += std::exchange(counts[range], next);
  }
  sorted.starts.push_back(next);
  parallel_for_chunks(mesh.tet_count(), kChunk, [&](std::int64_t begin, std::int64_t end) {
    std::vector<std::int32_t>& place = places[static_cast<std::size_t>(begin / kChunk)];
    for (std::int64_t t = begin; t < end; ++t) {
      std::int32_t corner = 4 * static_cast<std::int32_t>(t);
      for (const std::int32_t v : mesh.tets[static_cast<std::size_t>(t)]) {
        std::int32_t& at = place[static_cast<std::size_t>(v >> kRangeBits)];
        sorted.uses[static_cast<std::size_t>(at++)] = {v, corner++};
      }
    }
  });
  return sorted;
}

}  // namespace

VertexRings vertex_rings(const TetMesh& mesh) {
  const SortedUses sorted = uses_by_range(mesh);
  VertexRings rings;
  rings.starts.resize(static_cast<std::size_t>(mesh.vertex_count()) + 1);
  rings.corners.resize(sorted.uses.size());
  rings.starts.back() = static_cast<std::int32_t>(sorted.uses.size());
  parallel_for_chunks(
      mesh.vertex_count(), std::int64_t{1} << kRangeBits,
      [&](std::int64_t begin, std::int64_t end) {
        const auto range = static_cast<std::size_t>(begin >> kRangeBits);
        const auto first = static_cast<std::size_t>(sorted.starts[range]);
        const auto count = static_cast<std::size_t>(sorted.starts[range + 1]) - first;
        const std::span<const Use> uses = std::span(sorted.uses).subspan(first, count);
        std::vector<std::int32_t> next(static_cast<std::size_t>(end - begin), 0);
        const auto next_of = [&](const Use& use) -> std::int32_t& {
          return next[static_cast<std::size_t>(use.vertex - begin)];
        };
        for (const Use& use : uses) ++next_of(use);
        std::int32_t start = sorted.starts[range];
        for (std::size_t v = 0; v < next.size(); ++v) {
          rings.starts[static_cast<std::size_t>(begin) + v] = start;
          start += std::exchange(next[v], start);
        }
        for (const Use& use : uses) {
          rings.corners[static_cast<std::size_t>(next_of(use)++)] = use.corner;
        }
      });
  return rings;
}

}  // namespace spindrift
