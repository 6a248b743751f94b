// Building the triangle tree: binned surface-area heuristic [Wald 2007], then collapsed to eight
// children a node.
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "spindrift/core/error.hpp"
#include "spindrift/core/parallel.hpp"
#include "spindrift/geometry/bvh_nodes.hpp"

namespace spindrift::bvh {

namespace {

using Box3f = Eigen::AlignedBox3f;

constexpr int kBins = 16;
constexpr std::int64_t kParallelSize =
    4096;  // triangles below which a subtree is built in one task

struct Item {
  Box3f box;
  std::int32_t triangle;
};

// A binary node. Children of the node over items [begin, end) are at left and right, or it is a
// leaf.
struct Binary {
  Box3f box;
  std::int32_t begin = 0, end = 0;
  std::int32_t left = -1, right = -1;

  [[nodiscard]] bool is_leaf() const { return left < 0; }
  [[nodiscard]] std::int32_t size() const { return end - begin; }
};

float half_area(const Box3f& box) {
  if (box.isEmpty()) return 0;
  const Eigen::Vector3f s = box.sizes();
  return s.x() * s.y() + s.y() * s.z() + s.z() * s.x();
}

// Work in a leaf comes in packets of kLeafSize triangles.
float packets(std::int64_t count) {
  const std::int64_t whole_packets = (count + kLeafSize - 1) / kLeafSize;
  return static_cast<float>(whole_packets);
}

struct Split {
  int axis = -1;  // -1: no plane separates the items
  float position = 0;
};

// The plane of least expected cost, in centroid space (twice the centroid: min + max).
Split find_split(std::span<const Item> items) {
  Box3f centroids;
  for (const Item& item : items) centroids.extend(item.box.min() + item.box.max());
  const Eigen::Vector3f width = centroids.sizes();

  Split best;
  float best_cost = std::numeric_limits<float>::infinity();
  for (int axis = 0; axis < 3; ++axis) {
    if (!(width[axis] > 0)) continue;
    const float to_bin = kBins / width[axis];
    if (!std::isfinite(to_bin)) continue;
    std::array<Box3f, kBins> boxes;
    std::array<std::int64_t, kBins> counts{};
    for (const Item& item : items) {
      const float c = item.box.min()[axis] + item.box.max()[axis] - centroids.min()[axis];
      const int bin = std::min(kBins - 1, static_cast<int>(c * to_bin));
      boxes[bin].extend(item.box);
      ++counts[bin];
    }
    std::array<float, kBins> right_cost{};
    Box3f box;
    std::int64_t count = 0;
    for (int bin = kBins - 1; bin > 0; --bin) {
      box.extend(boxes[bin]);
      count += counts[bin];
      right_cost[bin] = half_area(box) * packets(count);
    }
    box.setEmpty();
    count = 0;
    for (int bin = 0; bin + 1 < kBins; ++bin) {
      box.extend(boxes[bin]);
      count += counts[bin];
      if (count == 0 || count == std::ssize(items)) continue;
      const float cost = half_area(box) * packets(count) + right_cost[bin + 1];
      if (cost < best_cost) {
        best_cost = cost;
        const float edge = static_cast<float>(bin + 1) / to_bin;
        best = {axis, centroids.min()[axis] + edge};
      }
    }
  }
  return best;
}

class BinaryBuilder {
 public:
  explicit BinaryBuilder(std::vector<Item>& items) : items_(items), nodes_(2 * items.size()) {
    build(0, 0, static_cast<std::int32_t>(items.size()));
  }
  [[nodiscard]] const std::vector<Binary>& nodes() const { return nodes_; }

