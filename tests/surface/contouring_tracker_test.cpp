#include "spindrift/surface/contouring_tracker.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "spindrift/core/parallel.hpp"
#include "spindrift/geometry/mesh_check.hpp"
#include "spindrift/geometry/shape.hpp"

#include "support/flows.hpp"

namespace spindrift {
namespace {

const Box3 kUnitBox(Vec3::Zero(), Vec3::Ones());
const Vec3 kCenter(0.5, 0.75, 0.5);
constexpr double kRadius = 0.15;

ContouringParams params_of(int voxels, SurfaceModel model = SurfaceModel::curved) {
  return {.lattice = {.origin = Vec3::Zero(), .spacing = 1.0 / voxels}, .model = model};
}

struct Loss {
  double volume;  // relative
  double area;
};
Loss loss_after(ContouringTracker& tracker, const VelocityField& velocity, double dt, int steps) {
  const double volume = enclosed_volume(tracker.surface());
  const double area = surface_area(tracker.surface());
  for (int step = 0; step < steps; ++step) tracker.advance(velocity, dt);
  return {1 - enclosed_volume(tracker.surface()) / volume,
          1 - surface_area(tracker.surface()) / area};
}

TEST(ContouringTracker, Translation) {
  const ShapePtr sphere = make_sphere({0.3, 0.3, 0.3}, kRadius);
  for (const SurfaceModel model : {SurfaceModel::curved, SurfaceModel::flat}) {
    ContouringTracker tracker(*sphere, kUnitBox, params_of(64, model));
    const Loss loss = loss_after(tracker, test::uniform_flow({0.43, 0.37, 0.31}), 0.01, 100);
    std::printf("%d translation: %.5f %% volume, %.5f %% area\n", int(model), 100 * loss.volume,
                100 * loss.area);
  }
}

TEST(ContouringTracker, Turning) {
  for (const int voxels : {64, 128}) {
    const ShapePtr sphere = make_sphere(kCenter, kRadius);
    ContouringTracker tracker(*sphere, kUnitBox, params_of(voxels));
    const Loss loss = loss_after(tracker, test::turning_flow(), 1.0 / 200, 200);
    std::printf("turn sphere %d: %.5f %% volume, %.5f %% area\n", voxels, 100 * loss.volume,
                100 * loss.area);
    const ShapePtr notched =
        make_difference({sphere, make_box({0.475, 0.5, 0.2}, {0.525, 0.75 - 0.15 + 0.125, 0.8})});
    ContouringTracker zalesak(*notched, kUnitBox, params_of(voxels));
    const Loss zloss = loss_after(zalesak, test::turning_flow(), 1.0 / 200, 200);
    std::printf("turn notched %d: %.5f %% volume, %.5f %% area\n", voxels, 100 * zloss.volume,
                100 * zloss.area);
  }
}

}  // namespace
}  // namespace spindrift
