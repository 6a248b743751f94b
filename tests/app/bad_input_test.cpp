// Bad input never crashes and never passes silently: exit code 2, the place, and what to write.
#include <gtest/gtest.h>

#include "app/run_command.hpp"

namespace spindrift {
namespace {

struct BadInput {
  std::string name;
  std::string file;     // what the user calls it
  std::string content;  // what is in it
  std::string place;    // how the message begins after "error: "
  std::string words;    // a distinctive part of the message
};

// For the names of failing tests.
void PrintTo(const BadInput& bad, std::ostream* out) { *out << bad.file; }

// A whole scene, with `more` behind it (from line 7 on).
std::string scene(const std::string& more) {
  return "format = 1\n"
         "[domain]\n"
         "min = [0, 0, 0]\n"
         "max = [2, 1, 1]\n"
         "[resolution]\n"
         "cells = 32\n" +
         more;
}

std::string binary(std::initializer_list<int> bytes) {
  std::string result;
  for (const int b : bytes) result += static_cast<char>(b);
  return result;
}

std::vector<BadInput> bad_scenes() {
  return {
      {"Syntax", "a.toml", "format = = 1\n", "a.toml:1:10", "not valid TOML"},
      {"Empty", "a.toml", "", "a.toml", "format"},
      {"Binary", "a.toml", binary({0x7f, 'E', 'L', 'F', 0, 0, 0xff}), "a.toml:1", "invalid utf-8"},
      {"FutureFormat", "a.toml", "format = 2\n", "a.toml:1", "format"},
      {"NoDomain", "a.toml", "format = 1\n[resolution]\ncells = 8\n", "a.toml", "domain"},
      {"UnknownSection", "a.toml", scene("[resolutoin]\ncells = 3\n"), "a.toml:7", "resolution"},
      {"UnknownKey", "a.toml", scene("[time]\nframs = 10\n"), "a.toml:8:1", "frames"},
      {"WrongType", "a.toml", scene("[time]\nframes = \"ten\"\n"), "a.toml:8:10", "whole number"},
      {"FractionForCount", "a.toml", scene("[time]\nframes = 1.5\n"), "a.toml:8:10", "whole"},
      {"NegativeSize", "a.toml", scene("[[obstacle]]\nshape = { sphere = { radius = -1 } }\n"),
       "a.toml:8", "radius"},
      {"NotANumber", "a.toml", scene("[time]\ncfl = nan\n"), "a.toml:8:7", "cfl"},
      {"Infinite", "a.toml", scene("[liquid]\ndensity = inf\n"), "a.toml:8:11", "density"},
      {"TwoNumbersForAVector", "a.toml", scene("[liquid]\ngravity = [0, -9.81]\n"), "a.toml:8:11",
       "gravity"},
      {"WordInAVector", "a.toml", scene("[liquid]\ngravity = [0, 0, \"down\"]\n"), "a.toml:8",
       "gravity"},
      {"InvertedDomain", "a.toml",
       "format = 1\n[domain]\nmin = [0, 0, 0]\nmax = [2, -1, 1]\n[resolution]\ncells = 8\n",
       "a.toml:4", "max"},
      {"CellsAndSize", "a.toml", scene("size = 0.1\n"), "a.toml:", "size"},
      {"UnknownShape", "a.toml", scene("[[obstacle]]\nshape = { shpere = { radius = 1 } }\n"),
       "a.toml:8", "sphere"},
      {"TwoShapes", "a.toml",
       scene("[[obstacle]]\nshape = { sphere = { radius = 1 }, box = { min = [0,0,0], max = "
             "[1,1,1] } }\n"),
       "a.toml:8", "box and sphere are both given"},
      {"EmptyUnion", "a.toml", scene("[[obstacle]]\nshape = { union = [] }\n"), "a.toml:8",
       "union"},
      {"ZeroAxis", "a.toml",
       scene("[[obstacle]]\nshape = { torus = { axis = [0,0,0], radius = 1, tube = 0.1 } }\n"),
       "a.toml:8", "axis"},
      {"UnknownSide", "a.toml",
       "format = 1\n[domain]\nmin = [0,0,0]\nmax = [1,1,1]\nsides = { top = \"open\" "
       "}\n[resolution]\ncells = 8\n",
       "a.toml:5", "top"},
      {"UnknownChoice", "a.toml", scene("[solver]\nprojection = \"consitent\"\n"), "a.toml:8",
       "consistent"},
      {"KeyframesBackwards", "a.toml",
       scene(
           "[[obstacle]]\nshape = { sphere = { radius = 1 } }\nmotion = { keyframes = [ { t = 1 }, "
           "{ t = 0 } ] }\n"),
       "a.toml:9", "t"},
      {"StopBeforeStart", "a.toml",
       scene("[[source]]\nshape = { sphere = { radius = 1 } }\nstart = 2\nstop = 1\n"),
       "a.toml:", "stop"},
      {"ProbeTwice", "a.toml",
       scene("[[probe]]\nname = \"p\"\nat = [0,0]\n[[probe]]\nname = \"p\"\nat = [1,0]\n"),
       "a.toml:11", "p"},
      {"ProbeNameAsPath", "a.toml", scene("[[probe]]\nname = \"../../etc/x\"\nat = [0,0]\n"),
       "a.toml:8", "name"},
      {"MissingMesh", "a.toml", scene("[[obstacle]]\nshape = { mesh = { file = \"no.obj\" } }\n"),
       "a.toml:8", "no.obj"},
      {"MeshNameTooLong", "a.toml",
       scene("[[obstacle]]\nshape = { mesh = { file = \"" + std::string(3000, 'x') +
             ".obj\" } }\n"),
       "a.toml:8", "no mesh file"},
      {"MissingBase", "a.toml", "format = 1\nbase = \"no.toml\"\n", "a.toml:2", "no.toml"},
      {"OwnBase", "a.toml", "format = 1\nbase = \"a.toml\"\n", "a.toml:2", "base"},
      {"DeepNesting", "a.toml", scene("x = " + std::string(100'000, '[') + "\n"), "a.toml:7",
       "nested"},
  };
}

std::vector<BadInput> bad_meshes() {
  const std::string ply = "ply\nformat binary_little_endian 1.0\n";
  const std::string xyz = "property float x\nproperty float y\nproperty float z\n";
  const std::string faces = "property list uchar int vertex_indices\nend_header\n";
  return {
      {"EmptyFile", "m.obj", "", "m.obj", "no faces"},
      {"NoFaces", "m.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n", "m.obj", "no faces"},
      {"ObjIndexTooLarge", "m.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n", "m.obj:4:7", "4"},
      {"ObjIndexZero", "m.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 0 1 2\n", "m.obj:4:3", "0"},
      {"ObjNotANumber", "m.obj", "v 0 zero 0\n", "m.obj:1:5", "zero"},
      {"ObjNan", "m.obj", "v 0 nan 0\n", "m.obj:1:5", "nan"},
      {"ObjTwoCoordinates", "m.obj", "v 0 1\n", "m.obj:1", "before the z coordinate"},
      {"ObjUnknownWord", "m.obj", "vertex 0 0 0\n", "m.obj:1:1", "vertex"},
      {"OffNoHeader", "m.off", "hello\n", "m.off:1", "OFF"},
      {"OffTruncated", "m.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n", "m.off", "3"},
      {"OffTenGigabytes", "m.off", "OFF\n3000000000 1000000000 0\n0 0 0\n", "m.off:2",
       "more than 2,147,483,647 vertices"},
      {"OffIndex", "m.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 7\n", "m.off:6:7", "7"},
      {"OffNegativeCount", "m.off", "OFF\n-3 1 0\n", "m.off:2:1", "-3"},
      {"PlyNoMagic", "m.ply", "plyy\n", "m.ply", "ply"},
      {"PlyUnknownFormat", "m.ply", "ply\nformat binary_middle_endian 1.0\nend_header\n", "m.ply:2",
       "binary_middle_endian"},
      {"PlyNoEnd", "m.ply", "ply\nformat ascii 1.0\nelement vertex 3\n", "m.ply", "end_header"},
      {"PlyTruncated", "m.ply",
       ply + "element vertex 3\n" + xyz + "element face 1\n" + faces + std::string(20, '\0'),
       "m.ply: byte", "3"},
      {"PlyTenGigabytes", "m.ply",
       ply + "element vertex 900000000\n" + xyz + "element face 1\n" + faces +
           std::string(36, '\0'),
       "m.ply: byte", "900"},
      {"PlyIndex", "m.ply",
       ply + "element vertex 3\n" + xyz + "element face 1\n" + faces + std::string(36, '\0') +
           binary({3, 0, 0, 0, 0, 1, 0, 0, 0, 9, 0, 0, 0}),
       "m.ply: byte", "9"},
      {"PlyNan", "m.ply",
       ply + "element vertex 3\n" + xyz + "element face 1\n" + faces + std::string(32, '\0') +
           binary({0, 0, 0xc0, 0x7f, 3, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0}),
       "m.ply: byte", "is nan, not a finite number"},
      {"StlTruncatedBinary", "m.stl", std::string(80, ' ') + binary({200, 0, 0, 0}) + "abc",
       "m.stl: byte", "200"},
      {"StlTenGigabytes", "m.stl", std::string(80, ' ') + binary({0xff, 0xff, 0xff, 0x0b}),
       "m.stl: byte", "promises 201,326,591 triangles"},
      {"StlAsciiCutOff", "m.stl", "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\n",
       "m.stl:", "the file is cut off"},
      {"UnknownExtension", "m.xyz", "0 0 0\n", "m.xyz", ".obj"},
      {"WrongExtension", "m.obj", "ply\nformat ascii 1.0\nelement vertex 0\nend_header\n", "m.obj",
       ".ply"},
      {"OpenMesh", "m.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", "",
       "3 edges are left after safe repair"},
      {"OpenMeshFarAway", "m.off", "OFF\n3 1 0\n1e12 0 0\n1000000000001 0 0\n1e12 1 0\n3 0 1 2\n",
       "", "left after safe repair"},
      {"AllVerticesEqual", "m.off", "OFF\n3 1 0\n1 1 1\n1 1 1\n1 1 1\n3 0 1 2\n", "", "empty"},
      {"ZeroThickness", "m.off", "OFF\n3 2 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n3 0 2 1\n", "",
       "empty"},
      {"HugeCoordinates", "m.off", "OFF\n3 1 0\n1e90 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", "m.off:3:1",
       "1e15"},
  };
}

void expect_refused(const BadInput& bad) {
  const test::TemporaryFolder folder;
  write_file(folder.path() / bad.file, bad.content);
  const test::CommandResult result = test::run_command(folder.path(), {"check", bad.file});
  const std::string& said = result.err + result.out;
  EXPECT_EQ(result.exit_code, 2) << said;
  ASSERT_FALSE(bad.words.empty()) << "every refusal says what is wrong";
  if (!bad.place.empty()) {
    EXPECT_EQ(result.err.find("error: " + bad.place), 0u) << said;
  }
  EXPECT_NE(said.find(bad.words), std::string::npos) << said;
}

class BadInputTest : public testing::TestWithParam<BadInput> {};
TEST_P(BadInputTest, IsRefusedWithItsPlace) { expect_refused(GetParam()); }

const auto kNameOf = [](const auto& info) { return info.param.name; };
INSTANTIATE_TEST_SUITE_P(Scenes, BadInputTest, testing::ValuesIn(bad_scenes()), kNameOf);
INSTANTIATE_TEST_SUITE_P(Meshes, BadInputTest, testing::ValuesIn(bad_meshes()), kNameOf);

TEST(BadInput, CommandLines) {
  const test::TemporaryFolder folder;
  const std::vector<std::pair<std::vector<std::string>, std::string>> lines = {
      {{}, "subcommand"},
      {{"chekc", "x.toml"}, "did you mean check?"},
      {{"--verbose", "dance"}, "dance"},
      {{"check"}, "FILE"},
      {{"check", "absent.toml"}, "absent.toml"},
      {{"check", "absent.obj"}, "absent.obj"},
      {{"check", "."}, "is not a cache"},
      {{"check", "x.toml", "--threads", "0"}, "--threads"},
      {{"--threads", "0", "check", "x.toml"}, "--threads"},
      {{"check", "x.off", "--set", "resolution.cells=9"}, "--set"},
      {{"check", "x.toml", "--threads", "many"}, "--threads"},
      {{"render", "sphere = { radius = 1 }", "-o", "a.gif"}, ".png"},
      {{"render", "sphere = { radius = -1 }", "-o", "a.png"}, "radius"},
      {{"render", "sphere = { radius = 1 }", "-o", "a.png", "--size", "0x9"}, "--size"},
      {{"render", "sphere = { radius = 1 }", "-o", "a.png", "--camera", "eye=1,2"}, "--camera"},
      {{"render", "halfspace = { point = [0,0,0], normal = [0,0,1] }", "-o", "a.png"},
       "has no end"},
      {{"bench", "nothing"}, "nothing"},
  };
  for (const auto& [arguments, words] : lines) {
    const test::CommandResult result = test::run_command(folder.path(), arguments);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    ASSERT_FALSE(words.empty());
    EXPECT_NE(result.err.find(words), std::string::npos) << result.err;
    EXPECT_TRUE(result.out.empty()) << result.out;
  }
}

}  // namespace
}  // namespace spindrift
