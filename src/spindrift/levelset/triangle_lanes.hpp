// Distances from nodes to triangles, eight at a time.
//
// A triangle with corners p0, p1, p2, p0 p1 the longest edge, has a frame: u along p0 p1, v across
// it towards p2, z off the plane. In this frame it is (0, 0), (length, 0), (tip_u, tip_v), and the
// squared distance of a point is z^2 plus, outside the triangle, the least squared distance to an
// edge in the plane. Branch-free: about forty instructions for eight nodes.
#pragma once

#include <array>

#include "spindrift/core/simd.hpp"

namespace spindrift {

using Points8 = Lanes3<Float8>;

// Eight triangles; lane k of each member belongs to triangle k. The members are broadcast one lane
// at a time, so their order is that of their use.
struct TriangleLanes {
  struct Affine {
    Float8 x, y, z, offset;
  };
  Affine z, u, v;
  Float8 length0, length1, length2;  // of p0 p1, p1 p2, p0 p2
  Float8 u1, v1, u2, v2;             // directions of p1 p2 and p0 p2 in the plane
};

namespace detail {

inline Points8 select(Int8 condition, const Points8& yes, const Points8& no) {
  return {condition ? yes.x : no.x, condition ? yes.y : no.y, condition ? yes.z : no.z};
}
inline Points8 scaled(const Points8& a, Float8 factor) {
  return {a.x * factor, a.y * factor, a.z * factor};
}
inline TriangleLanes::Affine affine(const Points8& gradient, const Points8& zero) {
  return {gradient.x, gradient.y, gradient.z, -dot(gradient, zero)};
}

}  // namespace detail

// Needles and triangles without area become segments or points: their frame is any that fits.
inline void set_up_lanes(const Points8& a, const Points8& b, const Points8& c,
                         TriangleLanes& lanes) {
  using detail::scaled;
  using detail::select;
  const Float8 zero = splat8(0);
  const Float8 tiny = splat8(1e-12F);
  const Float8 ab = dot(b - a, b - a);
  const Float8 bc = dot(c - b, c - b);
  const Float8 ca = dot(a - c, a - c);
  // Turn the corners until the longest edge comes first.
  const Int8 bc_first = (bc > ab) & (bc >= ca);
  const Int8 ca_first = (ca > ab) & ~bc_first;
  const Points8 p0 = select(bc_first, b, select(ca_first, c, a));
  const Points8 p1 = select(bc_first, c, select(ca_first, a, b));
  const Points8 p2 = select(bc_first, a, select(ca_first, b, c));

  const Float8 length0 = root(lane_max(lane_max(ab, bc), ca));
  Points8 u = scaled(p1 - p0, splat8(1) / lane_max(length0, tiny));
  const Int8 is_point = length0 <= tiny;
  u.x = is_point ? splat8(1) : u.x;
  const Points8 tip = p2 - p0;
  const Float8 tip_u = dot(tip, u);
  Points8 across = tip - scaled(u, tip_u);
  across = across - scaled(u, dot(across, u));  // once more: the rest matters on needles
  const Float8 tip_v = root(dot(across, across));
  // Below the resolution of the coordinates the direction across is noise: take any. Above it, an
  // error of the direction turns the frame about the longest edge and moves only the tip, by no
  // more than its own rounding.
  const Int8 is_flat = tip_v < splat8(2e-6F);
  const Float8 ax = lane_max(u.x, -u.x);
  const Int8 mostly_x = ax > splat8(0.7F);
  const Points8 any_axis = {mostly_x ? zero : splat8(1), mostly_x ? splat8(1) : zero, zero};
  Points8 v = select(is_flat, cross(u, any_axis), across);
  v = scaled(v, splat8(1) / lane_max(root(dot(v, v)), tiny));

  lanes.z = detail::affine(cross(u, v), p0);
  lanes.u = detail::affine(u, p0);
  lanes.v = detail::affine(v, p0);
  lanes.length0 = length0;
  const Float8 back = tip_u - length0;
  lanes.length1 = root(back * back + tip_v * tip_v);
  lanes.length2 = root(tip_u * tip_u + tip_v * tip_v);
  // An edge without length runs along the longest one: the triangle then lies on its line.
  const Int8 is_none1 = lanes.length1 <= tiny;
  const Int8 is_none2 = lanes.length2 <= tiny;
  lanes.u1 = is_none1 ? splat8(-1) : back / lane_max(lanes.length1, tiny);
  lanes.v1 = is_none1 ? zero : tip_v / lane_max(lanes.length1, tiny);
  lanes.u2 = is_none2 ? splat8(1) : tip_u / lane_max(lanes.length2, tiny);
  lanes.v2 = is_none2 ? zero : tip_v / lane_max(lanes.length2, tiny);
}

// One of the triangles, in every lane; in its frame.
struct FlatTriangle {
  Float8 length0, length1, length2, u1, v1, u2, v2;

  FlatTriangle(const TriangleLanes& lanes, int lane)
      : length0(one(lanes.length0, lane)),
        length1(one(lanes.length1, lane)),
        length2(one(lanes.length2, lane)),
        u1(one(lanes.u1, lane)),
        v1(one(lanes.v1, lane)),
        u2(one(lanes.u2, lane)),
        v2(one(lanes.v2, lane)) {}

  static Float8 one(const Float8& member, int lane) {
    return splat8(reinterpret_cast<const float*>(&member)[lane]);
  }

  // Squared distances of eight points, from their coordinates in the frame.
  [[nodiscard]] Float8 squared_distances(Float8 u, Float8 v, Float8 z) const {
    const Float8 zero = splat8(0);
    // Squared distance, in the plane, to the segment from 0 to `length` along the first axis.
    const auto to_segment = [&](Float8 along, Float8 across, Float8 length) {
      const Float8 rest = along - lane_min(lane_max(along, zero), length);
      return fused(rest, rest, across * across);
    };
    const Float8 from1 = u - length0;
    const Float8 along1 = fused(from1, u1, v * v1);
    const Float8 outside1 = fused(from1, v1, -(v * u1));
    const Float8 along2 = fused(u, u2, v * v2);
    const Float8 outside2 = fused(v, u2, -(u * v2));
    const Float8 to_edges =
        lane_min(lane_min(to_segment(u, v, length0), to_segment(along1, outside1, length1)),
                 to_segment(along2, outside2, length2));
    const Int8 inside = (v > zero) & (outside1 < zero) & (outside2 < zero);
    return fused(z, z, inside ? zero : to_edges);
  }
};

}  // namespace spindrift
