#include "spindrift/sim/openings.hpp"

#include <numbers>

#include <gtest/gtest.h>

namespace spindrift {
namespace {

Solids empty_box() {
  Domain domain;
  domain.box = Box3(Vec3::Zero(), Vec3(1, 1, 1));
  domain.is_wall.fill(true);
  return {domain, {}};
}

TEST(PouringRate, IsTheAreaSeenAlongTheVelocityTimesTheSpeed) {
  const Solids box = empty_box();
  const ShapePtr cube = make_box(Vec3(0.2, 0.2, 0.7), Vec3(0.4, 0.5, 0.8));
  EXPECT_NEAR(pouring_rate(*cube, Vec3(0, 0, -2), box, 0), 2 * 0.06, 1e-3 * 0.12);
  EXPECT_NEAR(pouring_rate(*cube, Vec3(1, 0, 0), box, 0), 0.03, 1e-3 * 0.03);
  const ShapePtr pipe = make_cylinder(Vec3(0.5, 0.5, 0.6), Vec3(0.6, 0.6, 0.8), 0.1);
  EXPECT_NEAR(pouring_rate(*pipe, 3 * Vec3(0.1, 0.1, 0.2).normalized(), box, 0),
              3 * std::numbers::pi * 0.01, 2e-3 * 0.094);
  const ShapePtr ball = make_sphere(Vec3(0.5, 0.5, 0.5), 0.2);
  EXPECT_NEAR(pouring_rate(*ball, Vec3(1, 2, -1), box, 0), std::sqrt(6.0) * std::numbers::pi * 0.04,
              2e-3 * 0.31);
}

TEST(PouringRate, CountsWhatEntersTheDomain) {
  const Solids box = empty_box();
  // Its lower end is in the box, its upper one in the ceiling.
  const ShapePtr pipe = make_cylinder(Vec3(0.5, 0.5, 1.2), Vec3(0.5, 0.5, 0.9), 0.1);
  EXPECT_NEAR(pouring_rate(*pipe, Vec3(0, 0, -1), box, 0), std::numbers::pi * 0.01, 1e-4);
  EXPECT_EQ(pouring_rate(*pipe, Vec3(0, 0, 1), box, 0), 0);
  EXPECT_EQ(pouring_rate(*pipe, Vec3::Zero(), box, 0), 0);
}

TEST(Openings, SourcesOweWhatTheyCouldNotPourThroughAir) {
  Scene scene;
  scene.domain.min = Vec3::Zero();
  scene.domain.max = Vec3(1, 1, 1);
  scene.sources.resize(1);
  scene.sources[0].velocity = Vec3(0, 0, -1);
  scene.sources[0].stop = 1.0;
  SceneShapes shapes;
  shapes.sources.push_back(make_box(Vec3(0.2, 0.2, 0.6), Vec3(0.4, 0.4, 0.8)));
  const Solids box = empty_box();
  Openings openings(scene, shapes, box);
  const double rate = 0.04;

  // All of it through air, but for a tenth.
  const std::vector<EditedVolume> filled = {{0, 0.9 * rate * 0.01, Vec3(0.3, 0.3, 0.8)}};
  std::vector<EditedVolume> in = openings.inflow(filled, 0, 0.01);
  ASSERT_EQ(in.size(), 1U);
  EXPECT_NEAR(in[0].volume, rate * 0.01, 1e-3 * rate * 0.01);
  EXPECT_NEAR(openings.owed()[0], 0.1 * rate * 0.01, 1e-3 * rate * 0.01);

  // Filled anew: all of it is booked.
  const std::vector<EditedVolume> anew = {{0, 0.008, Vec3(0.3, 0.3, 0.7)}};
  in = openings.inflow(anew, 0.01, 0.01);
  EXPECT_EQ(in[0].volume, 0.008);
  EXPECT_EQ(openings.owed()[0], 0);

  // Not any more.
  EXPECT_TRUE(openings.inflow({}, 1, 0.01).empty());
  EXPECT_TRUE(openings.edits(1, 0.01, Box3(Vec3::Zero(), Vec3::Ones())).empty());
}

}  // namespace
}  // namespace spindrift
