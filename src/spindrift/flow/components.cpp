#include "spindrift/flow/components.hpp"

#include <numeric>

#include "spindrift/flow/operators.hpp"

namespace spindrift {
namespace {

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
  for (const auto& [first, second] : mesh.face_cells) {
    if (second >= 0) sets.join(first, second);
  }
  FlowComponents result;
  result.of_cell.resize(static_cast<std::size_t>(mesh.cell_count()));
  for (std::int64_t cell = 0; cell < mesh.cell_count(); ++cell) {
    const auto c = static_cast<std::size_t>(cell);
    const std::int32_t root = sets.find(static_cast<std::int32_t>(cell));
    if (root == cell) {
      result.of_cell[c] = static_cast<std::int32_t>(result.components.size());
      result.components.emplace_back();
    } else {
      result.of_cell[c] = result.of_cell[static_cast<std::size_t>(root)];
    }
    result.components[static_cast<std::size_t>(result.of_cell[c])].volume += mesh.volumes[c];
  }
  for (std::size_t f = 0; f < mesh.face_cells.size(); ++f) {
    if (mesh.face_cells[f][1] >= 0) continue;
    const std::int32_t component = result.of_cell[static_cast<std::size_t>(mesh.face_cells[f][0])];
    FlowComponent& body = result.components[static_cast<std::size_t>(component)];
    (has_pressure(mesh.tags[f]) ? body.has_pressure : body.touches_solid) = true;
  }
  return result;
}

}  // namespace spindrift
