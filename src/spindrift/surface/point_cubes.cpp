#include "spindrift/surface/point_cubes.hpp"

#include <algorithm>
#include <numeric>

namespace spindrift {
namespace {

// Voxels: smaller ones gain nothing, and their coordinates must fit into keys.
constexpr double kLeastSide = 1;

}  // namespace

PointCubes::PointCubes(std::span<const Vec3> points, const Lattice& lattice, double reach)
    : lattice_(lattice), reach_(reach), side_(std::max(reach, kLeastSide)) {
  std::vector<std::uint64_t> keys;
  keys.reserve(points.size());
  for (const Vec3& point : points) {
    keys.push_back(block_key((lattice.to_lattice(point) / side_).array().floor().cast<int>()));
  }
  indices_.resize(points.size());
  std::iota(indices_.begin(), indices_.end(), std::size_t{0});
  std::stable_sort(indices_.begin(), indices_.end(),
                   [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
  cubes_ = BlockSet(keys);
  std::vector<std::uint64_t> around;
  around.reserve(27 * static_cast<std::size_t>(cubes_.size()));
  for (std::int64_t c = 0; c < cubes_.size(); ++c) {
    const Vec3i cube = cubes_.coordinate(c);
    for (int n = 0; n < 27; ++n) {
      around.push_back(block_key(cube + Vec3i(n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1)));
    }
  }
  near_ = BlockSet(std::move(around));
  starts_.assign(static_cast<std::size_t>(cubes_.size()) + 1, 0);
  places_.reserve(points.size());
  // Keys and cubes are both ascending.
  std::int64_t cube = 0;
  for (const std::size_t i : indices_) {
    while (cubes_.keys()[static_cast<std::size_t>(cube)] != keys[i]) ++cube;
    ++starts_[static_cast<std::size_t>(cube) + 1];
    places_.push_back(lattice.to_lattice(points[i]));
  }
  std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
}

}  // namespace spindrift
