// Scenes that change other scenes, and overrides of the command line.
#include <gtest/gtest.h>

#include "spindrift/scene/read.hpp"

#include "scene/minimal.hpp"
#include "support/temporary_folder.hpp"

namespace spindrift {
namespace {

std::string message_of(const std::filesystem::path& path,
                       const std::vector<std::string>& overrides = {}) {
  try {
    (void)load_scene(path, overrides);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

const std::string kBase = test::kMinimalScene +
                          "[time]\nfps = 25\nframes = 10\n"
                          "[[obstacle]]\nshape = { mesh = { file = 'a.off' } }\n"
                          "[[obstacle]]\nshape = { sphere = { radius = 0.1 } }\n";

TEST(Base, TablesMergeAndListsAreReplaced) {
  const test::TemporaryFolder folder;
  folder.write("bases/base.toml", "name = 'the_base'\n" + kBase);
  const auto variant =
      folder.write("variant.toml", "format = 1\nbase = 'bases/base.toml'\n[time]\nframes = 20\n");
  const Scene scene = load_scene(variant);
  EXPECT_EQ(scene.time.fps, 25);
  EXPECT_EQ(scene.time.frames, 20);
  EXPECT_EQ(scene.domain.max, Vec3(2, 1, 1));
  EXPECT_EQ(scene.name, "variant") << "two scenes with one name would share a cache";
  ASSERT_EQ(scene.obstacles.size(), 2u);
  const auto& mesh = std::get<MeshSpec>(scene.obstacles[0].shape.kind);
  EXPECT_EQ(mesh.file.path, "a.off");
  EXPECT_EQ(mesh.file.resolved(), (folder / "bases/a.off").string());
  EXPECT_EQ(mesh.location.file, (folder / "bases/base.toml").string());

  const auto other = folder.write("other.toml",
                                  "format = 1\nbase = 'variant.toml'\n"
                                  "[[obstacle]]\nshape = { sphere = { radius = 0.3 } }\n");
  const Scene third = load_scene(other);
  EXPECT_EQ(third.time.frames, 20);
  ASSERT_EQ(third.obstacles.size(), 1u);
}

TEST(Base, AnotherAlternativeReplacesTheBases) {
  const test::TemporaryFolder folder;
  folder.write("base.toml", kBase);
  const Scene scene = load_scene(
      folder.write("variant.toml", "format = 1\nbase = 'base.toml'\n[resolution]\nsize = 0.125\n"));
  EXPECT_FALSE(scene.resolution.cells.has_value());
  EXPECT_EQ(cell_size(scene), 0.125);
}

TEST(Base, ErrorsNameTheFileWhereTheTextStands) {
  const test::TemporaryFolder folder;
  const auto base = folder.write("base.toml", kBase + "[liquid]\ndensity = -1\n");
  const auto variant =
      folder.write("variant.toml", "format = 1\nbase = 'base.toml'\n[time]\nframes = 20\n");
  EXPECT_EQ(message_of(variant).find(base.string() + ":15:11: density is -1"), 0u)
      << message_of(variant);
  const auto fixed = folder.write(
      "fixed.toml", "format = 1\nbase = 'base.toml'\nliquid = { density = 900, desity = 1 }\n");
  EXPECT_EQ(message_of(fixed).find(fixed.string() + ":3:27: unknown key \"desity\""), 0u)
      << message_of(fixed);
}

TEST(Base, MissingFilesCyclesAndOtherFormatsAreErrors) {
  const test::TemporaryFolder folder;
  const auto a = folder.write("a.toml", "format = 1\nbase = 'b.toml'\n");
  const auto b = folder.write("b.toml", "format = 1\n\nbase = './a.toml'\n");
  const auto self = folder.write("self.toml", "format = 1\nbase = 'self.toml'\n");
  const auto lost = folder.write("lost.toml", "format = 1\nbase = 'nowhere.toml'\n");
  const auto wrong = folder.write("wrong.toml", "format = 1\nbase = 3\n");
  folder.write("old.toml", "format = 0\n");
  const auto old = folder.write("based_on_old.toml", "format = 1\nbase = 'old.toml'\n");
  EXPECT_EQ(message_of(a).find(b.string() + ":3:8: base "), 0u) << message_of(a);
  EXPECT_NE(message_of(a).find("is based on this file itself"), std::string::npos);
  EXPECT_EQ(message_of(self).find(self.string() + ":2:8: base "), 0u) << message_of(self);
  EXPECT_EQ(message_of(lost).find(lost.string() + ":2:8: base "), 0u) << message_of(lost);
  EXPECT_NE(message_of(lost).find("is not there"), std::string::npos);
  std::filesystem::create_directory(folder / "folder.toml");
  std::filesystem::create_symlink("loop.toml", folder / "loop.toml");
  const auto in_folder = folder.write("f.toml", "format = 1\nbase = 'folder.toml'\n");
  const auto looped = folder.write("l.toml", "format = 1\nbase = 'loop.toml'\n");
  const auto device = folder.write("d.toml", "format = 1\nbase = '/dev/null'\n");
  EXPECT_NE(message_of(in_folder).find("f.toml:2:8: base "), std::string::npos);
  EXPECT_NE(message_of(in_folder).find("folder.toml is a folder"), std::string::npos);
  EXPECT_NE(message_of(looped).find("loop.toml is a link that leads back"), std::string::npos);
  EXPECT_NE(message_of(device).find("/dev/null is not a regular file"), std::string::npos);
  EXPECT_NE(message_of(wrong).find("base is a whole number; write the path"), std::string::npos);
  EXPECT_NE(message_of(old).find("old.toml:1:10: format = 0 is not known"), std::string::npos);
}

TEST(Base, EndlessChainsAreRefused) {
  const test::TemporaryFolder folder;
  folder.write("s0.toml", kBase);
  for (int i = 1; i <= 20; ++i) {
    folder.write("s" + std::to_string(i) + ".toml",
                 "format = 1\nbase = 's" + std::to_string(i - 1) + ".toml'\n");
  }
  EXPECT_EQ(message_of(folder / "s15.toml"), "no error");
  EXPECT_NE(message_of(folder / "s20.toml").find("more than 16 files"), std::string::npos);
}

class Overrides : public ::testing::Test {
 protected:
  Scene load(const std::vector<std::string>& overrides) const {
    return load_scene(scene_, overrides);
  }
  std::string message(const std::string& override_text) const {
    return message_of(scene_, {override_text});
  }

  test::TemporaryFolder folder_;
  std::filesystem::path scene_ = folder_.write("scene.toml", kBase);
};

TEST_F(Overrides, HaveTheLastWord) {
  const Scene scene =
      load({"resolution.cells=32", "time.frames=5", "time.frames=7", "liquid.gravity=[0, 0, -1.6]",
            "name=test_1", "domain.sides.z_max=open", "solver.projection=two_point",
            "thickening={ enabled = false }", "volume.control=false"});
  EXPECT_EQ(scene.resolution.cells, 32);
  EXPECT_EQ(scene.time.frames, 7);
  EXPECT_EQ(scene.liquid.gravity, Vec3(0, 0, -1.6));
  EXPECT_EQ(scene.name, "test_1");
  EXPECT_EQ(scene.domain.sides[5], Side::open);
  EXPECT_EQ(scene.solver.projection, Projection::two_point);
  EXPECT_FALSE(scene.thickening.enabled);
  EXPECT_FALSE(scene.volume.control);
}

TEST_F(Overrides, WordsAreStringsOnlyWhereAStringIsExpected) {
  EXPECT_EQ(load({"name=2024"}).name, "2024");
  EXPECT_EQ(load({"name=true"}).name, "true");
  EXPECT_EQ(load({"name=\"quoted\""}).name, "quoted");
  EXPECT_EQ(message("time.frames=\"5\"").find("--set time.frames=\"5\": frames is a string"), 0u);
}

TEST_F(Overrides, ReachIntoLists) {
  const Scene scene = load({"obstacle.1.shape.sphere.radius=0.25",
                            "obstacle.0.shape.mesh.file=b/c.off", "obstacle.0.shape.scale=2"});
  EXPECT_EQ(std::get<SphereSpec>(scene.obstacles[1].shape.kind).radius, 0.25);
  // A path that is typed is relative to where it is typed.
  EXPECT_EQ(std::get<MeshSpec>(scene.obstacles[0].shape.kind).file.resolved(),
            (std::filesystem::current_path() / "b/c.off").string());
  EXPECT_EQ(scene.obstacles[0].shape.placement.scale, Vec3(2, 2, 2));
}

TEST_F(Overrides, AnotherAlternativeReplacesTheFiles) {
  EXPECT_EQ(load({"resolution.size=0.125"}).resolution.size, 0.125);
  const Scene scene = load({"obstacle.1.shape.box={ min = [0, 0, 0], max = [1, 1, 1] }"});
  EXPECT_TRUE(std::holds_alternative<BoxSpec>(scene.obstacles[1].shape.kind));
  EXPECT_EQ(load({"resolution.size=0.125", "resolution.cells=8"}).resolution.cells, 8);
}

TEST_F(Overrides, ErrorsQuoteTheOption) {
  EXPECT_EQ(message("resolution.cells=abc"),
            "--set resolution.cells=abc: cells is a string, must be a whole number; write a whole "
            "number from 4 to 65536 (octants)");
  EXPECT_EQ(message("resolution.cels=32"),
            "--set resolution.cels=32: unknown key \"cels\"; did you mean cells?");
  EXPECT_EQ(message("resolution.cells"),
            "--set resolution.cells: has no value; write --set section.key=value");
  EXPECT_NE(message("=3").find("is not a key"), std::string::npos);
  EXPECT_NE(message("time..fps=3").find("is not a key"), std::string::npos);
  EXPECT_NE(message("time.fps=").find("--set time.fps=: "), std::string::npos);
  EXPECT_NE(message("time.fps.x=1").find("time.fps is a whole number, which has no keys"),
            std::string::npos);
  EXPECT_NE(message("obstacle.2.shape=1").find("obstacle has 2 entries, none of them is 2"),
            std::string::npos);
  EXPECT_NE(message("base=other.toml").find("base cannot be set here"), std::string::npos);
  EXPECT_NE(message("time.fps=1\nx = 2").find("sets more than one value"), std::string::npos);
  EXPECT_NE(message("liquid.gravity=[0, 0").find("not valid TOML"), std::string::npos);
  EXPECT_NE(message("format=2").find("format is 2"), std::string::npos);
}

// Of two keys that do not go together, the one that was set is to blame.
TEST_F(Overrides, ErrorsBetweenKeysQuoteTheOption) {
  folder_.write("scene.toml", kBase +
                                  "[camera]\neye = [3, 0, 0]\ntarget = [1, 0.5, 0]\n"
                                  "[[source]]\nshape = { capsule = { from = [0, 0, 0], to = [0, 0, "
                                  "1], radius = 0.1 } }\nstart = 1\nstop = 2\n");
  EXPECT_EQ(message("name=x"), "no error");
  EXPECT_EQ(message("camera.eye=[1, 0.5, 0]"),
            "--set camera.eye=[1, 0.5, 0]: target is the same point as eye; write what the camera "
            "looks at");
  for (const std::string set :
       {"camera.target=[3, 0, 0]", "domain.min=[5, 0, 0]", "domain.max=[-5, 1, 1]",
        "source.0.start=3", "source.0.stop=0.5", "source.0.shape.capsule.from=[0, 0, 1]"}) {
    EXPECT_EQ(message(set).find("--set " + set + ": "), 0u) << message(set);
  }
}

TEST_F(Overrides, NumbersThatAreTooLargeAreCalledSo) {
  EXPECT_EQ(message("resolution.cells=1e400"),
            "--set resolution.cells=1e400: cells is a number that is too large, must be a whole "
            "number; write a whole number from 4 to 65536 (octants)");
  for (const std::string set : {"resolution.cells=99999999999999999999", "time.fps=-1e400",
                                "liquid.gravity=[0, 0, 1e400]"}) {
    EXPECT_NE(message(set).find("too large"), std::string::npos) << message(set);
  }
  EXPECT_EQ(load({"name=1e400"}).name, "1e400");
  EXPECT_EQ(message("time.fps=fast").find("too large"), std::string::npos);
}

}  // namespace
}  // namespace spindrift
