#include "spindrift/scene/build.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "spindrift/scene/read.hpp"

#include "support/random.hpp"

namespace spindrift {
namespace {

ShapePtr no_meshes(const MeshSpec&, const Placement&) {
  ADD_FAILURE() << "there is no mesh";
  return nullptr;
}

ShapePtr build(const std::string& text) { return build_shape(parse_shape(text), no_meshes); }

TEST(Build, ShapesAreTheOnesOfTheirSpecs) {
  struct Pair {
    const char* text;
    ShapePtr expected;
  };
  const auto box = make_box({0, 0, 0}, {1, 2, 3});
  const auto ball = make_sphere({0.1, 0, 0}, 0.5);
  Placement placement;
  placement.scale = {1, 2, 3};
  placement.rotation = Eigen::AngleAxisd(std::numbers::pi / 2, Vec3::UnitX());
  placement.translation = {0, 0, 1};
  const std::vector<Pair> pairs = {
      {"box = { min = [0, 0, 0], max = [1, 2, 3] }", box},
      {"sphere = { center = [0.1, 0, 0], radius = 0.5 }", ball},
      {"cylinder = { to = [1, 1, 1], radius = 0.3 }", make_cylinder({0, 0, 0}, {1, 1, 1}, 0.3)},
      {"capsule = { from = [1, 0, 0], to = [1, 1, 1], radius = 0.3 }",
       make_capsule({1, 0, 0}, {1, 1, 1}, 0.3)},
      {"cone = { from = [1, 0, 0], to = [1, 1, 1], radius = 0.3 }",
       make_cone({1, 0, 0}, {1, 1, 1}, 0.3)},
      {"torus = { axis = [1, 1, 0], radius = 1, tube = 0.3 }",
       make_torus({0, 0, 0}, {1, 1, 0}, 1, 0.3)},
      {"halfspace = { point = [0, 0, 0.2], normal = [1, 0, 1] }",
       make_halfspace({0, 0, 0.2}, {1, 0, 1})},
      {"union = [ { box = { min = [0, 0, 0], max = [1, 2, 3] } }, { sphere = { center = [0.1, 0, "
       "0], radius = 0.5 } } ]",
       make_union({box, ball})},
      {"intersect = [ { box = { min = [0, 0, 0], max = [1, 2, 3] } }, { sphere = { center = [0.1, "
       "0, 0], radius = 0.5 } } ]",
       make_intersection({box, ball})},
      {"subtract = [ { box = { min = [0, 0, 0], max = [1, 2, 3] } }, { sphere = { center = [0.1, "
       "0, 0], radius = 0.5 } } ]",
       make_difference({box, ball})},
      {"box = { min = [0, 0, 0], max = [1, 2, 3] }, scale = [1, 2, 3], rotate = { axis = [2, 0, "
       "0], degrees = 90 }, translate = [0, 0, 1]",
       make_placed(box, placement)},
  };
  for (const Pair& pair : pairs) {
    const ShapePtr shape = build(pair.text);
    test::Random random(17);
    for (int i = 0; i < 100; ++i) {
      const Vec3 x = random.in_box(Box3(Vec3(-4, -4, -4), Vec3(4, 4, 4)));
      ASSERT_NEAR(shape->distance(x), pair.expected->distance(x), 1e-14) << pair.text;
    }
  }
}

TEST(Build, MeshesReceiveTheirPlacement) {
  std::string file;
  Placement received;
  const LoadMesh load = [&](const MeshSpec& mesh, const Placement& placement) {
    file = mesh.file.path;
    received = placement;
    return make_sphere(placement.translation, 1);
  };
  const ShapePtr shape = build_shape(
      parse_shape("union = [ { mesh = { file = 'a.off' }, scale = 3, translate = [1, 0, 0] } ], "
                  "translate = [0, 0, 5]"),
      load);
  EXPECT_EQ(file, "a.off");
  EXPECT_EQ(received.scale, Vec3(3, 3, 3));
  EXPECT_EQ(received.translation, Vec3(1, 0, 0));
  EXPECT_NEAR(shape->distance({1, 0, 5}), -1, 1e-15);
}

TEST(Build, ExtremesOfTheGrammarMakeSoundShapes) {
  // What the reader accepts must not hit the assertions of the shapes.
  for (const char* text :
       {"sphere = { radius = 1e-300 }", "cylinder = { to = [0, 0, 2e-9], radius = 1e9 }",
        "cone = { from = [1e9, 1e9, 1e9], to = [-1e9, -1e9, -1e9], radius = 1e-300 }",
        "box = { min = [1, 1, 1], max = [1.0000000000000002, 2, 2] }",
        "torus = { axis = [2e-9, 0, 0], radius = 1, tube = 1e9 }, scale = 1e-6",
        "halfspace = { normal = [1e9, 1e9, 1e9] }, scale = 1e6",
        "sphere = { radius = 1 }, rotate = { axis = [2e-9, 0, 0], degrees = 1e9 }"}) {
    const ShapePtr shape = build(text);
    EXPECT_TRUE(std::isfinite(shape->distance({0.1, 0.2, 0.3}))) << text;
  }
}

TEST(Build, Motions) {
  MotionSpec spec;
  spec.kind = SpinSpec{.axis = {0, 0, 1}, .center = {1, 0, 0}, .rpm = 60};
  EXPECT_LT((build_motion(spec).pose(0.25).apply({2, 0, 0}) - Vec3(1, 1, 0)).norm(), 1e-14);
  std::vector<KeyframeSpec> keys(2);
  keys[1].t = 1;
  keys[1].rotate.degrees = 360;
  keys[1].translate = {1, 0, 0};
  spec.kind = keys;
  EXPECT_LT((build_motion(spec).pose(0.5).apply({1, 0, 0}) - Vec3(-0.5, 0, 0)).norm(), 1e-14);
}

}  // namespace
}  // namespace spindrift
