// Generalised winding number over the triangle tree: near triangles exactly, far nodes as dipoles.
#include <cmath>
#include <numbers>

#include "spindrift/geometry/bvh_nodes.hpp"
#include "spindrift/geometry/triangle_bvh.hpp"

namespace spindrift {

namespace {

Double4 lane_sqrt(Double4 x) {
  for (int k = 0; k < 4; ++k) x[k] = std::sqrt(x[k]);
  return x;
}

Float8 lane_sqrt(Float8 x) {
  for (int k = 0; k < 8; ++k) x[k] = std::sqrt(x[k]);
  return x;
}

// Angle of the vector (x, y), to 2e-8 [Abramowitz and Stegun 1964, 4.4.49].
Double4 lane_atan2(Double4 y, Double4 x) {
  const Double4 zero = splat4(0);
  const Double4 ax = x < zero ? -x : x, ay = y < zero ? -y : y;
  const Double4 large = lane_max(ax, ay), small = lane_min(ax, ay);
  const Double4 q = small / lane_max(large, splat4(1e-300));
  const Double4 s = q * q;
  Double4 series = splat4(0.0028662257);
  for (double coefficient : {-0.0161657367, 0.0429096138, -0.0752896400, 0.1065626393,
                             -0.1420889944, 0.1999355085, -0.3333314528, 1.0}) {
    series = series * s + splat4(coefficient);
  }
  Double4 angle = q * series;
  angle = ay > ax ? splat4(std::numbers::pi / 2) - angle : angle;
  angle = x < zero ? splat4(std::numbers::pi) - angle : angle;
  return y < zero ? -angle : angle;
}

// Half the solid angles of the four triangles, as solid_angle_share has it.
double half_solid_angles(const bvh::Leaf& leaf, const Lanes3<Double4>& p) {
  const Lanes3<Double4> u = leaf.a - p, v = leaf.b - p, w = leaf.c - p;
  const Double4 lu = lane_sqrt(dot(u, u)), lv = lane_sqrt(dot(v, v)), lw = lane_sqrt(dot(w, w));
  const Double4 numerator = dot(u, cross(v, w));
  const Double4 denominator = lu * lv * lw + dot(u, v) * lw + dot(v, w) * lu + dot(w, u) * lv;
  const Double4 angle = lane_atan2(numerator, denominator);
  double sum = 0;
  for (int k = 0; k < leaf.count; ++k) sum += angle[k];
  return sum;
}

}  // namespace

double TriangleBvh::winding_number(const Vec3& point) const {
  if (tree_->nodes.empty()) return 0;
  const Vec3 local = tree_->to_local(point);
  // From out there even an open mesh covers less than 1e-16 of the sky.
  constexpr double kNothingBeyond = 1e9;
  if (!(local.cwiseAbs().maxCoeff() < kNothingBeyond)) return 0;

  const Lanes3<Double4> p = {splat4(local.x()), splat4(local.y()), splat4(local.z())};
  const Lanes3<Float8> q = {splat8(static_cast<float>(local.x())),
                            splat8(static_cast<float>(local.y())),
                            splat8(static_cast<float>(local.z()))};
  double near = 0;         // half solid angles
  Float8 far = splat8(0);  // full solid angles, a sum per lane
  std::vector<std::int32_t>& stack = []() -> std::vector<std::int32_t>& {
    thread_local std::vector<std::int32_t> storage;
    storage.clear();
    return storage;
  }();
  stack.push_back(0);
  while (!stack.empty()) {
    const std::int32_t at = stack.back();
    stack.pop_back();
    if (at < 0) {
      near += half_solid_angles(tree_->leaves[~at], p);
      continue;
    }
    const bvh::Far& node = tree_->far[at];
    const Lanes3<Float8> d = node.center - q;
    const Float8 d2 = dot(d, d);
    const Int8 opened = d2 <= node.reach2;
    const Float8 cubed = d2 * lane_sqrt(d2);
    const Float8 dipole = dot(node.area, d) / lane_max(cubed, splat8(1e-37F));
    far += opened ? splat8(0) : dipole;
    for (unsigned lanes = true_lanes(opened); lanes != 0; lanes &= lanes - 1) {
      stack.push_back(tree_->nodes[at].child[__builtin_ctz(lanes)]);
    }
  }
  double total = 2 * near;
  for (int k = 0; k < 8; ++k) total += static_cast<double>(far[k]);
  return total / (4 * std::numbers::pi);
}

}  // namespace spindrift
