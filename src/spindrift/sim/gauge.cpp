#include "spindrift/sim/gauge.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace spindrift {

double surface_height(const ScalarField& liquid, const ScalarField& solids, const Box3& box,
                      const Vec3& at, double step) {
  const double low = box.min().z();
  const auto count = static_cast<std::size_t>(std::ceil(box.sizes().z() / step)) + 1;
  const auto height = [&](std::size_t i) {
    return std::min(low + static_cast<double>(i) * step, box.max().z());
  };
  // Negative in liquid that is not in a solid.
  const auto evaluate = [&](const std::vector<Vec3>& points) {
    std::vector<double> phi(points.size());
    std::vector<double> wall(points.size());
    liquid.evaluate(points, phi);
    solids.evaluate(points, wall);
    for (std::size_t i = 0; i < phi.size(); ++i) phi[i] = std::max(phi[i], -wall[i]);
    return phi;
  };
  std::vector<Vec3> points;
  for (std::size_t i = 0; i < count; ++i) points.emplace_back(at.x(), at.y(), height(i));
  const std::vector<double> values = evaluate(points);
  for (std::size_t i = count; i-- > 0;) {
    if (!(values[i] < 0)) continue;
    if (i + 1 == count) return height(i);
    double wet = height(i);
    double dry = height(i + 1);
    for (int halving = 0; halving < 30; ++halving) {
      const double middle = 0.5 * (wet + dry);
      (evaluate({Vec3(at.x(), at.y(), middle)})[0] < 0 ? wet : dry) = middle;
    }
    return wet;
  }
  return low;
}

}  // namespace spindrift
