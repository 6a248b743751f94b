#include "spindrift/sim/free_room.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "spindrift/core/parallel.hpp"

namespace spindrift {
namespace {

constexpr double kAir = 0.02;
// Of the domain: with less liquid than this there is room, and it is not measured.
constexpr double kWorthMeasuring = 0.2;

}  // namespace

FreeRoom::FreeRoom(const Solids& solids, double cell)
    : solids_(solids),
      cell_(cell),
      is_closed_(std::all_of(solids.domain().is_wall.begin(), solids.domain().is_wall.end(),
                             [](bool is_wall) { return is_wall; })) {}

double FreeRoom::left(double volume, double time) const {
  return std::max(0.0, beside(volume, time));
}

double FreeRoom::lacking(double volume, double time) const {
  return std::max(0.0, -beside(volume, time));
}

double FreeRoom::beside(double volume, double time) const {
  if (!is_closed_ || volume < kWorthMeasuring * solids_.domain().box.volume()) {
    return std::numeric_limits<double>::infinity();
  }
  double room = 0;
  if (solids_.move()) {
    room = measure(time);
  } else {
    if (!at_rest_) at_rest_ = measure(time);
    room = *at_rest_;
  }
  return (1 - kAir) * room - volume;
}

// Cubes count by how far their middles are from solids.
double FreeRoom::measure(double time) const {
  const SolidsAt now = solids_.at(time);
  const Box3& box = solids_.domain().box;
  const Vec3i count = (box.sizes() / cell_).array().ceil().max(1).cast<int>();
  const Vec3 step = box.sizes().cwiseQuotient(count.cast<double>());
  const double cubes = parallel_reduce_chunks(
      count.z(), 1, 0.0,
      [&](std::int64_t z, std::int64_t) {
        double sum = 0;
        for (int y = 0; y < count.y(); ++y) {
          for (int x = 0; x < count.x(); ++x) {
            const Vec3 middle(x + 0.5, y + 0.5, static_cast<double>(z) + 0.5);
            const Vec3 place = box.min() + middle.cwiseProduct(step);
            sum += std::clamp(0.5 + now.distance(place) / step.minCoeff(), 0.0, 1.0);
          }
        }
        return sum;
      },
      std::plus<>());
  return cubes * step.prod();
}

}  // namespace spindrift
