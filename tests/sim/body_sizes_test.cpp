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

TEST(BodySizes, BodiesInOnePieceOfTheCutSurfaceAreAGroup) {
  const Box3 box(Vec3::Zero(), Vec3::Constant(40));
  const ContouringParams params{.lattice = {Vec3::Zero(), 1.0}};
  const std::vector<ShapePtr> balls = {make_sphere(Vec3(20, 20, 20), 8),
                                       make_sphere(Vec3(20, 20, 8.5), 2.5),
                                       make_sphere(Vec3(33, 33, 33), 3)};
  const ContouringTracker tracker(*make_union(balls), box, params);
  ASSERT_EQ(tracker.components().components.size(), 3U);
  // What is shown joins the first two by a bridge.
  const ShapePtr bridge = make_cylinder(Vec3(20, 20, 8), Vec3(20, 20, 20), 1.5);
  const ContouringTracker shown(*make_union({balls[0], balls[1], balls[2], bridge}), box, params);
  ASSERT_EQ(shown.components().components.size(), 2U);
  CutSurface cut;
  cut.mesh = shown.surface();
  cut.kinds.assign(cut.mesh.triangles.size(), SurfaceKind::air);

  const std::vector<BodySize> sizes = body_sizes(cut, tracker);
  const auto body_at = [&](const Vec3& place) {
    const std::int32_t vertex = tracker.vertices().closest(place, 3);
    return static_cast<std::size_t>(
        tracker.components().of_vertex[static_cast<std::size_t>(vertex)]);
  };
  const std::size_t ball = body_at(Vec3(20, 20, 28));
  const std::size_t drop = body_at(Vec3(20, 20, 6));
  const std::size_t other = body_at(Vec3(33, 33, 36));
  EXPECT_EQ(sizes[ball].group, sizes[drop].group);
  EXPECT_NE(sizes[ball].group, sizes[other].group);
  EXPECT_EQ(sizes[drop].volume, 0);
  EXPECT_NEAR(sizes[ball].volume + sizes[other].volume,
              shown.components().components[0].volume + shown.components().components[1].volume,
              1e-6);
}

}  // namespace
}  // namespace spindrift
