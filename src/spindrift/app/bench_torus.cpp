#include "spindrift/app/bench_torus.hpp"

#include <cmath>

#include "spindrift/meshing/stuffing.hpp"

namespace spindrift::app {

ShapePtr bench_torus() { return make_torus(Vec3::Zero(), Vec3(0.2, 0.3, 1).normalized(), 1, 0.45); }

// By steps along a power law.
double bench_torus_size(double tets) {
  const ShapePtr shape = bench_torus();
  double size = 0.05;
  for (int step = 0; step < 2; ++step) {
    const TetMesh mesh = stuff(*shape, shape->bounds(), {.size = size});
    size *= std::sqrt(static_cast<double>(mesh.tet_count()) / tets);
  }
  return size;
}

}  // namespace spindrift::app
