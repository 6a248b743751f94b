#include "spindrift/levelset/contour_table.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <utility>

#include "spindrift/core/vec.hpp"

namespace spindrift {
namespace {

constexpr int kMaxLoop = 7;

bool is_inside(unsigned pattern, int corner) { return (pattern >> corner & 1) != 0; }

// The corners of face (axis, side), counter-clockwise seen from outside the cell.
std::array<int, 4> face_corners(int axis, int side) {
  const int u = 1 << (axis + 1) % 3, v = 1 << (axis + 2) % 3;
  const int base = side << axis;
  if (side == 0) return {base, base | v, base | u | v, base | u};
  return {base, base | u, base | u | v, base | v};
}

int edge_between(int corner, int other) {
  const int axis = std::countr_zero(static_cast<unsigned>(corner ^ other));
  const int low = corner & other;
  return 4 * axis + (low >> (axis + 1) % 3 & 1) + 2 * (low >> (axis + 2) % 3 & 1);
}

// For each crossed edge the next one of its loop. Walking around a face counter-clockwise, the
// surface joins the edge where a run of inside corners begins to the edge where the run ends:
// single corners across from each other are two runs, and so separated. An edge begins a run on one
// of its two faces and ends one on the other.
std::array<int, kCellEdges> next_edges(unsigned pattern) {
  std::array<int, kCellEdges> next{};
  next.fill(-1);
  for (int face = 0; face < 6; ++face) {
    const std::array<int, 4> corners = face_corners(face >> 1, face & 1);
    for (int k = 0; k < 4; ++k) {
      if (is_inside(pattern, corners[k]) || !is_inside(pattern, corners[(k + 1) % 4])) continue;
      int last = (k + 1) % 4;
      while (is_inside(pattern, corners[(last + 1) % 4])) last = (last + 1) % 4;
      next[edge_between(corners[k], corners[(k + 1) % 4])] =
          edge_between(corners[last], corners[(last + 1) % 4]);
    }
  }
  return next;
}

// Twice the midpoint of a cell edge.
Vec3i middle(int edge) {
  const auto [axis, low] = cell_edge(edge);
  Vec3i point(2 * (low & 1), 2 * (low >> 1 & 1), 2 * (low >> 2));
  point[axis] = 1;
  return point;
}

// The greatest cosine of the triangle's angles, squared but with its sign: grows as the smallest
// angle shrinks. Vertices at the middles of the edges.
double sharpness(const std::array<int, 3>& edges) {
  double greatest = -1;
  for (int k = 0; k < 3; ++k) {
    const Vec3i at = middle(edges[k]);
    const Vec3i a = middle(edges[(k + 1) % 3]) - at, b = middle(edges[(k + 2) % 3]) - at;
    const int dot = a.dot(b);
    greatest =
        std::max(greatest, double(dot * std::abs(dot)) / (a.squaredNorm() * b.squaredNorm()));
  }
  return greatest;
}

// The triangulation of a loop whose sharpest triangle is bluntest, among those without a diagonal
// in a cell face.
class LoopTriangulation {
 public:
  explicit LoopTriangulation(const std::vector<int>& loop)
      : loop_(loop), size_(static_cast<int>(loop.size())) {
    for (int span = 2; span < size_; ++span) {
      for (int i = 0; i + span < size_; ++i) choose(i, i + span);
    }
  }

  void append_to(std::vector<ContourTable::EdgeTriangle>& out) const { append(0, size_ - 1, out); }

 private:
  struct Part {
    double sharpness = -1;
    int apex = -1;  // -1: a side of the loop, or a part that has no triangulation
  };

  [[nodiscard]] bool is_allowed(int i, int j) const {
    const bool is_side = j - i == 1 || j - i == size_ - 1;
    return is_side || !share_face(loop_[i], loop_[j]);
  }

  // The best triangulation of corners i to j, closed by the line from j to i.
  void choose(int i, int j) {
    Part best{.sharpness = 2};
    for (int k = i + 1; is_allowed(i, j) && k < j; ++k) {
      const double worst = std::max({parts_[i][k].sharpness, parts_[k][j].sharpness,
                                     sharpness({loop_[i], loop_[k], loop_[j]})});
      // Ties, up to rounding, go to the first.
      if (worst < best.sharpness - 1e-9) best = {worst, k};
    }
    parts_[i][j] = best;
  }

  void append(int i, int j, std::vector<ContourTable::EdgeTriangle>& out) const {
    const int k = parts_[i][j].apex;
    if (k < 0) return;
    const auto byte = [&](int corner) { return static_cast<std::uint8_t>(loop_[corner]); };
    out.push_back({byte(i), byte(k), byte(j)});
    append(i, k, out);
    append(k, j, out);
  }

  const std::vector<int>& loop_;
  int size_;
  std::array<std::array<Part, kMaxLoop>, kMaxLoop> parts_;
};

// Mirrored in the middle of the cell.
unsigned mirrored_pattern(unsigned pattern) {
  unsigned mirrored = 0;
  for (int corner = 0; corner < 8; ++corner) {
    if (is_inside(pattern, corner)) mirrored |= 1U << (7 - corner);
  }
  return mirrored;
}
std::uint8_t mirrored_edge(int edge) {
  const CellEdge ends = cell_edge(edge);
  return static_cast<std::uint8_t>(edge_between(7 - ends.low, 7 - ends.high()));
}
ContourTable::EdgeTriangle mirrored_triangle(const ContourTable::EdgeTriangle& triangle) {
  return {mirrored_edge(triangle[0]), mirrored_edge(triangle[2]), mirrored_edge(triangle[1])};
}

}  // namespace

bool share_face(int edge, int other) {
  const CellEdge a = cell_edge(edge), b = cell_edge(other);
  const int same_zero = ~(a.low | a.high() | b.low | b.high());
  const int same_one = a.low & b.low;  // the low corner has coordinate 0 on its own axis
  return ((same_zero | same_one) & 7) != 0;
}

std::vector<std::vector<int>> contour_loops(unsigned pattern) {
  std::vector<std::vector<int>> loops;
  std::array<int, kCellEdges> next = next_edges(pattern);
  for (int start = 0; start < kCellEdges; ++start) {
    if (next[start] < 0) continue;
    std::vector<int>& loop = loops.emplace_back();
    for (int edge = start; next[edge] >= 0;) {
      loop.push_back(edge);
      edge = std::exchange(next[edge], -1);
    }
  }
  return loops;
}

ContourTable::ContourTable() {
  for (unsigned pattern = 0; pattern < 256; ++pattern) {
    // Mirrored loops have mirrored diagonals: else thin sheets would creep across the lattice. A
    // pattern that is its own mirror image has them in pairs.
    const unsigned mirrored = mirrored_pattern(pattern);
    for (const std::vector<int>& loop : contour_loops(pattern)) {
      const std::size_t count = triangles_.size();
      const std::size_t end = mirrored < pattern ? first_[mirrored + 1] : count;
      for (std::size_t t = first_[mirrored]; mirrored <= pattern && t < end; ++t) {
        const EdgeTriangle twin = mirrored_triangle(triangles_[t]);
        if (std::find(loop.begin(), loop.end(), twin[0]) != loop.end()) triangles_.push_back(twin);
      }
      if (triangles_.size() == count) LoopTriangulation(loop).append_to(triangles_);
    }
    first_[pattern + 1] = static_cast<std::uint16_t>(triangles_.size());
  }
}

const ContourTable& ContourTable::get() {
  static const ContourTable kTable;
  return kTable;
}

}  // namespace spindrift
