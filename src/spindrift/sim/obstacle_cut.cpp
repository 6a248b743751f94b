#include "spindrift/sim/obstacle_cut.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "spindrift/core/parallel.hpp"
#include "spindrift/geometry/fields.hpp"

namespace spindrift {
namespace {

// Of the cube around a node, what is on the negative side.
double inner_share(double distance, double spacing) {
  return std::clamp(0.5 - distance / spacing, 0.0, 1.0);
}

}  // namespace

double cut_by_obstacles(const LiquidStep& liquid, const SolidsAt& before, const SolidsAt& after,
                        const Box3& box, double speed, const Lattice& lattice) {
  if (box.isEmpty()) return 0;
  const double spacing = lattice.spacing;
  // Deeper in, there was solid before.
  const double deepest = speed * liquid.dt + spacing;
  const Vec3i low = lattice.to_lattice(box.min()).array().floor().cast<int>();
  const Vec3i high = lattice.to_lattice(box.max()).array().ceil().cast<int>();
  const auto in_layer = [&](std::int64_t z) {
    std::vector<Vec3> points;
    std::vector<double> room;
    for (int y = low.y(); y <= high.y(); ++y) {
      for (int x = low.x(); x <= high.x(); ++x) {
        const Vec3 node = lattice.position(Vec3i(x, y, static_cast<int>(z)));
        const double solid = after.distance(node);
        if (solid > 0.5 * spacing || solid < -deepest) continue;
        points.push_back(node);
        room.push_back(inner_share(-solid, spacing));
      }
    }
    trace_paths(liquid.paths, -liquid.dt, PathScheme::midpoint, points);
    std::vector<double> depths(points.size());
    liquid.distance.evaluate(points, depths);
    double shares = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (depths[i] > 0.5 * spacing) continue;
      const double brought = inner_share(std::max(depths[i], -before.distance(points[i])), spacing);
      shares += std::max(0.0, brought - room[i]);
    }
    return shares;
  };
  const double shares = parallel_reduce_chunks(
      high.z() - low.z() + 1, 1, 0.0,
      [&](std::int64_t begin, std::int64_t end) {
        double sum = 0;
        for (std::int64_t z = begin; z < end; ++z) sum += in_layer(low.z() + z);
        return sum;
      },
      [](double a, double b) { return a + b; });
  return shares * spacing * spacing * spacing;
}

}  // namespace spindrift
