#include "spindrift/geometry/triangle_bvh.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "spindrift/geometry/bvh_nodes.hpp"
#include "spindrift/geometry/triangle.hpp"

namespace spindrift {

namespace {

using bvh::kWidth;
using bvh::Leaf;
using bvh::Node;

Lanes3<Double4> splat(const Vec3& v) { return {splat4(v.x()), splat4(v.y()), splat4(v.z())}; }

Vec3 lane(const Lanes3<Double4>& v, int k) { return {v.x[k], v.y[k], v.z[k]}; }

// A query point in float, with the room that its rounding needs, so that box distances are never
// overestimated.
struct FloatPoint {
  explicit FloatPoint(const Vec3& local) {
    // Farther points would overflow squares; the bound from the nearer point still holds.
    constexpr double kLimit = 1e18;
    const Vec3 p = local.cwiseMax(-kLimit).cwiseMin(kLimit);
    position = {splat8(static_cast<float>(p.x())), splat8(static_cast<float>(p.y())),
                splat8(static_cast<float>(p.z()))};
    padding = splat8(static_cast<float>((1 + p.cwiseAbs().maxCoeff()) * 0x1p-22));
  }
  Lanes3<Float8> position;
  Float8 padding;
};

// Lower bounds of the squared distances to the eight boxes.
Float8 box_distance2(const Node& node, const FloatPoint& p) {
  const Float8 zero = splat8(0);
  const auto axis = [&](Float8 low, Float8 high, Float8 x) {
    return lane_max(zero, lane_max(low - x, x - high) - p.padding);
  };
  const Float8 dx = axis(node.min.x, node.max.x, p.position.x);
  const Float8 dy = axis(node.min.y, node.max.y, p.position.y);
  const Float8 dz = axis(node.min.z, node.max.z, p.position.z);
  return (dx * dx + dy * dy + dz * dz) * splat8(1 - 0x1p-20F);
}

Double4 segment_distance2(const Lanes3<Double4>& ap, const Lanes3<Double4>& ab) {
  const Double4 length2 = lane_max(dot(ab, ab), splat4(1e-300));
  const Double4 t = lane_min(lane_max(dot(ap, ab) / length2, splat4(0)), splat4(1));
  const Lanes3<Double4> d = {ap.x - t * ab.x, ap.y - t * ab.y, ap.z - t * ab.z};
  return dot(d, d);
}

// Squared distances to the four triangles; the same cases as closest_point_on_triangle.
Double4 triangle_distance2(const Leaf& leaf, const Lanes3<Double4>& p) {
  const Lanes3<Double4> ab = leaf.b - leaf.a, ac = leaf.c - leaf.a, bc = leaf.c - leaf.b;
  const Lanes3<Double4> ap = p - leaf.a, bp = p - leaf.b;
  const Lanes3<Double4> normal = cross(ab, ac);
  const Double4 normal2 = dot(normal, normal);
  const Double4 weight_c = dot(normal, cross(ab, ap));
  const Double4 weight_b = dot(normal, cross(ap, ac));
  const Long4 above = (normal2 > splat4(1e-16) * dot(ab, ab) * dot(ac, ac)) &
                      (weight_b >= splat4(0)) & (weight_c >= splat4(0)) &
                      (weight_b + weight_c <= normal2);
  const Double4 height = dot(normal, ap);
  const Double4 to_plane = height * height / lane_max(normal2, splat4(1e-300));
  const Double4 to_edges = lane_min(lane_min(segment_distance2(ap, ab), segment_distance2(ap, ac)),
                                    segment_distance2(bp, bc));
  return above ? to_plane : to_edges;
}

struct Entry {
  float distance2;
  std::int32_t child;
};

// Depth-first stack: in place for any ordinary mesh, on the heap for one that makes a deep tree.
class Stack {
 public:
  void push(Entry entry) {
    if (size_ == static_cast<int>(entries_.size())) {
      overflow_.push_back(entry);
    } else {
      entries_[size_++] = entry;
    }
  }
  bool pop(Entry& entry) {
    if (!overflow_.empty()) {
      entry = overflow_.back();
      overflow_.pop_back();
      return true;
    }
    if (size_ == 0) return false;
    entry = entries_[--size_];
    return true;
  }

