#include "spindrift/meshing/limits.hpp"

#include <fmt/format.h>

#include "spindrift/core/error.hpp"
#include "spindrift/core/memory.hpp"
#include "spindrift/levelset/block_set.hpp"

namespace spindrift {

void expect_to_fit(double surface_bricks, double inside_bricks, double size, bool uniform) {
  // About 130 bytes a tetrahedron (docs/performance.md), and in a brick of finest cells twelve of
  // them a cell. Bricks at the surface are half full; those inside have a few large leaves unless
  // all cells are finest.
  constexpr double kBytesOfFullBrick = 130.0 * 12 * kBlockNodes;
  constexpr double kBytesOfCoarseBrick = 4e3;
  const double bytes = surface_bricks * kBytesOfFullBrick / 2 +
                       inside_bricks * (uniform ? kBytesOfFullBrick : kBytesOfCoarseBrick);
  const auto available = static_cast<double>(available_memory());
  if (bytes <= available) return;
  throw InputError({},
                   fmt::format("cells of {:.3g} m would take {:.3g} GB of memory or more, and "
                               "{:.3g} GB are free",
                               size, bytes * 1e-9, available * 1e-9),
                   "use larger cells");
}

void fail_to_stay_in_box() {
  throw InputError({}, "the surface leaves the box in which it is meshed",
                   "make the box larger, or cut the shape with a box");
}

void fail_as_open() {
  throw InputError({}, "the mesh is not closed", "close it in your modelling tool");
}

}  // namespace spindrift
