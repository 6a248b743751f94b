#include "spindrift/surface/point_lists.hpp"

#include <array>
#include <numeric>

#include "spindrift/core/parallel.hpp"
#include "spindrift/core/parallel_copy.hpp"

namespace spindrift {
namespace {

constexpr std::int64_t kPointsAtOnce = 512;

}  // namespace

// The range of cubes with a part within reach of a point, and perhaps some more.
PointLists::Range PointLists::range_around(const Vec3& p) const {
  const double far = reach_ * (1 + 1e-6);  // rounding may take a place to the next cube
  return {cube_of(p.array() - far), cube_of(p.array() + far)};
}

// The lists that a point is in, one after the other.
void PointLists::add_lists_of(const Vec3& p, BlockFinder& finder,
                              std::vector<std::uint32_t>& lists) const {
  const auto [low, high] = range_around(p);
  // Squared, from the point to the cubes with this coordinate along an axis.
  const auto off = [&](int axis, int coordinate) {
    const double begin = side_ * coordinate - p[axis];
    const double beyond = std::max({0.0, begin, -begin - side_});
    return beyond * beyond;
  };
  const double most = reach_ * reach_ * (1 + 1e-5);
  for (int z = low.z(); z <= high.z(); ++z) {
    const double off_z = off(2, z);
    for (int y = low.y(); y <= high.y(); ++y) {
      const double off_row = off_z + off(1, y);
      if (off_row > most) continue;
      for (int x = low.x(); x <= high.x(); ++x) {
        if (off_row + off(0, x) > most) continue;
        const Vec3i cube(x, y, z);
        const std::int32_t block = finder.find(block_of_node(cube));
        lists.push_back(static_cast<std::uint32_t>(place_of(block, cube)));
      }
    }
  }
}

PointLists::PointLists(std::span<const Vec3> points, const Lattice& lattice, double side,
                       double reach)
    : lattice_(lattice), side_(side), per_voxel_(1 / side), reach_(reach) {
  std::vector<std::uint64_t> keys;
  places_.reserve(points.size());
  Range last = {Vec3i::Constant(2 * kBlockLimit), Vec3i::Constant(2 * kBlockLimit)};
  for (const Vec3& point : points) {
    places_.push_back(lattice.to_lattice(point));
    const auto [low, high] = range_around(places_.back());
    const Range blocks = {block_of_node(low), block_of_node(high)};
    if (blocks.low == last.low && blocks.high == last.high) continue;
    last = blocks;
    for (int z = blocks.low.z(); z <= blocks.high.z(); ++z) {
      for (int y = blocks.low.y(); y <= blocks.high.y(); ++y) {
        for (int x = blocks.low.x(); x <= blocks.high.x(); ++x) {
          keys.push_back(block_key({x, y, z}));
        }
      }
    }
  }
  blocks_ = BlockSet(std::move(keys));

  struct Part {
    std::vector<std::uint32_t> lists;  // of its points
    std::vector<std::size_t> ends;     // of each point's, in that
  };
  const std::int64_t count = std::ssize(places_);
  std::vector<Part> parts(static_cast<std::size_t>(chunk_count(count, kPointsAtOnce)));
  parallel_for_chunks(count, kPointsAtOnce, [&](std::int64_t begin, std::int64_t end) {
    Part& part = parts[static_cast<std::size_t>(begin / kPointsAtOnce)];
    BlockFinder finder(blocks_);
    for (std::int64_t i = begin; i < end; ++i) {
      add_lists_of(places_[static_cast<std::size_t>(i)], finder, part.lists);
      part.ends.push_back(part.lists.size());
    }
  });
  starts_ =
      filled_buffer(static_cast<std::size_t>(blocks_.size()) * kBlockNodes + 1, std::uint32_t{0});
  for (const Part& part : parts) {
    for (const std::uint32_t list : part.lists) ++starts_[list + 1];
  }
  std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
  points_.resize(starts_.back());
  std::vector<std::uint32_t> next(starts_.begin(), starts_.end() - 1);
  std::int32_t point = 0;
  for (const Part& part : parts) {
    std::size_t k = 0;
    for (const std::size_t end : part.ends) {
      for (; k < end; ++k) points_[next[part.lists[k]]++] = point;
      ++point;
    }
  }
}

}  // namespace spindrift
