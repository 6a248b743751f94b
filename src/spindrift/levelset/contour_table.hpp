// How the surface runs through a cell, for each of the 256 ways its corners can be inside or out.
//
// Corner k of a cell lies at x = k & 1, y = k >> 1 & 1, z = k >> 2. A pattern has bit k set where
// corner k is inside. Vertices sit on the cell edges whose ends differ (marching cubes [Lorensen
// 1987]). The triangles of neighbouring cells fit together into a closed manifold because
// - on a face whose inside corners lie across from each other, these are always separated: a rule
//   that sees the face's four signs only, so that both cells apply it alike;
// - no triangle has a side within a cell face other than the segment that the face's signs give, so
//   that no two cells put a side between the same two vertices twice.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace spindrift {

inline constexpr int kCellEdges = 12;

// Edge 4 a + u + 2 v of a cell runs along axis a, from the corner with coordinate u on the next
// axis and v on the one after (x, y, z, x, ...).
struct CellEdge {
  int axis;
  int low;  // its corner with coordinate 0 on the axis
  [[nodiscard]] constexpr int high() const { return low | 1 << axis; }
};
[[nodiscard]] constexpr CellEdge cell_edge(int edge) {
  const int axis = edge >> 2;
  return {axis, (edge & 1) << (axis + 1) % 3 | (edge >> 1 & 1) << (axis + 2) % 3};
}

class ContourTable {
 public:
  // Three edges, counter-clockwise seen from outside the inside corners.
  using EdgeTriangle = std::array<std::uint8_t, 3>;

  // Generated at the first call.
  [[nodiscard]] static const ContourTable& get();

  [[nodiscard]] int triangle_count(unsigned pattern) const {
    return first_[pattern + 1] - first_[pattern];
  }
  [[nodiscard]] std::span<const EdgeTriangle> triangles(unsigned pattern) const {
    return {triangles_.data() + first_[pattern], triangles_.data() + first_[pattern + 1]};
  }

 private:
  ContourTable();

  std::array<std::uint16_t, 257> first_{};
  std::vector<EdgeTriangle> triangles_;
};

// The closed loops in which the surface crosses the cell's faces, as edges in order. Each loop runs
// counter-clockwise seen from outside the inside corners.
[[nodiscard]] std::vector<std::vector<int>> contour_loops(unsigned pattern);

// Whether two cell edges lie in a common face.
[[nodiscard]] bool share_face(int edge, int other);

}  // namespace spindrift