 private:
  std::array<Entry, 256> entries_;
  int size_ = 0;
  std::vector<Entry> overflow_;
};

// Pushes the children whose bound is at most `limit`, nearest on top.
void push_near_last(const Node& node, Float8 distance2, float limit, Stack& stack) {
  std::array<Entry, kWidth> near;
  int count = 0;
  for (unsigned lanes = true_lanes(distance2 <= splat8(limit)); lanes != 0; lanes &= lanes - 1) {
    const int k = __builtin_ctz(lanes);
    const Entry entry{distance2[k], node.child[k]};
    int at = count++;
    while (at > 0 && near[at - 1].distance2 < entry.distance2) {
      near[at] = near[at - 1];
      --at;
    }
    near[at] = entry;
  }
  for (int i = 0; i < count; ++i) stack.push(near[i]);
}

float float_above(double x) {
  if (x > 1e37) return std::numeric_limits<float>::max() / 4;  // below the box of an empty lane
  return static_cast<float>(x) * (1 + 0x1p-20F);
}

struct LeafHits {
  Long4 crossed;
  Double4 t;
};

// The ray made the z axis by a shear, so that a triangle is hit where its 2-D image holds the
// origin [Woop 2013]. A vertex has one image for all its triangles, and the sign of a 2-D cross
// product is rounded to zero but never flipped: no ray passes between neighbours.
class ShearedRay {
 public:
  ShearedRay(const Vec3& origin, const Vec3& direction) : origin_(splat(origin)) {
    direction.cwiseAbs().maxCoeff(&z_);
    x_ = (z_ + 1) % 3;
    y_ = (z_ + 2) % 3;
    shear_x_ = splat4(direction[x_] / direction[z_]);
    shear_y_ = splat4(direction[y_] / direction[z_]);
    shear_z_ = splat4(1 / direction[z_]);
  }

  [[nodiscard]] LeafHits meet(const Leaf& leaf) const {
    const Lanes3<Double4> a = image(leaf.a), b = image(leaf.b), c = image(leaf.c);
    const Double4 u = c.x * b.y - c.y * b.x;
    const Double4 v = a.x * c.y - a.y * c.x;
    const Double4 w = b.x * a.y - b.y * a.x;
    const Double4 sum = u + v + w, zero = splat4(0);
    const Long4 one_side =
        ((u >= zero) & (v >= zero) & (w >= zero)) | ((u <= zero) & (v <= zero) & (w <= zero));
    const Long4 crossed = one_side & (sum != zero);
    return {crossed, (u * a.z + v * b.z + w * c.z) / (crossed ? sum : splat4(1))};
  }

 private:
  [[nodiscard]] Lanes3<Double4> image(const Lanes3<Double4>& corner) const {
    const Lanes3<Double4> p = corner - origin_;
    const Double4 axes[3] = {p.x, p.y, p.z};
    const Double4 z = axes[z_];
    return {axes[x_] - shear_x_ * z, axes[y_] - shear_y_ * z, shear_z_ * z};
  }

