// The body that benchmarks fill with tetrahedra.
#pragma once

#include "spindrift/geometry/shape.hpp"

namespace spindrift::app {

[[nodiscard]] ShapePtr bench_torus();

// The size of cells, in m, at which it has about so many tetrahedra.
[[nodiscard]] double bench_torus_size(double tets);

}  // namespace spindrift::app