 private:
  // A subtree over n items has at most 2n - 1 nodes, so its place is known before it is built.
  void build(std::int32_t at, std::int32_t begin, std::int32_t end) {
    Binary& node = nodes_[at];
    node.begin = begin;
    node.end = end;
    for (std::int32_t i = begin; i < end; ++i) node.box.extend(items_[i].box);
    if (node.size() <= kLeafSize) return;
    const std::int32_t middle = partition(begin, end);
    node.left = at + 1;
    node.right = at + 2 * (middle - begin);
    const auto left = [&] { build(node.left, begin, middle); };
    const auto right = [&] { build(node.right, middle, end); };
    if (node.size() >= kParallelSize) {
      parallel_invoke(left, right);
    } else {
      left();
      right();
    }
  }

  std::int32_t partition(std::int32_t begin, std::int32_t end) {
    const auto first = items_.begin() + begin, last = items_.begin() + end;
    const Split split = find_split({first, last});
    if (split.axis >= 0) {
      const auto middle = std::partition(first, last, [&](const Item& item) {
        return item.box.min()[split.axis] + item.box.max()[split.axis] < split.position;
      });
      if (middle != first && middle != last) {
        return static_cast<std::int32_t>(middle - items_.begin());
      }
    }
    return begin + (end - begin) / 2;  // coincident centroids: any halves do
  }

  std::vector<Item>& items_;
  std::vector<Binary> nodes_;
};

float round_down(double x) {
  const float f = static_cast<float>(x);
  return f > x ? std::nextafter(f, -std::numeric_limits<float>::infinity()) : f;
}
float round_up(double x) { return -round_down(-x); }

std::vector<Item> make_items(const TriangleMesh& mesh, const Tree& tree) {
  std::vector<Item> items(mesh.triangles.size());
  parallel_for_each(mesh.triangle_count(), [&](std::int64_t t) {
    Box3 box;
    for (int k = 0; k < 3; ++k) box.extend(tree.to_local(mesh.corner(t, k)));
    Item& item = items[t];
    for (int axis = 0; axis < 3; ++axis) {
      item.box.min()[axis] = round_down(box.min()[axis]);
      item.box.max()[axis] = round_up(box.max()[axis]);
    }
    item.triangle = static_cast<std::int32_t>(t);
  });
  return items;
}

template <class V>
void set_lane(Lanes3<V>& lanes, int lane, const auto& value) {
  lanes.x[lane] = value[0];
  lanes.y[lane] = value[1];
  lanes.z[lane] = value[2];
}

// Turns the binary tree into wide nodes, depth first.
class Collapser {
 public:
  Collapser(const TriangleMesh& mesh, const std::vector<Item>& items,
            const std::vector<Binary>& binary, Tree& tree)
      : mesh_(mesh), items_(items), binary_(binary), tree_(tree) {
    collapse(0);
  }

 private:
  // What a subtree looks like from afar.
  struct Dipole {
    Vec3 area = Vec3::Zero();      // sum of the triangles' area vectors
    Vec3 weighted = Vec3::Zero();  // sum of area times barycentre
    double total = 0;              // sum of the areas
  };

  struct Built {
    std::int32_t child;
    Dipole dipole;
  };

  Built build_child(std::int32_t at) {
    return binary_[at].is_leaf() ? make_leaf(binary_[at]) : collapse(at);
  }

  Built collapse(std::int32_t at) {
    const std::vector<std::int32_t> children = gather_children(at);
    const std::size_t index = tree_.nodes.size();
    tree_.nodes.emplace_back();
    tree_.far.emplace_back();
    Node node;
    Far far{};
    Dipole sum;
    for (int lane = 0; lane < kWidth; ++lane) {
      if (lane >= std::ssize(children)) {
        constexpr float kFar = std::numeric_limits<float>::max();
        set_lane(node.min, lane, Eigen::Vector3f(kFar, kFar, kFar));
        set_lane(node.max, lane, Eigen::Vector3f(-kFar, -kFar, -kFar));
        node.child[lane] = 0;
        far.reach2[lane] = -1;  // never opened
        continue;
      }
      const Binary& child = binary_[children[lane]];
      const Built built = build_child(children[lane]);
      set_lane(node.min, lane, child.box.min());
      set_lane(node.max, lane, child.box.max());
      node.child[lane] = built.child;
      set_far(far, lane, built.dipole, child.box);
      sum.area += built.dipole.area;
      sum.weighted += built.dipole.weighted;
      sum.total += built.dipole.total;
    }
    tree_.nodes[index] = node;
    tree_.far[index] = far;
    return {static_cast<std::int32_t>(index), sum};
  }

