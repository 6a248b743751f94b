#include "spindrift/scene/read.hpp"

#include <gtest/gtest.h>

#include "scene/minimal.hpp"

namespace spindrift {
namespace {

const std::string kSource = SPINDRIFT_SOURCE_DIR;

TEST(Read, TheShortestSceneHasAllDefaults) {
  const Scene scene = parse_scene(test::kMinimalScene, "my scene.toml");
  Scene expected;
  expected.name = "my_scene";
  expected.domain.max = {2, 1, 1};
  EXPECT_EQ(scene, expected);
  EXPECT_EQ(scene.time.max_step, 1.0 / 24);
  EXPECT_EQ(scene.liquid.gravity, Vec3(0, 0, -9.81));
  EXPECT_EQ(cell_size(scene), 1.0 / 32);
}

TEST(Read, DamBreakSaysWhatItsFileSays) {
  const Scene scene = load_scene(kSource + "/scenes/dam_break.toml");
  EXPECT_EQ(scene.name, "dam_break");
  EXPECT_EQ(scene.time, (TimeSettings{.fps = 24, .frames = 120, .cfl = 4, .max_step = 0.05}));
  EXPECT_EQ(scene.domain.max, Vec3(2, 1, 1));
  EXPECT_EQ(scene.domain.sides[5], Side::open);
  EXPECT_EQ(scene.domain.sides[4], Side::wall);
  EXPECT_EQ(scene.resolution.cells, 64);
  ASSERT_EQ(scene.liquid.bodies.size(), 1u);
  const auto& box = std::get<BoxSpec>(scene.liquid.bodies[0].shape.kind);
  EXPECT_EQ(box.max, Vec3(0.7, 1, 0.6));
  ASSERT_EQ(scene.obstacles.size(), 1u);
  EXPECT_FALSE(scene.obstacles[0].motion.has_value());
  EXPECT_EQ(std::get<SphereSpec>(scene.obstacles[0].shape.kind).radius, 0.22);
  ASSERT_EQ(scene.probes.size(), 1u);
  EXPECT_EQ(scene.probes[0].name, "gauge1");
  EXPECT_EQ(scene.probes[0].at, Vec3(1, 0.5, 0));
  EXPECT_EQ(scene.camera->eye, Vec3(3, -3, 2));
}

TEST(Read, SpecsKnowWhereTheyStand) {
  const Scene scene = parse_scene(
      test::kMinimalScene + "[[sink]]\nshape = { union = [ { mesh = { file = 'a.off' } } ] }\n",
      "dam.toml");
  EXPECT_EQ(scene.location.text(), "dam.toml:1:1");
  EXPECT_EQ(scene.sinks[0].location.text(), "dam.toml:7:1");
  const ShapeSpec& shape = scene.sinks[0].shape;
  EXPECT_EQ(shape.location.text(), "dam.toml:8:9");
  const ShapeSpec& part = std::get<CombinationSpec>(shape.kind).parts[0];
  EXPECT_EQ(part.location.text(), "dam.toml:8:21");
  EXPECT_EQ(std::get<MeshSpec>(part.kind).location.text(), "dam.toml:8:30");
}

TEST(Read, EverythingOptionalCanBeGiven) {
  const Scene scene = parse_scene(
      "format = 1\n"
      "time = { fps = 25, frames = 10 }\n"
      "[domain]\nmin = [-1, -1, -1]\nmax = [1, 1, 1]\n"
      "[resolution]\nsize = 0.05\nsurface = 3\n"
      "[solver]\nprojection = 'two_point'\ntolerance = 1e-8\n"
      "[volume]\ncontrol = false\n"
      "[thickening]\nenabled = false\nredistribution = 3\n"
      "[liquid]\ndensity = 800\ngravity = [0, 0, 0]\n"
      "[[source]]\nshape = { sphere = { radius = 0.1 } }\nvelocity = [1, 0, 0]\nstart = 1\n"
      "stop = 2\n"
      "[[source]]\nshape = { sphere = { radius = 0.1 } }\n"
      "[[sink]]\nshape = { halfspace = { point = [0, 0, -0.9] } }\n"
      "[[probe]]\nname = 'p.1'\nkind = 'pressure'\nat = [0, 0.5, -0.5]\n"
      "[[obstacle]]\nshape.box = { min = [0, 0, 0], max = [1, 1, 1] }\n"
      "motion = { spin = { rpm = 30 } }\n"
      "[[obstacle]]\nshape.box = { min = [0, 0, 0], max = [1, 1, 1] }\n"
      "motion = { keyframes = [ { t = 0 }, { t = 1, translate = [0.1, 0, 0], rotate = { axis = "
      "[0, 0, 2], degrees = 30 } } ] }\n"
      "[output]\nmesh = true\nlevelset = true\n",
      "full.toml");
  EXPECT_EQ(scene.time.max_step, 1.0 / 25) << "the default depends on fps";
  EXPECT_EQ(scene.resolution.size, 0.05);
  EXPECT_FALSE(scene.resolution.cells.has_value());
  EXPECT_EQ(scene.solver.projection, Projection::two_point);
  EXPECT_FALSE(scene.volume.control);
  EXPECT_EQ(scene.thickening.redistribution, 3);
  EXPECT_EQ(scene.sources[0].stop, 2);
  EXPECT_FALSE(scene.sources[1].stop.has_value());
  EXPECT_EQ(std::get<HalfspaceSpec>(scene.sinks[0].shape.kind).normal, Vec3(0, 0, 1));
  EXPECT_EQ(scene.probes[0].at, Vec3(0, 0.5, -0.5));
  EXPECT_EQ(std::get<SpinSpec>(scene.obstacles[0].motion->kind).rpm, 30);
  const auto& keys = std::get<std::vector<KeyframeSpec>>(scene.obstacles[1].motion->kind);
  ASSERT_EQ(keys.size(), 2u);
  EXPECT_EQ(keys[1].rotate.axis, Vec3(0, 0, 2));
  EXPECT_EQ(keys[1].rotate.degrees, 30);
  EXPECT_TRUE(scene.output.mesh && scene.output.levelset && scene.output.surface);
  EXPECT_FALSE(scene.camera.has_value());
}

TEST(Read, ShapesOfTheCommandLine) {
  const ShapeSpec ball = parse_shape("sphere = { radius = 1 }");
  EXPECT_EQ(std::get<SphereSpec>(ball.kind).radius, 1);
  EXPECT_EQ(ball.placement, PlacementSpec{});

  const ShapeSpec placed = parse_shape(
      "torus = { radius = 1, tube = 0.2 }, scale = 2, rotate = { axis = [1, 0, 0], degrees = 90 }, "
      "translate = [0, 0, 1]");
  EXPECT_EQ(placed.placement.scale, Vec3(2, 2, 2));
  EXPECT_EQ(placed.placement.rotate.degrees, 90);
  EXPECT_EQ(placed.placement.translate, Vec3(0, 0, 1));

  const ShapeSpec csg = parse_shape(
      "subtract = [ { box = { min = [0, 0, 0], max = [1, 1, 1] } }, { union = [ { capsule = { to = "
      "[0, 1, 0], radius = 0.1 } }, { mesh = { file = 'a b.off', fill = 'winding' } } ] } ]");
  const auto& difference = std::get<CombinationSpec>(csg.kind);
  EXPECT_EQ(difference.combination, Combination::subtract);
  const auto& inner = std::get<CombinationSpec>(difference.parts[1].kind);
  EXPECT_EQ(inner.combination, Combination::unite);
  EXPECT_EQ(std::get<MeshSpec>(inner.parts[1].kind).file.path, "a b.off");
  EXPECT_EQ(std::get<MeshSpec>(inner.parts[1].kind).fill, MeshFill::winding);
}

TEST(Read, ErrorsInShapesOfTheCommandLineCountColumnsFromTheirStart) {
  const auto message = [](const std::string& text) -> std::string {
    try {
      (void)parse_shape(text);
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(message("spere = { radius = 1 }"),
            "shape:1:1: unknown key \"spere\"; did you mean sphere?");
  EXPECT_EQ(message("sphere = { radius = -1 }"),
            "shape:1:21: radius is -1; write a number above 0 (m)");
  EXPECT_NE(message("sphere = {").find("shape:1:"), std::string::npos);
  EXPECT_NE(message("").find("is missing; write exactly one of them"), std::string::npos);
  EXPECT_NE(message("sphere = { radius = 1 } }\nbox = { min = [0,0,0]").find("shape"),
            std::string::npos);
}

TEST(Read, MissingFilesAreErrors) {
  EXPECT_THROW((void)load_scene(kSource + "/scenes/none.toml"), InputError);
  EXPECT_THROW((void)load_scene(kSource + "/scenes"), InputError);
}

}  // namespace
}  // namespace spindrift
