#include "spindrift/surface/within_reach.hpp"

#include "spindrift/core/error.hpp"

namespace spindrift {

void expect_within_reach(std::span<const Vec3> places, const Lattice& lattice) {
  constexpr double kFarthest = 1 << 19;  // lattice units
  for (const Vec3& place : places) {
    if ((lattice.to_lattice(place).array().abs() < kFarthest).all()) continue;
    throw Error(ErrorKind::numerical, {}, "the velocity carries the surface out of all bounds",
                "take smaller steps");
  }
}

}  // namespace spindrift
