// Wrong scenes: each must be refused at the right place with words that help.
#include <gtest/gtest.h>

#include "spindrift/scene/read.hpp"

#include "scene/minimal.hpp"

namespace spindrift {
namespace {

struct WrongScene {
  std::string text;
  int line, column;
  std::string part;  // of the message
};

std::vector<WrongScene> wrong_whole_scenes() {
  const std::string domain = "[domain]\nmin = [0, 0, 0]\nmax = [1, 1, 1]\n";
  return {
      {"", 1, 1, "format is missing; write format = 1"},
      {"name = 'a'\n", 1, 1, "format is missing"},
      {"format = 2\n[gas]\n", 1, 10, "format = 2 is not known; this Spindrift reads 1"},
      {"format = '1'\n", 1, 10, "format is a string, must be a whole number"},
      {"format = 1.0\n", 1, 10, "format is a number, must be a whole number"},
      {"format = 1\n", 1, 1, "domain is missing"},
      {"format = 1\n" + domain, 1, 1, "resolution is missing"},
      {"format = 1\n" + domain + "[resolution]\nsurface = 2\n", 5, 1,
       "cells or size is missing; write exactly one of them"},
      {"format = 1\n" + domain + "[resolution]\ncells = 64\nsize = 0.1\n", 7, 8,
       "cells and size are both given; leave one of them out"},
      {"format = 1\n" + domain + "[resolution]\nsize = 0.5\n", 6, 8,
       "size gives 2 octants along the longest side; write a length from 1.53e-05 to 0.25 m"},
      {"format = 1\n" + domain + "[resolution]\ncells = 2\n", 6, 9,
       "cells is 2; write a whole number from 4 to 65536 (octants)"},
      {"format = 1\n[domain]\nmin = [0, 0, 0]\nmax = [1, 0, 1]\n[resolution]\ncells = 64\n", 4, 7,
       "max is 0 along y, not above min, which is 0"},
      {"format = 1\n[domain]\nmin = [0, 0, 0]\n[resolution]\ncells = 64\n", 2, 1,
       "max is missing; write max: upper corner"},
      {"format = 1\n[domain]\nmin = [0, 0]\nmax = [1, 1, 1]\n", 3, 7,
       "min has 2 numbers, must have 3"},
      {"format = 1\nbase = 'a.toml'\n", 2, 8, "base needs a scene that is read from a file"},
      {"format = 1\nformat = 1\n", 2, 10, "not valid TOML: "},
      {"format = 1\nname = \"dam\n", 2, 12, "not valid TOML"},
      {"format = \n", 1, 10, "not valid TOML"},
      {"format = 1\nn\u00E9 = 1\n", 2, 2, "not valid TOML: "},
      {"format = 1\nname = 'n\u00E9' # \u00B2\n", 2, 8, "which is no safe file name"},
      {"format = 1\nname = \"\"\"\\\n\u00E9\"\"\"\n", 2, 8, "which is no safe file name"},
      {"format = 1\ndomain = 3\n", 2, 10, "domain is a whole number, must be a table"},
  };
}

// What follows the shortest scene, from line 7 on.
std::vector<WrongScene> wrong_additions() {
  return {
      {"[tme]\nfps = 24", 7, 2, "unknown key \"tme\"; did you mean time?"},
      {"[gas]", 7, 2, "unknown key \"gas\"; write format, name, base, time"},
      {"[time]\nframs = 12", 8, 1, "unknown key \"frams\"; did you mean frames?"},
      {"[time]\nframes = '12'", 8, 10,
       "frames is a string, must be a whole number; write a whole number from 0 to 1000000"},
      {"[time]\nframes = 12.5", 8, 10, "frames is a number, must be a whole number"},
      {"[time]\nframes = -1", 8, 10, "frames is -1; write a whole number from 0"},
      {"[time]\nfps = 0", 8, 7, "fps is 0; write a number from 0.001 to 100000 (1/s)"},
      {"[time]\nfps = nan", 8, 7, "fps is nan"},
      {"[time]\nmax_step = inf", 8, 12, "max_step is inf"},
      {"[time]\nfps = 2026-01-01", 8, 7, "fps is a date, must be a number"},
      {"[domain.sides]\nz_max = 'opne'", 8, 9, "z_max is \"opne\"; did you mean open?"},
      {"[domain.sides]\nz_max = 'sluice'", 8, 9, "write \"wall\" or \"open\""},
      {"[domain.sides]\nz_max = true", 8, 9, "z_max is true or false, must be a string"},
      {"[solver]\ntolerance = 0", 8, 13, "tolerance is 0; write a number above 0, at most 0.1"},
      {"[volume]\ncontrol = 1", 8, 11, "control is a whole number, must be true or false"},
      {"[thickening]\nredistribution = 4", 8, 18, "write a number from 0 to 3 (voxels)"},
      {"[liquid]\ngravity = -9.81", 8, 11, "gravity is a number, must be 3 numbers"},
      {"[liquid]\ngravity = [0, 0, inf]", 8, 18, "gravity[2] is inf"},
      {"[liquid]\ngravity = [0, 0, 1e300]", 8, 18, "gravity[2] is 1e+300"},
      {"[liquid]\ngravity = [0, '0', 0]", 8, 15, "gravity[1] is a string, must be a number"},
      {"[liquid.body]\nshape = { sphere = { radius = 1 } }", 7, 1,
       "body is a table, must be a list; write [[liquid.body]] with two brackets"},
      {"[obstacle]\nshape = { sphere = { radius = 1 } }", 7, 1,
       "obstacle is a table, must be a list; write [[obstacle]] with two brackets"},
      {"[[obstacle]]", 7, 1, "shape is missing"},
      {"[[obstacle]]\nshape = { }", 8, 9,
       "halfspace, mesh, union, intersect or subtract is missing"},
      {"[[obstacle]]\nshape = 'sphere'", 8, 9, "shape is a string, must be a table"},
      {"[[obstacle]]\nshape = { spher = { radius = 1 } }", 8, 11,
       "unknown key \"spher\"; did you mean sphere?"},
      {"[[obstacle]]\nshape = { sphere = { radus = 1 } }", 8, 22,
       "unknown key \"radus\"; did you mean radius?"},
      {"[[obstacle]]\nshape = { sphere = { } }", 8, 20, "radius is missing"},
      {"[[obstacle]]\nshape = { sphere = { radius = 0 } }", 8, 31, "radius is 0; write"},
      {"[[obstacle]]\nshape = { sphere = { radius = 1 }, box = { min = [0, 0, 0], max = [1, 1, 1] "
       "} "
       "}",
       8, 20, "box and sphere are both given"},
      {"[[obstacle]]\nshape = { box = { min = [0, 0, 0], max = [1, 1, -1] } }", 8, 42,
       "max is -1 along z"},
      {"[[obstacle]]\nshape = { cone = { to = [0, 0, 0], radius = 1 } }", 8, 25,
       "to is the same point as from"},
      {"[[obstacle]]\nshape = { torus = { axis = [0, 0, 0], radius = 1, tube = 0.1 } }", 8, 28,
       "axis has no length; write a direction"},
      {"[[obstacle]]\nshape = { union = [] }", 8, 19, "union is empty; write at least one entry"},
      {"[[obstacle]]\nshape = { union = [ 3 ] }", 8, 21,
       "entry 0 of union is a whole number, must be a table"},
      {"[[obstacle]]\nshape = { mesh = { file = '' } }", 8, 27, "file is empty"},
      {"[[obstacle]]\nshape = { mesh = { file = 'a.off', fill = 'wind' } }", 8, 43,
       "fill is \"wind\"; write \"closed\" or \"winding\""},
      {"[[obstacle]]\nshape = { sphere = { radius = 1 }, scale = 0 }", 8, 44,
       "scale is 0; write a number from 1e-06 to 1000000"},
      {"[[obstacle]]\nshape = { sphere = { radius = 1 }, scale = 'big' }", 8, 44,
       "scale is a string, must be a number or 3 numbers"},
      {"[[obstacle]]\nshape = { sphere = { radius = 1 } }\nmotion = { }", 9, 10,
       "keyframes or spin is missing"},
      {"[[obstacle]]\nshape = { sphere = { radius = 1 } }\nmotion = { keyframes = [] }", 9, 24,
       "keyframes is empty"},
      {"[[obstacle]]\nshape = { sphere = { radius = 1 } }\n"
       "motion = { keyframes = [ { t = 1 }, { t = 1 } ] }",
       9, 43, "t is 1, not after the keyframe before, which is at 1"},
      {"[[obstacle]]\nshape = { sphere = { radius = 1 } }\nmotion = { spin = { rpm = 1e9 } }", 9,
       27, "rpm is 1000000000; write a number from -100000 to 100000 (1/min)"},
      {"[[source]]\nshape = { sphere = { radius = 1 } }\nstart = 2\nstop = 1", 10, 8,
       "stop is 1, not after start, which is 2"},
      {"[[source]]\nshape = { sphere = { radius = 1 } }\nstart = -1", 9, 9, "start is -1"},
      {"[[probe]]\nname = 'a/b'\nat = [1, 0.5]", 8, 8,
       "name is \"a/b\", which is no safe file name"},
      {"[[probe]]\nname = 'a'\nat = [1, 0.5]\n[[probe]]\nname = 'a'\nat = [1, 0.5]", 11, 8,
       "another probe is called a too"},
      {"[[probe]]\nname = 'a'\nat = [1, 0.5, 0]", 9, 6, "at has 3 numbers, must have 2"},
      {"[[probe]]\nname = 'a'\nkind = 'pressure'\nat = [1, 0.5]", 10, 6,
       "at has 2 numbers, must have 3"},
      {"[[probe]]\nname = 'a'\nat = [1, 1.5]", 9, 6, "at is outside the domain"},
      {"[[probe]]\nat = [1, 0.5]", 7, 1, "name is missing"},
      {"[camera]\neye = [1, 2, 3]\ntarget = [1, 2, 3]", 9, 10, "target is the same point as eye"},
      {"[camera]\neye = [1, 2, 3]\ntarget = [0, 0, 0]\nfov = 180", 10, 7, "fov is 180"},
      {"[camera]\neye = [1, 2, 3]", 7, 1, "target is missing"},
      {"[output]\nsurface = 'yes'", 8, 11, "surface is a string, must be true or false"},
  };
}

void expect_refused(const std::string& text, const WrongScene& wrong) {
  try {
    (void)parse_scene(text, "wrong.toml");
    ADD_FAILURE() << "accepted:\n" << text;
  } catch (const InputError& error) {
    const std::string message = error.what();
    const std::string place =
        "wrong.toml:" + std::to_string(wrong.line) + ":" + std::to_string(wrong.column) + ": ";
    EXPECT_EQ(message.substr(0, place.size()), place) << message << "\n" << text;
    EXPECT_NE(message.find(wrong.part), std::string::npos) << message << "\n" << text;
  }
}

TEST(Errors, PointToThePlaceAndSayWhatToWrite) {
  for (const WrongScene& wrong : wrong_whole_scenes()) expect_refused(wrong.text, wrong);
  for (const WrongScene& wrong : wrong_additions()) {
    expect_refused(test::kMinimalScene + wrong.text + "\n", wrong);
  }
  EXPECT_GE(wrong_whole_scenes().size() + wrong_additions().size(), 40u);
}

std::string repeated(const std::string& text, int count) {
  std::string result;
  for (int i = 0; i < count; ++i) result += text;
  return result;
}

TEST(Errors, HostileNestingIsRefused) {
  const auto shape = [](int depth) {
    return test::kMinimalScene + "[[obstacle]]\nshape = " + repeated("{ union = [", depth) +
           "{ sphere = { radius = 1 } }" + repeated("] }", depth) + "\n";
  };
  EXPECT_NO_THROW((void)parse_scene(shape(25), "deep.toml"));
  for (const std::string& text :
       {shape(40), shape(10000), test::kMinimalScene + "x = " + repeated("[", 100000),
        test::kMinimalScene + repeated("a.", 500000) + "a = 1\n",
        test::kMinimalScene + repeated("\"a,b\" . ", 500000) + "a = 1\n",
        test::kMinimalScene + "[" + repeated("a.", 500000) + "a]\n"}) {
    EXPECT_THROW((void)parse_scene(text, "deep.toml"), InputError);
  }
}

TEST(Errors, DotsInTextAndNumbersAreNoDottedKeys) {
  const std::string dots(100, '.');
  const Scene scene = parse_scene(
      "# " + dots + "\n" + test::kMinimalScene + "[[sink]]\nshape = { mesh = { file = \"" + dots +
          "\" } }\n[[sink]]\nshape = { mesh = { file = \"\"\"a\"" + dots + "\"\"\"\" } }\n",
      "dots.toml");
  EXPECT_EQ(std::get<MeshSpec>(scene.sinks[0].shape.kind).file.path, dots);
  EXPECT_EQ(std::get<MeshSpec>(scene.sinks[1].shape.kind).file.path, "a\"" + dots + "\"");
}

TEST(Errors, TextThatIsNotUtf8IsRefused) {
  EXPECT_THROW((void)parse_scene("format = 1\nname = \"\xff\xfe\"\n", "latin.toml"), InputError);
  EXPECT_THROW((void)parse_scene(std::string("format = 1\n\0", 12), "nul.toml"), InputError);
}

}  // namespace
}  // namespace spindrift
