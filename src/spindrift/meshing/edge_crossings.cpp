#include "spindrift/meshing/edge_crossings.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "spindrift/geometry/triangle.hpp"
#include "spindrift/levelset/line_crossing.hpp"
#include "spindrift/meshing/limits.hpp"

namespace spindrift {

// A bin of triangles; `offset`: of its block from the brick's first, from -1 to 2. A triangle in
// several bins is taken from the first of them.
void EdgeCrossings::gather_bin(std::int32_t bin, const Vec3i& offset) {
  const std::int32_t begin = bins_.starts[static_cast<std::size_t>(bin)];
  const std::int32_t end = bins_.starts[static_cast<std::size_t>(bin) + 1];
  for (std::int32_t i = begin; i < end; ++i) {
    bool takes_part = true;
    for (int axis = 0; axis < 3; ++axis) {
      const int low{bins_.low[static_cast<std::size_t>(axis)][static_cast<std::size_t>(i)]};
      const int high{bins_.high[static_cast<std::size_t>(axis)][static_cast<std::size_t>(i)]};
      const int shift = kBlockSide * offset[axis];
      takes_part &= high + shift >= 0 && low + shift <= kBrickUnits + 1;
      takes_part &= low >= 0 || offset[axis] < 0;
    }
    if (takes_part) triangles_.push_back(bins_.triangles[static_cast<std::size_t>(i)]);
  }
}

void EdgeCrossings::gather(const Vec3i& place) {
  triangles_.clear();
  for (int z = -1; z <= 2; ++z) {
    for (int y = -1; y <= 2; ++y) {
      for (int x = -1; x <= 2; ++x) {
        const Vec3i offset(x, y, z);
        const std::int32_t bin = bins_.blocks.find(2 * place + offset);
        if (bin >= 0) gather_bin(bin, offset);
      }
    }
  }
}

EdgeCrossings::Corners EdgeCrossings::corners(std::int32_t triangle) const {
  return {surface_.corner(triangle, 0), surface_.corner(triangle, 1), surface_.corner(triangle, 2)};
}

void EdgeCrossings::add(int type, const Vec3i& owner, double at, int change) {
  const bool is_ours = (owner.array() >= 0).all() && (owner.array() < kBlockSide).all();
  if (!is_ours) return;
  const int node = node_in_block(owner);
  if (!has_node(cuts_->edges[static_cast<std::size_t>(type)], node)) return;
  const auto edge = static_cast<std::size_t>(cuts_->number(type, node) - cuts_->first);
  crossings_.push_back({at, change, heads_[edge]});
  heads_[edge] = static_cast<std::int32_t>(crossings_.size()) - 1;
}

// The edges along an axis, of corners and of centres.
void EdgeCrossings::cross_rows(const Corners& corners, int axis) {
  const auto w_axis = static_cast<std::size_t>(axis);
  const std::size_t u_axis = (w_axis + 1) % 3;
  const std::size_t v_axis = (w_axis + 2) % 3;
  const auto from_brick = [&](const FixedPoint& p, std::size_t a) {
    return p[a] - (std::int64_t{first_[static_cast<int>(a)]} << surface_.bits);
  };
  SeenTriangle seen;
  for (std::size_t k = 0; k < 3; ++k) {
    const FixedPoint& p = corners[k];
    seen[k] = {from_brick(p, u_axis), from_brick(p, v_axis), p[w_axis]};
  }
  for (const Sublattice lattice : {kCorners, kCenters}) {
    const LineRange rows = {.first = lattice, .end = kBrickUnits, .step = 2};
    for_each_crossing(seen, surface_.bits, rows, [&](int u, int v, const LineCrossing& crossing) {
      const double cells = (std::ldexp(crossing.w, -surface_.bits) - static_cast<int>(lattice)) / 2;
      const double before = std::ceil(cells) - 1;
      Vec3i owner;
      owner[static_cast<int>(u_axis)] = u >> 1;
      owner[static_cast<int>(v_axis)] = v >> 1;
      owner[axis] = static_cast<int>(before) - first_[axis] / 2;
      const int type = axis + 3 * lattice;
      add(type, owner, cells - before, -crossing.facing);
      // On a vertex: it may be counted to either side.
      if (cells == before + 1) add(type, owner + Vec3i::Unit(axis), 0, -crossing.facing);
    });
  }
}

// The edges along (1, sign_y, sign_z), between corners and centres in turn.
void EdgeCrossings::cross_diagonals(const Corners& corners, int sign_y, int sign_z) {
  // The line through the brick's first corner.
  const std::int64_t zero_u = std::int64_t{first_.y() - sign_y * first_.x()} << surface_.bits;
  const std::int64_t zero_v = std::int64_t{first_.z() - sign_z * first_.x()} << surface_.bits;
  SeenTriangle seen;
  for (std::size_t k = 0; k < 3; ++k) {
    const std::int64_t x = corners[k][0];
    seen[k] = {corners[k][1] - sign_y * x - zero_u, corners[k][2] - sign_z * x - zero_v, x};
  }
  const Vec3i step(1, sign_y, sign_z);
  const auto type_along = [](const Vec3i& vector) {
    return kShortEdges + (vector.x() > 0) + 2 * (vector.y() > 0) + 4 * (vector.z() > 0);
  };
  const auto half = [](const Vec3i& units) {
    return Vec3i(units.x() >> 1, units.y() >> 1, units.z() >> 1);
  };
  const auto add_edge = [&](const Vec3i& from, double at, int change) {
    if ((from.x() & 1) != 0) {
      add(type_along(step), half(from), at, change);
    } else {
      add(type_along(-step), half(from + step), 1 - at, -change);
    }
  };
  const LineRange lines = {.first = -2 * kBrickUnits, .end = 2 * kBrickUnits, .step = 2};
  for_each_crossing(seen, surface_.bits, lines, [&](int u, int v, const LineCrossing& crossing) {
    const double x = std::ldexp(crossing.w, -surface_.bits);
    const double before = std::ceil(x) - 1;
    const int i = static_cast<int>(before) - first_.x();
    const Vec3i from(i, u + sign_y * i, v + sign_z * i);
    add_edge(from, x - before, -crossing.facing);
    if (x == before + 1) add_edge(from + step, 0, -crossing.facing);
  });
}

// From the end outside, the first crossing behind which the winding number is positive.
double EdgeCrossings::choose(std::int32_t first, bool owner_is_inside) {
  of_edge_.clear();
  for (std::int32_t i = first; i >= 0; i = crossings_[static_cast<std::size_t>(i)].next) {
    of_edge_.push_back(crossings_[static_cast<std::size_t>(i)]);
    Crossing& crossing = of_edge_.back();
    if (!owner_is_inside) continue;
    crossing.at = 1 - crossing.at;
    crossing.change = -crossing.change;
  }
  std::sort(of_edge_.begin(), of_edge_.end(), [](const Crossing& a, const Crossing& b) {
    return a.at < b.at || (a.at == b.at && a.change > b.change);
  });
  double at = of_edge_.front().at;
  int winding = 0;
  for (const Crossing& crossing : of_edge_) {
    winding += crossing.change;
    if (winding <= 0) continue;
    at = crossing.at;
    break;
  }
  return owner_is_inside ? 1 - at : at;
}

// The end of an edge that lies on the surface.
double EdgeCrossings::end_on_surface(const Vec3i& from, const Vec3i& to) const {
  const double unit = std::ldexp(1.0, -surface_.bits);
  std::array<double, 2> least;
  least.fill(std::numeric_limits<double>::infinity());
  for (const std::int32_t triangle : triangles_) {
    std::array<Vec3, 3> points;
    const Corners fixed = corners(triangle);
    for (std::size_t k = 0; k < 3; ++k) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        points[k][static_cast<int>(axis)] = unit * fixed[k][axis] - first_[static_cast<int>(axis)];
      }
    }
    for (const std::size_t end : {0U, 1U}) {
      const Vec3 p = (end == 0 ? from : to).cast<double>();
      const Vec3 closest = closest_point_on_triangle(p, points[0], points[1], points[2]);
      least[end] = std::min(least[end], (p - closest).squaredNorm());
    }
  }
  // Nothing else hides a crossing with a closed surface.
  const double rounding = 4 * unit;
  if (!(std::min(least[0], least[1]) <= rounding * rounding)) fail_as_open();
  return least[1] < least[0] ? 1 : 0;
}

void EdgeCrossings::find(const Vec3i& place, const BrickCuts& cuts, const SurfaceBrick& signs,
                         std::span<double> points) {
  cuts_ = &cuts;
  first_ = kBrickUnits * place - surface_.base;
  gather(place);
  heads_.assign(points.size(), -1);
  crossings_.clear();
  for (const std::int32_t triangle : triangles_) {
    const Corners seen = corners(triangle);
    for (int axis = 0; axis < 3; ++axis) cross_rows(seen, axis);
    for (const int sign_y : {-1, 1}) {
      for (const int sign_z : {-1, 1}) cross_diagonals(seen, sign_y, sign_z);
    }
  }
  std::size_t edge = 0;
  for_each_cut_edge(cuts, [&](int type, int node) {
    const Sublattice lattice = edge_owner_lattice(type);
    const std::int32_t first = heads_[edge];
    const Vec3i from = node_units(lattice, node);
    points[edge++] = first >= 0 ? choose(first, has_node(signs.inside[lattice], node))
                                : end_on_surface(from, from + edge_vector(type));
  });
}

}  // namespace spindrift