  Lanes3<Double4> origin_;
  int x_ = 0, y_ = 0, z_ = 0;
  Double4 shear_x_, shear_y_, shear_z_;
};

}  // namespace

TriangleBvh::TriangleBvh(const TriangleMesh& mesh)
    : tree_(std::make_unique<bvh::Tree>(bvh::build_tree(mesh))) {}
TriangleBvh::~TriangleBvh() = default;
TriangleBvh::TriangleBvh(TriangleBvh&&) noexcept = default;
TriangleBvh& TriangleBvh::operator=(TriangleBvh&&) noexcept = default;

ClosestPoint TriangleBvh::closest_point(const Vec3& point, double max_distance) const {
  ClosestPoint best;
  if (tree_->nodes.empty()) return best;
  const Vec3 local = tree_->to_local(point);
  const Lanes3<Double4> p = splat(local);
  const FloatPoint query(local);
  const double reach = max_distance / tree_->scale;
  double best_distance2 = reach * reach;
  const Leaf* best_leaf = nullptr;
  int best_lane = 0;

  Stack stack;
  Entry entry{0, 0};
  do {
    if (entry.distance2 > float_above(best_distance2)) continue;
    if (entry.child >= 0) {
      const Node& node = tree_->nodes[entry.child];
      push_near_last(node, box_distance2(node, query), float_above(best_distance2), stack);
      continue;
    }
    const Leaf& leaf = tree_->leaves[~entry.child];
    const Double4 distance2 = triangle_distance2(leaf, p);
    for (int k = 0; k < leaf.count; ++k) {
      if (distance2[k] < best_distance2) {
        best_distance2 = distance2[k];
        best_leaf = &leaf;
        best_lane = k;
      }
    }
  } while (stack.pop(entry));

  if (best_leaf == nullptr) return best;
  const Vec3 nearest =
      closest_point_on_triangle(local, lane(best_leaf->a, best_lane), lane(best_leaf->b, best_lane),
                                lane(best_leaf->c, best_lane));
  best.point = tree_->to_world(nearest);
  best.distance2 = (nearest - local).squaredNorm() * tree_->scale * tree_->scale;
  best.triangle = best_leaf->triangle[best_lane];
  return best;
}

std::optional<RayHit> TriangleBvh::first_hit(const Vec3& origin, const Vec3& direction,
                                             double t_max) const {
  if (tree_->nodes.empty()) return std::nullopt;
  const Vec3 local = tree_->to_local(origin);
  const Vec3 d = direction / tree_->scale;
  const ShearedRay ray(local, d);
  // Slabs in float on boxes enlarged by the rounding of the origin. Lanes with a zero direction
  // component get a huge slope, which keeps or rejects the slab by its side.
  const FloatPoint o(local);
  const auto slope = [](double x) {
    constexpr double kSteepest = 1e30;
    const double inverse = x == 0 ? kSteepest : std::clamp(1 / x, -kSteepest, kSteepest);
    return splat8(static_cast<float>(inverse));
  };
  const Lanes3<Float8> inverse = {slope(d.x()), slope(d.y()), slope(d.z())};
  const Float8 slack = splat8(1 + 0x1p-18F);

  RayHit best{t_max, -1};
  Stack stack;
  Entry entry{0, 0};
  do {
    if (entry.distance2 > float_above(best.t)) continue;
    if (entry.child >= 0) {
      const Node& node = tree_->nodes[entry.child];
      Float8 enter = splat8(0), leave = splat8(float_above(best.t));
      const auto clip = [&](Float8 low, Float8 high, Float8 x, Float8 slope_lanes) {
        const Float8 a = (low - o.padding - x) * slope_lanes;
        const Float8 b = (high + o.padding - x) * slope_lanes;
        enter = lane_max(enter, lane_min(a, b));
        leave = lane_min(leave, lane_max(a, b) * slack);
      };
      clip(node.min.x, node.max.x, o.position.x, inverse.x);
      clip(node.min.y, node.max.y, o.position.y, inverse.y);
      clip(node.min.z, node.max.z, o.position.z, inverse.z);
      const Float8 missed = splat8(std::numeric_limits<float>::infinity());
      const Int8 valid = (enter <= leave) & (node.min.x <= node.max.x);
      push_near_last(node, valid ? enter * splat8(1 - 0x1p-18F) : missed, float_above(best.t),
                     stack);
      continue;
    }
    const Leaf& leaf = tree_->leaves[~entry.child];
    const LeafHits hits = ray.meet(leaf);
    for (int k = 0; k < leaf.count; ++k) {
      const double t = hits.t[k];
      const bool is_nearer = best.triangle < 0 ? t <= best.t : t < best.t;
      if (hits.crossed[k] && t >= 0 && is_nearer) best = {t, leaf.triangle[k]};
    }
  } while (stack.pop(entry));
  if (best.triangle < 0) return std::nullopt;
  return best;
}

void TriangleBvh::append_overlaps(const Box3& box, std::vector<std::int32_t>& triangles) const {
  if (tree_->nodes.empty()) return;
  const FloatPoint low(tree_->to_local(box.min())), high(tree_->to_local(box.max()));
  const auto meets = [&](const auto& min, const auto& max, const auto& a, const auto& b) {
    return (min <= b + high.padding) & (max >= a - low.padding);
  };
  Stack stack;
  Entry entry{0, 0};
  do {
    if (entry.child < 0) {
      const Leaf& leaf = tree_->leaves[~entry.child];
      triangles.insert(triangles.end(), leaf.triangle.begin(), leaf.triangle.begin() + leaf.count);
      continue;
    }
    const Node& node = tree_->nodes[entry.child];
    const Int8 hit = meets(node.min.x, node.max.x, low.position.x, high.position.x) &
                     meets(node.min.y, node.max.y, low.position.y, high.position.y) &
                     meets(node.min.z, node.max.z, low.position.z, high.position.z);
    for (unsigned lanes = true_lanes(hit); lanes != 0; lanes &= lanes - 1) {
      stack.push({0, node.child[__builtin_ctz(lanes)]});
    }
  } while (stack.pop(entry));
}

std::int64_t TriangleBvh::bytes() const {
  return static_cast<std::int64_t>(tree_->nodes.size() * (sizeof(bvh::Node) + sizeof(bvh::Far)) +
                                   tree_->leaves.size() * sizeof(bvh::Leaf));
}

}  // namespace spindrift
