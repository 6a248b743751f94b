#include "spindrift/meshing/stencils.hpp"

#include <algorithm>
#include <utility>

#include "spindrift/core/error.hpp"

namespace spindrift {
namespace {

using Corners = std::array<Vec3i, 4>;  // half cells

int edge_between(int a, int b) {
  for (int e = 0; e < 6; ++e) {
    const auto& [p, q] = kTetEdges[static_cast<std::size_t>(e)];
    if ((p == a && q == b) || (p == b && q == a)) return e;
  }
  return -1;
}

bool is_long(int a, int b) {
  const int e = edge_between(a, b);
  return e == 0 || e == 5;
}

// Makes one stencil.
class StencilBuilder {
 public:
  StencilBuilder(const Corners& corners, const std::array<VertexSign, 4>& signs)
      : corners_(corners), signs_(signs) {}

  Stencil build() {
    std::vector<int> in, on, out;
    for (int v = 0; v < 4; ++v) {
      const VertexSign sign = signs_[static_cast<std::size_t>(v)];
      (sign == kInside ? in : sign == kOutside ? out : on).push_back(v);
    }
    if (in.empty()) return {};
    if (out.empty()) {
      add({0, 1, 2, 3});
    } else if (in.size() == 1) {
      std::array<int, 4> tet{};
      for (int v = 0; v < 4; ++v) {
        const bool is_out = signs_[static_cast<std::size_t>(v)] == kOutside;
        tet[static_cast<std::size_t>(v)] = is_out ? cut(in[0], v) : v;
      }
      add(tet);
    } else if (in.size() == 2 && on.size() == 1) {
      add_pyramid(in[0], in[1], out[0], on[0]);
    } else if (in.size() == 3) {
      const int e = out[0];
      add_prism(in[0], cut(in[0], e), in[1], cut(in[1], e), in[2], cut(in[2], e),
                goes_up(in[0], in[1], e), goes_up(in[0], in[2], e), goes_up(in[1], in[2], e));
    } else {
      const auto [a, b] = std::pair(in[0], in[1]);
      const auto [c, d] = std::pair(out[0], out[1]);
      const bool first = goes_up(a, b, c);
      const bool second = goes_up(a, b, d);
      // The quad on the surface takes the diagonal between the cut points that the other two end
      // at; if these lie on one side of the prism, either will do.
      add_prism(a, b, cut(a, c), cut(b, c), cut(a, d), cut(b, d), first, second, !first);
    }
    return stencil_;
  }

 private:
  static int cut(int a, int b) { return 4 + edge_between(a, b); }

  // The quad of a face with a and b inside and e outside: does its diagonal go from a to the cut
  // point of b e? Otherwise it goes from b to the cut point of a e. It depends on the face alone,
  // so that neighbours agree.
  [[nodiscard]] bool goes_up(int a, int b, int e) const {
    if (is_long(a, e)) return false;
    if (is_long(b, e)) return true;
    const Vec3i& pa = corners_[static_cast<std::size_t>(a)];
    const Vec3i& pb = corners_[static_cast<std::size_t>(b)];
    const Vec3i& pe = corners_[static_cast<std::size_t>(e)];
    int larger = 0;
    for (int axis = 0; axis < 3; ++axis) {
      larger += pa[axis] > (pa[axis] != pb[axis] ? pb : pe)[axis] ? 1 : 0;
    }
    const bool on_corners = pa.x() % 2 == 0;
    return (larger % 2 == 1) == on_corners;
  }

  void add_pyramid(int a, int b, int e, int apex) {
    const int ka = cut(a, e);
    const int kb = cut(b, e);
    if (goes_up(a, b, e)) {
      add({a, b, kb, apex});
      add({a, kb, ka, apex});
    } else {
      add({a, b, ka, apex});
      add({b, kb, ka, apex});
    }
  }

