#include "spindrift/flow/aggregate_keys.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "spindrift/core/parallel.hpp"
#include "spindrift/geometry/morton.hpp"

namespace spindrift {

Buffer<std::uint64_t> aggregate_keys(std::span<const Vec3> points, double side) {
  const Box3 box = parallel_reduce_chunks(
      std::ssize(points), 1 << 14, Box3(),
      [&](std::int64_t begin, std::int64_t end) {
        Box3 part;
        for (std::int64_t i = begin; i < end; ++i) part.extend(points[static_cast<std::size_t>(i)]);
        return part;
      },
      [](Box3 a, const Box3& b) { return a.extend(b); });
  Buffer<std::uint64_t> keys(points.size());
  if (points.empty()) return keys;
  // Codes have room for a million cubes along an axis, half of them on either side of zero.
  constexpr double kMost = 1 << 20;
  const double used = std::max(side, box.sizes().maxCoeff() / (kMost - 2));
  parallel_for_each(std::ssize(points), [&](std::int64_t i) {
    const Vec3 cubes = (points[static_cast<std::size_t>(i)] - box.min()) / used;
    keys[static_cast<std::size_t>(i)] = morton_key(Vec3i(cubes.cast<int>()));
  });
  return keys;
}

double aggregate_side(std::span<const double> volumes, double count) {
  constexpr std::size_t kSamples = 10'000;
  std::vector<double> some;
  const std::size_t step = volumes.size() / kSamples + 1;
  for (std::size_t i = 0; i < volumes.size(); i += step) some.push_back(volumes[i]);
  if (some.empty()) return 1;
  const auto middle = some.begin() + static_cast<std::ptrdiff_t>(some.size() / 2);
  std::nth_element(some.begin(), middle, some.end());
  return std::cbrt(count * *middle);
}

}  // namespace spindrift
