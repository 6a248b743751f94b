#include "spindrift/sim/body_sizes.hpp"

#include <gtest/gtest.h>

#include "spindrift/geometry/shape.hpp"

namespace spindrift {
namespace {

TEST(BodySizes, ADropThatComesNearDoesNotTakeTheWholeBody) {
  const ShapePtr shapes =
      make_union({make_sphere(Vec3(20, 20, 20), 8), make_sphere(Vec3(20, 20, 9.5), 1.5)});
  const ContouringTracker tracker(*shapes, Box3(Vec3::Zero(), Vec3::Constant(40)),
                                  {.lattice = {Vec3::Zero(), 1.0}});
  const LiquidComponents& components = tracker.components();
  ASSERT_EQ(components.components.size(), 2U);
  const std::size_t ball =
      components.components[0].volume > components.components[1].volume ? 0 : 1;

  CutSurface cut;
  cut.mesh = tracker.surface();
  cut.kinds.assign(cut.mesh.triangles.size(), SurfaceKind::air);
  // The first vertex of the ball is drawn to the drop: what is shown differs from what is tracked.
  std::size_t first = 0;
  while (components.of_vertex[first] != static_cast<std::int32_t>(ball)) ++first;
  cut.mesh.vertices[first] = Vec3(20, 20, 11.1);

  const std::vector<BodySize> sizes = body_sizes(cut, tracker);
  ASSERT_EQ(sizes.size(), 2U);
  EXPECT_NEAR(sizes[ball].volume / components.components[ball].volume, 1, 0.02);
  EXPECT_NEAR(sizes[1 - ball].volume / components.components[1 - ball].volume, 1, 0.02);
}

}  // namespace
}  // namespace spindrift