  // The prism between triangles p0 p1 p2 and q0 q1 q2. `up_ij`: the quad between i and j has the
  // diagonal p_i q_j, else p_j q_i. Three of them that go round in a circle leave no tetrahedra;
  // the rules above never do that.
  void add_prism(int p0, int q0, int p1, int q1, int p2, int q2, bool up01, bool up02, bool up12) {
    const std::array<int, 3> p = {p0, p1, p2};
    const std::array<int, 3> q = {q0, q1, q2};
    std::array<std::size_t, 3> order{};
    // In the order in which each comes before those to which its diagonals go up.
    const std::array<int, 3> rank = {!up01 + !up02, up01 + !up12, up02 + up12};
    SPINDRIFT_ASSERT(rank[0] != rank[1] && rank[1] != rank[2] && rank[2] != rank[0]);
    for (std::size_t i = 0; i < 3; ++i) order[static_cast<std::size_t>(rank[i])] = i;
    const auto [a, b, c] = order;
    add({p[a], p[b], p[c], q[c]});
    add({p[a], p[b], q[b], q[c]});
    add({p[a], q[a], q[b], q[c]});
  }

  [[nodiscard]] Vec3 position(int vertex) const {
    if (vertex < 4) return corners_[static_cast<std::size_t>(vertex)].cast<double>();
    const auto& [a, b] = kTetEdges[static_cast<std::size_t>(vertex - 4)];
    return (position(a) + position(b)) / 2;
  }

  // Turns it so that its volume is positive.
  void add(std::array<int, 4> tet) {
    const Vec3 a = position(tet[0]);
    const double volume =
        (position(tet[1]) - a).cross(position(tet[2]) - a).dot(position(tet[3]) - a);
    SPINDRIFT_ASSERT(volume != 0);
    if (volume < 0) std::swap(tet[2], tet[3]);
    auto& to = stencil_.tets[static_cast<std::size_t>(stencil_.count++)];
    std::transform(tet.begin(), tet.end(), to.begin(),
                   [](int v) { return static_cast<std::uint8_t>(v); });
  }

  const Corners& corners_;
  const std::array<VertexSign, 4>& signs_;
  Stencil stencil_;
};

Corners tet_corners(int axis, int k) {
  const Vec3i center = Vec3i::Ones();
  return {center, Vec3i(center + 2 * Vec3i::Unit(axis)), square_corner(axis, k),
          square_corner(axis, (k + 1) % 4)};
}

LatticeEdge lattice_edge(const Corners& corners, int e) {
  const auto& [a, b] = kTetEdges[static_cast<std::size_t>(e)];
  const Vec3i& pa = corners[static_cast<std::size_t>(a)];
  const Vec3i& pb = corners[static_cast<std::size_t>(b)];
  for (int type = 0; type < kEdgeTypes; ++type) {
    for (const auto& [from, to] : {std::pair(pa, pb), std::pair(pb, pa)}) {
      const bool owner_fits = (from.x() & 1) == edge_owner_lattice(type);
      if (owner_fits && to - from == edge_vector(type)) {
        return {type, Vec3i(from.x() >> 1, from.y() >> 1, from.z() >> 1)};
      }
    }
  }
  SPINDRIFT_ASSERT(false);
  return {};
}

}  // namespace

const StencilTable& StencilTable::instance() {
  static const StencilTable table;
  return table;
}

StencilTable::StencilTable() {
  for (int axis = 0; axis < 3; ++axis) {
    for (int k = 0; k < 4; ++k) {
      const Corners corners = tet_corners(axis, k);
      const auto shape = static_cast<std::size_t>(4 * axis + k);
      for (int e = 0; e < 6; ++e) {
        edges_[6 * shape + static_cast<std::size_t>(e)] = lattice_edge(corners, e);
      }
      for (int signs = 0; signs < 81; ++signs) {
        std::array<VertexSign, 4> of{};
        for (int v = 0, rest = signs; v < 4; ++v, rest /= 3) {
          of[static_cast<std::size_t>(v)] = static_cast<VertexSign>(rest % 3);
        }
        stencils_[81 * shape + static_cast<std::size_t>(signs)] =
            StencilBuilder(corners, of).build();
      }
    }
  }
}

}  // namespace spindrift
