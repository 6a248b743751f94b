#include "spindrift/surface/vertex_grid.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

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

// In lanes without a vertex.
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Double4 kInfinities = {kInfinity, kInfinity, kInfinity, kInfinity};
constexpr Lanes3<Double4> kNowhere = {kInfinities, kInfinities, kInfinities};

// Of many points, the one closest to a place; of two as close the first.
class Closest {
 public:
  Closest(const Vec3& place, double reach)
      : place_{splat4(place.x()), splat4(place.y()), splat4(place.z())},
        squared_(splat4(reach * reach)) {}

  // Four points: those that are kept at 4 i and on.
  void look_at(std::size_t i, const Lanes3<Double4>& points) {
    const Lanes3<Double4> away = points - place_;
    const Double4 squared = dot(away, away);
    const auto first = static_cast<std::int64_t>(4 * i);
    const Long4 places = {first, first + 1, first + 2, first + 3};
    const Long4 is_closer = (squared < squared_) | ((squared == squared_) & (places < places_));
    squared_ = is_closer ? squared : squared_;
    places_ = is_closer ? places : places_;
  }

  [[nodiscard]] double squared_distance() const {
    return std::min({squared_[0], squared_[1], squared_[2], squared_[3]});
  }

  [[nodiscard]] std::int64_t place() const {  // -1: none within reach
    const double least = squared_distance();
    std::int64_t best = -1;
    for (int lane = 0; lane < 4; ++lane) {
      if (squared_[lane] != least || places_[lane] < 0) continue;
      if (best < 0 || places_[lane] < best) best = places_[lane];
    }
    return best;
  }

 private:
  Lanes3<Double4> place_;
  Double4 squared_;
  Long4 places_ = {-1, -1, -1, -1};
};

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
  for (std::size_t b = 1; b < starts_.size(); ++b) {
    starts_[b] = starts_[b - 1] + (starts_[b] + 3) / 4;
  }
  std::vector<std::int32_t> next(starts_.begin(), starts_.end() - 1);
  order_.assign(4 * static_cast<std::size_t>(starts_.back()), -1);
  points_.assign(static_cast<std::size_t>(starts_.back()), kNowhere);
  for (std::int32_t& place : next) place *= 4;
  for (std::size_t v = 0; v < count; ++v) {
    const auto place = static_cast<std::size_t>(next[static_cast<std::size_t>(block_of[v])]++);
    order_[place] = static_cast<std::int32_t>(v);
    Lanes3<Double4>& four = points_[place / 4];
    const auto lane = static_cast<int>(place % 4);
    four.x[lane] = points[v].x();
    four.y[lane] = points[v].y();
    four.z[lane] = points[v].z();
  }
}

std::int32_t VertexGrid::closest(const Vec3& point, double reach) const {
  const Vec3 p = lattice_.to_lattice(point);
  constexpr double kFarthest = 8.0 * (kBlockLimit - 4);
  if (!(p.array().abs() < kFarthest).all()) return -1;
  const Vec3i low = block_of_node((p.array() - reach).floor().cast<int>());
  const Vec3i high = block_of_node((p.array() + reach).floor().cast<int>());
  Closest best(p, reach);
  const auto search = [&](const Vec3i& at) {
    const std::int32_t block = blocks_.find(at);
    if (block < 0) return;
    const auto first = static_cast<std::size_t>(starts_[static_cast<std::size_t>(block)]);
    const auto last = static_cast<std::size_t>(starts_[static_cast<std::size_t>(block) + 1]);
    for (std::size_t i = first; i < last; ++i) best.look_at(i, points_[i]);
  };
  // What is found in the point's own block mostly rules out the others.
  const Vec3i own = block_of_node(p.array().floor().cast<int>());
  search(own);
  for (int z = low.z(); z <= high.z(); ++z) {
    for (int y = low.y(); y <= high.y(); ++y) {
      for (int x = low.x(); x <= high.x(); ++x) {
        const Vec3i at(x, y, z);
        if (at == own || squared_distance_to(at, p) > best.squared_distance()) continue;
        search(at);
      }
    }
  }
  const std::int64_t place = best.place();
  return place < 0 ? -1 : order_[static_cast<std::size_t>(place)];
}

std::int32_t VertexGrid::on_x_edge(const Vec3i& node) const {
  const std::int32_t block = blocks_.find(block_of_node(node));
  if (block < 0) return -1;
  const auto first = static_cast<std::size_t>(starts_[static_cast<std::size_t>(block)]);
  const auto last = static_cast<std::size_t>(starts_[static_cast<std::size_t>(block) + 1]);
  for (std::size_t place = 4 * first; place < 4 * last; ++place) {
    const Lanes3<Double4>& four = points_[place / 4];
    const auto lane = static_cast<int>(place % 4);
    const Vec3 d = Vec3(four.x[lane], four.y[lane], four.z[lane]) - node.cast<double>();
    if (std::abs(d.y()) < kOnLine && std::abs(d.z()) < kOnLine && d.x() > kOnLine &&
        d.x() < 1 - kOnLine) {
      return order_[place];
    }
  }
  return -1;
}

}  // namespace spindrift
