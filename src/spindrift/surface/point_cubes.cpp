#include "spindrift/surface/point_cubes.hpp"

#include <algorithm>
#include <array>

#include "spindrift/core/parallel.hpp"
#include "spindrift/levelset/block_order.hpp"

namespace spindrift {
namespace {

// Voxels: smaller ones gain nothing, and their coordinates must fit into keys.
constexpr double kLeastSide = 1;

// Keys of neighbours differ by these, unless they are at the very end of what has keys.
constexpr std::uint64_t kNextAlongY = std::uint64_t{1} << 21;
constexpr std::uint64_t kNextAlongZ = std::uint64_t{1} << 42;

// From a cube to the middle of one of the nine rows around it.
std::uint64_t to_row(std::size_t row) {
  return (row % 3 - 1) * kNextAlongY + (row / 3 - 1) * kNextAlongZ;
}

// The cubes of ascending keys, and those before and after them along x.
std::vector<std::uint64_t> spread_along_x(std::span<const std::uint64_t> keys) {
  std::vector<std::uint64_t> spread;
  for (const std::uint64_t key : keys) {
    for (const std::uint64_t next : {key - 1, key, key + 1}) {
      if (spread.empty() || next > spread.back()) spread.push_back(next);
    }
  }
  return spread;
}

// Ascending keys, and those before and after them along an axis where neighbours differ by `next`.
std::vector<std::uint64_t> spread_along(std::span<const std::uint64_t> keys, std::uint64_t next) {
  std::vector<std::uint64_t> spread;
  spread.reserve(3 * keys.size());
  // Each of them ascends by itself.
  std::array<std::size_t, 3> places = {};
  const auto at = [&](std::size_t k) {
    return places[k] < keys.size() ? keys[places[k]] + (k - 1) * next : ~std::uint64_t{0};
  };
  while (places[0] < keys.size() || places[1] < keys.size() || places[2] < keys.size()) {
    const std::uint64_t least = std::min({at(0), at(1), at(2)});
    for (std::size_t k = 0; k < 3; ++k) places[k] += at(k) == least ? 1 : 0;
    spread.push_back(least);
  }
  return spread;
}

std::vector<std::uint64_t> with_all_around(std::span<const std::uint64_t> keys) {
  return spread_along(spread_along(spread_along_x(keys), kNextAlongY), kNextAlongZ);
}

}  // namespace

PointCubes::PointCubes(std::span<const Vec3> points, const Lattice& lattice, double reach)
    : lattice_(lattice), reach_(reach), side_(std::max(reach, kLeastSide)) {
  std::vector<std::uint64_t> unsorted(points.size());
  parallel_for_each(std::ssize(points), [&](std::int64_t n) {
    const auto i = static_cast<std::size_t>(n);
    unsorted[i] = block_key((lattice.to_lattice(points[i]) / side_).array().floor().cast<int>());
  });
  KeyOrder order = block_key_order(unsorted);
  indices_ = std::move(order.indices);
  places_.resize(points.size());
  parallel_for_each(std::ssize(points), [&](std::int64_t n) {
    const auto i = static_cast<std::size_t>(n);
    places_[i] = lattice.to_lattice(points[static_cast<std::size_t>(indices_[i])]);
  });
  keys_ = std::move(order.keys);
  find_rows();
}

PointCubes::Rows PointCubes::rows_around(const Vec3i& cube) const {
  const std::int32_t number = cubes_.find(cube);
  return number >= 0 ? rows_[static_cast<std::size_t>(number)] : Rows{};
}

void PointCubes::find_rows() {
  const Buffer<std::uint64_t>& keys = keys_;
  cubes_ = BlockSet(with_all_around(keys));
  rows_.resize(static_cast<std::size_t>(cubes_.size()));
  parallel_for_each(
      9,
      [&](std::int64_t row) {
        // Both ascend.
        std::size_t begin = 0;
        std::size_t end = 0;
        for (std::size_t c = 0; c < rows_.size(); ++c) {
          const std::uint64_t middle = cubes_.keys()[c] + to_row(static_cast<std::size_t>(row));
          while (begin < keys.size() && keys[begin] < middle - 1) ++begin;
          end = std::max(end, begin);
          while (end < keys.size() && keys[end] <= middle + 1) ++end;
          rows_[c][static_cast<std::size_t>(row)] = {static_cast<std::int32_t>(begin),
                                                     static_cast<std::int32_t>(end)};
        }
      },
      1);
}

}  // namespace spindrift