  // Opens the largest of the children until there are eight.
  std::vector<std::int32_t> gather_children(std::int32_t at) const {
    if (binary_[at].is_leaf()) return {at};
    std::vector<std::int32_t> children = {binary_[at].left, binary_[at].right};
    while (std::ssize(children) < kWidth) {
      std::ptrdiff_t widest = -1;
      float widest_area = -1;
      for (std::ptrdiff_t i = 0; i < std::ssize(children); ++i) {
        const Binary& child = binary_[children[i]];
        if (!child.is_leaf() && half_area(child.box) > widest_area) {
          widest_area = half_area(child.box);
          widest = i;
        }
      }
      if (widest < 0) break;
      const Binary& opened = binary_[children[widest]];
      children[widest] = opened.left;
      children.insert(children.begin() + widest + 1, opened.right);
    }
    return children;
  }

  Built make_leaf(const Binary& node) {
    Leaf leaf{};
    leaf.count = node.size();
    Dipole dipole;
    for (int lane = 0; lane < kLeafSize; ++lane) {
      const std::int32_t item = node.begin + (lane < node.size() ? lane : 0);
      const std::int32_t t = items_[item].triangle;
      const Vec3 a = tree_.to_local(mesh_.corner(t, 0));
      const Vec3 b = tree_.to_local(mesh_.corner(t, 1));
      const Vec3 c = tree_.to_local(mesh_.corner(t, 2));
      set_lane(leaf.a, lane, a);
      set_lane(leaf.b, lane, b);
      set_lane(leaf.c, lane, c);
      leaf.triangle[lane] = t;
      if (lane < node.size()) {
        const Vec3 area = (b - a).cross(c - a) / 2;
        dipole.area += area;
        dipole.weighted += area.norm() * (a + b + c) / 3;
        dipole.total += area.norm();
      }
    }
    tree_.leaves.push_back(leaf);
    return {~static_cast<std::int32_t>(tree_.leaves.size() - 1), dipole};
  }

  static void set_far(Far& far, int lane, const Dipole& dipole, const Box3f& box) {
    // Seen from this many radii away the dipole stands for the triangles: the error of the sum over
    // a closed mesh stays below 0.05 (test Winding.FastAgreesWithExact), far from the 0.5 that
    // would change a sign.
    constexpr float kReach = 2.5F;
    const Vec3 box_center = box.center().cast<double>();
    const Vec3 center = dipole.total > 0 ? Vec3(dipole.weighted / dipole.total) : box_center;
    const Eigen::Vector3f c = center.cast<float>();
    const Eigen::Vector3f corner = (c - box.min()).cwiseMax(box.max() - c);
    set_lane(far.center, lane, c);
    set_lane(far.area, lane, dipole.area.cast<float>());
    far.reach2[lane] = kReach * kReach * corner.squaredNorm();
  }

  const TriangleMesh& mesh_;
  const std::vector<Item>& items_;
  const std::vector<Binary>& binary_;
  Tree& tree_;
};

}  // namespace

Tree build_tree(const TriangleMesh& mesh) {
  Tree tree;
  if (mesh.triangles.empty()) return tree;
  const Box3 box = bounds(mesh);
  tree.origin = box.center();
  const double half_width = box.sizes().maxCoeff() / 2;
  SPINDRIFT_ASSERT(std::isfinite(half_width));
  if (half_width > 0) tree.scale = std::exp2(std::ceil(std::log2(half_width)));

  std::vector<Item> items = make_items(mesh, tree);
  const BinaryBuilder builder(items);
  Collapser(mesh, items, builder.nodes(), tree);
  return tree;
}

}  // namespace spindrift::bvh
