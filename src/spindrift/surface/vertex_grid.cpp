#include "spindrift/surface/vertex_grid.hpp"

#include <cmath>

#include "spindrift/core/parallel.hpp"

namespace spindrift {
namespace {

// Vertices lie on lattice lines: their coordinates are integers but for one, up to rounding.
constexpr double kOnLine = 1e-6;

Vec3i cell_of(const Vec3& p) { return (p.array() + kOnLine).floor().cast<int>(); }

// To the cells of a block.
double squared_distance_to(const Vec3i& block, const Vec3& p) {
  const Vec3 first = kBlockSide * block.cast<double>();
  const Vec3 before = first.array() - kOnLine - p.array();
  const Vec3 after = p.array() - kOnLine - first.array() - kBlockSide;
  return before.cwiseMax(after).cwiseMax(0).squaredNorm();
}

}  // namespace

VertexGrid::VertexGrid(const Lattice& lattice, std::span<const Vec3> vertices) : lattice_(lattice) {
  const std::size_t count = vertices.size();
  std::vector<Vec3> points(count);
  std::vector<std::uint64_t> keys(count);
  parallel_for_each(std::ssize(vertices), [&](std::int64_t v) {
    const auto i = static_cast<std::size_t>(v);
    points[i] = lattice.to_lattice(vertices[i]);
    keys[i] = block_key(block_of_node(cell_of(points[i])));
  });
  std::vector<std::uint64_t> distinct;
  for (const std::uint64_t key : keys) {
    if (distinct.empty() || distinct.back() != key) distinct.push_back(key);
  }
  blocks_ = BlockSet(std::move(distinct));
  starts_.assign(static_cast<std::size_t>(blocks_.size()) + 1, 0);
  std::vector<std::int32_t> block_of(count);
  for (std::size_t v = 0; v < count; ++v) {
    const bool is_same = v > 0 && keys[v] == keys[v - 1];
    block_of[v] = is_same ? block_of[v - 1] : blocks_.find(block_of_key(keys[v]));
    ++starts_[static_cast<std::size_t>(block_of[v]) + 1];
  }
  for (std::size_t b = 1; b < starts_.size(); ++b) starts_[b] += starts_[b - 1];
  std::vector<std::int32_t> next(starts_.begin(), starts_.end() - 1);
  order_.resize(count);
  points_.resize(count);
  for (std::size_t v = 0; v < count; ++v) {
    const auto place = static_cast<std::size_t>(next[static_cast<std::size_t>(block_of[v])]++);
    order_[place] = static_cast<std::int32_t>(v);
    points_[place] = points[v];
  }
}

std::int32_t VertexGrid::closest(const Vec3& point, double reach) const {
  const Vec3 p = lattice_.to_lattice(point);
  constexpr double kFarthest = 8.0 * (kBlockLimit - 4);
  if (!(p.array().abs() < kFarthest).all()) return -1;
  const Vec3i low = block_of_node((p.array() - reach).floor().cast<int>());
  const Vec3i high = block_of_node((p.array() + reach).floor().cast<int>());
  double best2 = reach * reach;
  std::size_t best = 0;  // of two as close the first
  bool has_found = false;
  const auto search = [&](const Vec3i& at) {
    const std::int32_t block = blocks_.find(at);
    if (block < 0) return;
    for (auto i = static_cast<std::size_t>(starts_[static_cast<std::size_t>(block)]);
         i < static_cast<std::size_t>(starts_[static_cast<std::size_t>(block) + 1]); ++i) {
      const double distance2 = (points_[i] - p).squaredNorm();
      if (distance2 > best2 || (distance2 == best2 && i >= best)) continue;
      best2 = distance2;
      best = i;
      has_found = true;
    }
  };
  // What is found in the point's own block mostly rules out the others.
  const Vec3i own = block_of_node(p.array().floor().cast<int>());
  search(own);
  for (int z = low.z(); z <= high.z(); ++z) {
    for (int y = low.y(); y <= high.y(); ++y) {
      for (int x = low.x(); x <= high.x(); ++x) {
        const Vec3i at(x, y, z);
        if (at == own || squared_distance_to(at, p) > best2) continue;
        search(at);
      }
    }
  }
  return has_found ? order_[best] : -1;
}

std::int32_t VertexGrid::on_x_edge(const Vec3i& node) const {
  const std::int32_t block = blocks_.find(block_of_node(node));
  if (block < 0) return -1;
  for (auto i = static_cast<std::size_t>(starts_[static_cast<std::size_t>(block)]);
       i < static_cast<std::size_t>(starts_[static_cast<std::size_t>(block) + 1]); ++i) {
    const Vec3 d = points_[i] - node.cast<double>();
    if (std::abs(d.y()) < kOnLine && std::abs(d.z()) < kOnLine && d.x() > kOnLine &&
        d.x() < 1 - kOnLine) {
      return order_[i];
    }
  }
  return -1;
}

}  // namespace spindrift
