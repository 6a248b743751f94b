#include "spindrift/surface/point_lists.hpp"

#include <algorithm>
#include <numeric>

#include "spindrift/core/parallel_copy.hpp"

namespace spindrift {

// visit(cube) for all cubes with a part within reach.
template <class Visit>
void PointLists::for_each_cube_near(const Vec3& p, const Visit& visit) const {
  const double far = reach_ * (1 + 1e-6);  // rounding may take a place to the next cube
  const Vec3i low = cube_of(p.array() - far);
  const Vec3i high = cube_of(p.array() + far);
  // Squared, from the point to the cubes with this coordinate along an axis.
  const auto off = [&](int axis, int coordinate) {
    const double begin = side_ * coordinate - p[axis];
    const double beyond = std::max({0.0, begin, -begin - side_});
    return beyond * beyond;
  };
  for (int z = low.z(); z <= high.z(); ++z) {
    for (int y = low.y(); y <= high.y(); ++y) {
      const double off_row = off(2, z) + off(1, y);
      for (int x = low.x(); x <= high.x(); ++x) {
        if (off_row + off(0, x) <= far * far) visit(Vec3i(x, y, z));
      }
    }
  }
}

PointLists::PointLists(std::span<const Vec3> points, const Lattice& lattice, double side,
                       double reach)
    : lattice_(lattice), side_(side), reach_(reach) {
  places_.reserve(points.size());
  for (const Vec3& point : points) places_.push_back(lattice.to_lattice(point));
  std::vector<std::uint64_t> keys;
  for (const Vec3& p : places_) {
    for_each_cube_near(p, [&](const Vec3i& cube) {
      const std::uint64_t key = block_key(block_of_node(cube));
      if (keys.empty() || keys.back() != key) keys.push_back(key);
    });
  }
  blocks_ = BlockSet(std::move(keys));
  BlockFinder finder(blocks_);
  const auto list_of = [&](const Vec3i& cube) {
    return place_of(finder.find(block_of_node(cube)), cube);
  };
  // Where lists end; once they are filled from the back, where they begin.
  starts_ =
      filled_buffer(static_cast<std::size_t>(blocks_.size()) * kBlockNodes + 1, std::uint32_t{0});
  for (const Vec3& p : places_) {
    for_each_cube_near(p, [&](const Vec3i& cube) { ++starts_[list_of(cube)]; });
  }
  std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
  points_.resize(starts_.back());
  for (std::size_t i = places_.size(); i-- > 0;) {
    for_each_cube_near(places_[i], [&](const Vec3i& cube) {
      points_[--starts_[list_of(cube)]] = static_cast<std::int32_t>(i);
    });
  }
}

}  // namespace spindrift
