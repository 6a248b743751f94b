#include "spindrift/flow/components.hpp"

#include <array>
#include <numeric>

#include "spindrift/core/parallel.hpp"
#include "spindrift/flow/operators.hpp"

namespace spindrift {
namespace {

constexpr std::int64_t kCellsAtOnce = 1 << 14;

// Joins sets; the lowest member stands for its set.
class DisjointSets {
 public:
  explicit DisjointSets(std::int64_t count) : parent_(static_cast<std::size_t>(count)) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  std::int32_t find(std::int32_t i) {
    while (parent(i) != i) {
      parent(i) = parent(parent(i));
      i = parent(i);
    }
    return i;
  }
  // As find(), and leaves the sets as they are.
  [[nodiscard]] std::int32_t lowest(std::int32_t i) const {
    while (parent_[static_cast<std::size_t>(i)] != i) i = parent_[static_cast<std::size_t>(i)];
    return i;
  }
  void join(std::int32_t a, std::int32_t b) {
    a = find(a);
    b = find(b);
    if (a < b) parent(b) = a;
    if (b < a) parent(a) = b;
  }

 private:
  std::int32_t& parent(std::int32_t i) { return parent_[static_cast<std::size_t>(i)]; }
  Buffer<std::int32_t> parent_;
};

}  // namespace

FlowComponents find_components(const CellMesh& mesh) {
  DisjointSets sets(mesh.cell_count());
  // First what is connected within chunks of cells, then across them: sets are the same whatever
  // the order.
  using Pairs = std::vector<std::array<std::int32_t, 2>>;
  const Pairs across = parallel_reduce_chunks(
      mesh.cell_count(), kCellsAtOnce, Pairs(),
      [&](std::int64_t begin, std::int64_t end) {
        Pairs later;
        for (std::int64_t cell = begin; cell < end; ++cell) {
          for (const std::int32_t face : mesh.faces_of(cell)) {
            const auto [first, second] = mesh.face_cells[static_cast<std::size_t>(face)];
            if (second < 0 || first != cell) continue;
            if (second >= begin && second < end) {
              sets.join(first, second);
            } else {
              later.push_back({first, second});
            }
          }
        }
        return later;
      },
      [](Pairs all, const Pairs& more) {
        all.insert(all.end(), more.begin(), more.end());
        return all;
      });
  for (const auto& [first, second] : across) sets.join(first, second);
  FlowComponents result;
  result.of_cell.resize(static_cast<std::size_t>(mesh.cell_count()));
  parallel_for_each(mesh.cell_count(), [&](std::int64_t cell) {
    result.of_cell[static_cast<std::size_t>(cell)] = sets.lowest(static_cast<std::int32_t>(cell));
  });
  for (std::int64_t cell = 0; cell < mesh.cell_count(); ++cell) {
    const auto c = static_cast<std::size_t>(cell);
    if (result.of_cell[c] == cell) {
      result.of_cell[c] = static_cast<std::int32_t>(result.components.size());
      result.components.emplace_back();
    } else {
      result.of_cell[c] = result.of_cell[static_cast<std::size_t>(result.of_cell[c])];
    }
  }
  const std::vector<double> volumes =
      sum_by_body(result, [&](std::size_t c) { return mesh.volumes[c]; });
  for (std::size_t b = 0; b < volumes.size(); ++b) result.components[b].volume = volumes[b];
  for (std::size_t f = 0; f < mesh.face_cells.size(); ++f) {
    if (mesh.face_cells[f][1] >= 0) continue;
    const std::int32_t component = result.of_cell[static_cast<std::size_t>(mesh.face_cells[f][0])];
    FlowComponent& body = result.components[static_cast<std::size_t>(component)];
    (has_pressure(mesh.tags[f]) ? body.has_pressure : body.touches_solid) = true;
  }
  return result;
}

}  // namespace spindrift
