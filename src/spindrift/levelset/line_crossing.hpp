// Which lines a triangle crosses, decided in integers.
//
// A line is seen end on, as a point (u, v). It is taken as moved by (e, e^2) with an infinitesimal
// e: of the triangles of a closed surface around an edge or a vertex that a line meets, it crosses
// exactly as many as a line beside it does.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace spindrift {

// A corner seen along a line: fixed point, w along the line.
struct SeenPoint {
  std::int64_t u, v, w;
};
using SeenTriangle = std::array<SeenPoint, 3>;

struct LineCrossing {
  int facing;  // 1: the triangle faces along the line, -1: against it, 0: it is not crossed
  double w;
};

// Twice the signed area of (p, q, line), and its sign. Only an edge that is seen as a point has
// none.
struct EdgeSide {
  std::int64_t area;
  int sign;
};
[[nodiscard]] inline EdgeSide edge_side(const SeenPoint& p, const SeenPoint& q, std::int64_t u,
                                        std::int64_t v) {
  const std::int64_t du = q.u - p.u;
  const std::int64_t dv = q.v - p.v;
  const std::int64_t area = du * (v - p.v) - dv * (u - p.u);
  const auto sign = [](std::int64_t value) { return (value > 0) - (value < 0); };
  if (area != 0) return {area, sign(area)};
  return {0, dv != 0 ? -sign(dv) : sign(du)};
}

[[nodiscard]] inline LineCrossing cross_line(const SeenTriangle& t, std::int64_t u,
                                             std::int64_t v) {
  const auto& [a, b, c] = t;
  const EdgeSide ab = edge_side(a, b, u, v);
  const EdgeSide bc = edge_side(b, c, u, v);
  if (ab.sign * bc.sign <= 0) return {0, 0};
  const EdgeSide ca = edge_side(c, a, u, v);
  if (ca.sign != ab.sign) return {0, 0};
  const auto total = static_cast<double>(ab.area + bc.area + ca.area);
  const double from_a = (static_cast<double>(ca.area) * static_cast<double>(b.w - a.w) +
                         static_cast<double>(ab.area) * static_cast<double>(c.w - a.w)) /
                        total;
  // Not rounded past the triangle.
  const double w =
      std::clamp(static_cast<double>(a.w) + from_a, static_cast<double>(std::min({a.w, b.w, c.w})),
                 static_cast<double>(std::max({a.w, b.w, c.w})));
  return {ab.sign, w};
}

// The lines at multiples of 2^bits: first, first + step, and so on, before `end`; the same for u
// and v.
struct LineRange {
  int first, end, step;
};

// Calls visit(u, v, crossing) for those that a triangle crosses.
template <class Visit>
void for_each_crossing(const SeenTriangle& t, int bits, const LineRange& lines,
                       const Visit& visit) {
  const auto [u_low, u_high] = std::minmax({t[0].u, t[1].u, t[2].u});
  const auto [v_low, v_high] = std::minmax({t[0].v, t[1].v, t[2].v});
  const auto not_below = [&](std::int64_t coordinate) {
    return static_cast<int>((coordinate + (std::int64_t{1} << bits) - 1) >> bits);
  };
  const auto first_line = [&](std::int64_t low) {
    const int steps = (std::max(not_below(low) - lines.first, 0) + lines.step - 1) / lines.step;
    return lines.first + steps * lines.step;
  };
  // Lines are moved up: one at the highest corner misses the triangle.
  const int u_end = std::min(not_below(u_high), lines.end);
  const int v_end = std::min(not_below(v_high), lines.end);
  for (int v = first_line(v_low); v < v_end; v += lines.step) {
    for (int u = first_line(u_low); u < u_end; u += lines.step) {
      const LineCrossing crossing = cross_line(t, std::int64_t{u} << bits, std::int64_t{v} << bits);
      if (crossing.facing != 0) visit(u, v, crossing);
    }
  }
}

}  // namespace spindrift
