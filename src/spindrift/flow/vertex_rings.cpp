#include "spindrift/flow/vertex_rings.hpp"

#include <algorithm>
#include <atomic>

#include "spindrift/core/parallel.hpp"

namespace spindrift {
namespace {

// The value before.
std::int32_t add_one(std::int32_t& count) {
  return std::atomic_ref(count).fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

VertexRings vertex_rings(const TetMesh& mesh) {
  VertexRings rings;
  const auto vertices = static_cast<std::size_t>(mesh.vertex_count());
  rings.starts.assign(vertices + 1, 0);
  rings.corners.resize(4 * mesh.tets.size());
  parallel_for_each(mesh.tet_count(), [&](std::int64_t t) {
    for (const std::int32_t v : mesh.tets[static_cast<std::size_t>(t)]) {
      add_one(rings.starts[static_cast<std::size_t>(v) + 1]);
    }
  });
  for (std::size_t v = 0; v < vertices; ++v) rings.starts[v + 1] += rings.starts[v];
  Buffer<std::int32_t> next(rings.starts.begin(), rings.starts.end());
  parallel_for_each(mesh.tet_count(), [&](std::int64_t t) {
    for (std::int32_t k = 0; k < 4; ++k) {
      const auto v = static_cast<std::size_t>(
          mesh.tets[static_cast<std::size_t>(t)][static_cast<std::size_t>(k)]);
      rings.corners[static_cast<std::size_t>(add_one(next[v]))] =
          4 * static_cast<std::int32_t>(t) + k;
    }
  });
  // Threads filled them in any order.
  parallel_for_each(mesh.vertex_count(), [&](std::int64_t vertex) {
    const auto v = static_cast<std::size_t>(vertex);
    std::sort(rings.corners.begin() + rings.starts[v], rings.corners.begin() + rings.starts[v + 1]);
  });
  return rings;
}

}  // namespace spindrift
