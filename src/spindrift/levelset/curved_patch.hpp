// Signed distance to a smooth surface that is known by triangles and the normals at their corners.
//
// Let q be the point of the triangle closest to p, with barycentric coordinates l_i; N the normal
// there, interpolated from the corners; and H how far the surface bulges above the triangle at q:
//
//   H = sum over edges (i, j) of l_i l_j / 2 (n_j - n_i) . (p_j - p_i),      distance = (p - q) . N
//   - H.
//
// and two terms of higher order with the mean curvature k: H grows by k H^2 / 2, and a point off
// the normal by a distance a is farther by k a^2 / 2. Compare [Nagata 2005] for the patch. Where
// normals turn too fast for their triangle (edges, corners, thin parts) the flat distance takes
// over, and no correction is larger than a quarter of a lattice unit.
#pragma once

#include <array>

#include "spindrift/core/simd.hpp"

namespace spindrift {

struct PatchLanes {
  std::array<Lanes3<Float8>, 3> corners;
  std::array<Lanes3<Float8>, 3> normals;  // unit, outwards
};

namespace detail {

struct Barycentric8 {
  Float8 a, b, c;
};

// Of the closest point on triangle k to point k.
inline Barycentric8 closest_barycentric(const std::array<Lanes3<Float8>, 3>& t,
                                        const Lanes3<Float8>& p) {
  const Float8 zero = splat8(0);
  const Float8 one = splat8(1);
  const Float8 tiny = splat8(1e-12F);
  const auto ab = t[1] - t[0];
  const auto ac = t[2] - t[0];
  const auto bc = t[2] - t[1];
  const auto ap = p - t[0];
  const auto bp = p - t[1];
  const Float8 ab2 = dot(ab, ab);
  const Float8 ac2 = dot(ac, ac);
  const Float8 abac = dot(ab, ac);
  const Float8 abap = dot(ab, ap);
  const Float8 acap = dot(ac, ap);
  const Float8 area2 = ab2 * ac2 - abac * abac;
  const Float8 b = ac2 * abap - abac * acap;
  const Float8 c = ab2 * acap - abac * abap;
  const Int8 inside =
      (b > zero) & (c > zero) & (b + c < area2) & (area2 > splat8(1e-6F) * ab2 * ac2);

  const auto along = [&](Float8 projected, Float8 length2) {
    return lane_min(lane_max(projected / lane_max(length2, tiny), zero), one);
  };
  const auto squared = [](const Lanes3<Float8>& from, const Lanes3<Float8>& edge, Float8 s) {
    const Lanes3<Float8> d = {from.x - s * edge.x, from.y - s * edge.y, from.z - s * edge.z};
    return dot(d, d);
  };
  const Float8 on_ab = along(abap, ab2);
  const Float8 on_ac = along(acap, ac2);
  const Float8 on_bc = along(dot(bc, bp), dot(bc, bc));
  const Float8 to_ab = squared(ap, ab, on_ab);
  const Float8 to_ac = squared(ap, ac, on_ac);
  const Float8 to_bc = squared(bp, bc, on_bc);
  const Int8 take_bc = (to_bc < to_ab) & (to_bc < to_ac);
  const Int8 take_ac = ~take_bc & (to_ac < to_ab);

  const Float8 scale = one / lane_max(area2, tiny);
  const Float8 edge_b = take_bc ? one - on_bc : take_ac ? zero : on_ab;
  const Float8 edge_c = take_bc ? on_bc : take_ac ? on_ac : zero;
  const Float8 result_b = inside ? b * scale : edge_b;
  const Float8 result_c = inside ? c * scale : edge_c;
  return {one - result_b - result_c, result_b, result_c};
}

}  // namespace detail

// `flat`: the signed distances to the flat triangles, whose closest triangles these are.
inline Float8 curved_distance(const PatchLanes& patch, const Lanes3<Float8>& p, Float8 flat) {
  // Normals that turn by less than 35 degrees across a triangle are trusted, by more than 60 not at
  // all.
  constexpr float kTrusted = 0.82F;
  constexpr float kDistrusted = 0.5F;
  constexpr float kMostCorrection = 0.25F;
  const Float8 zero = splat8(0);
  const Float8 half = splat8(0.5F);
  const Float8 one = splat8(1);
  const auto& t = patch.corners;
  const auto& n = patch.normals;
  const detail::Barycentric8 l = detail::closest_barycentric(t, p);

  const auto mix = [&](Float8 a, Float8 b, Float8 c) { return l.a * a + l.b * b + l.c * c; };
  const Lanes3<Float8> normal = {mix(n[0].x, n[1].x, n[2].x), mix(n[0].y, n[1].y, n[2].y),
                                 mix(n[0].z, n[1].z, n[2].z)};
  const Lanes3<Float8> closest = {mix(t[0].x, t[1].x, t[2].x), mix(t[0].y, t[1].y, t[2].y),
                                  mix(t[0].z, t[1].z, t[2].z)};
  const Lanes3<Float8> from = p - closest;
  const Float8 along = dot(from, normal) / root(lane_max(dot(normal, normal), splat8(1e-6F)));
  // How much the normals turn along each edge, times its length.
  const Float8 turn01 = dot(n[1] - n[0], t[1] - t[0]);
  const Float8 turn12 = dot(n[2] - n[1], t[2] - t[1]);
  const Float8 turn20 = dot(n[0] - n[2], t[0] - t[2]);
  const auto square = [](const Lanes3<Float8>& a) { return dot(a, a); };
  const Float8 curvature =
      (turn01 + turn12 + turn20) /
      lane_max(square(t[1] - t[0]) + square(t[2] - t[1]) + square(t[0] - t[2]), splat8(1e-12F));
  const Float8 bulge = half * (l.a * l.b * turn01 + l.b * l.c * turn12 + l.c * l.a * turn20);
  const Float8 height = along - bulge - half * curvature * bulge * bulge;
  const Float8 aside = lane_max(dot(from, from) - along * along, zero);
  const Float8 curved =
      height + half * curvature * aside / lane_max(one + curvature * height, half);

  const Float8 agreement = lane_min(lane_min(dot(n[0], n[1]), dot(n[1], n[2])), dot(n[2], n[0]));
  const Float8 trust = lane_min(
      lane_max((agreement - splat8(kDistrusted)) / splat8(kTrusted - kDistrusted), zero), one);
  const Float8 correction = curved - flat;
  const Float8 most = splat8(kMostCorrection);
  const Float8 within = lane_min(lane_max(correction, -most), most);
  // A correction of more than half a unit means that the normals point the wrong way.
  const Int8 is_sane = (correction < splat8(0.5F)) & (correction > splat8(-0.5F));
  return is_sane ? flat + trust * within : flat;
}

}  // namespace spindrift
