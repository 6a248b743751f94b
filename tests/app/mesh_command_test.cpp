// The mesh command as users run it.
#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "spindrift/core/file.hpp"
#include "spindrift/io/mesh_file.hpp"
#include "spindrift/render/image.hpp"

#include "app/run_command.hpp"
#include "support/meshes.hpp"

namespace spindrift {
namespace {

using Json = nlohmann::json;

constexpr const char* kBall = "sphere = { radius = 1 }";

TEST(MeshCommand, AShapeInWordsAndJson) {
  const auto words = test::run_command(".", {"mesh", kBall, "--size", "0.2"});
  ASSERT_EQ(words.exit_code, 0) << words.err;
  for (const char* word : {"tetrahedra, ", "  volume    ", "  dihedral  from ", "  least     ",
                           "  greatest  ", " %  ", "  time      ", "  memory    "}) {
    EXPECT_NE(words.out.find(word), std::string::npos) << word << "\n" << words.out;
  }
  const auto json = test::run_command(".", {"mesh", kBall, "--size", "0.2", "--json"});
  ASSERT_EQ(json.exit_code, 0) << json.err;
  EXPECT_EQ(std::count(json.out.begin(), json.out.end(), '\n'), 1);
  const Json object = Json::parse(json.out);
  EXPECT_GT(object["tets"], 100);
  EXPECT_GT(object["vertices"], 50);
  EXPECT_GT(object["min_dihedral"], 0);
  EXPECT_LT(object["max_dihedral"], 180);
  EXPECT_NEAR(object["volume"].get<double>(), 4.18879, 0.05 * 4.18879);
  EXPECT_GT(object["peak_bytes"], 0);
  std::int64_t angles = 0;
  for (const Json& bin : object["dihedrals"]) angles += bin.get<std::int64_t>();
  EXPECT_EQ(angles, 6 * object["tets"].get<std::int64_t>());
  const auto uniform =
      test::run_command(".", {"mesh", kBall, "--size", "0.05", "--uniform", "--json"});
  const auto graded = test::run_command(".", {"mesh", kBall, "--size", "0.05", "--json"});
  EXPECT_GT(Json::parse(uniform.out)["tets"], Json::parse(graded.out)["tets"]);
}

TEST(MeshCommand, AMeshFileIntoAllFormatsAndAPicture) {
  const test::TemporaryFolder folder;
  write_mesh(folder / "ball.obj", test::sphere(3));
  for (const std::string name : {"ball.vtu", "ball.msh", "ball.mesh"}) {
    const auto result =
        test::run_command(folder.path(), {"mesh", "ball.obj", "--size", "0.2", "-o", name});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_NE(result.out.find("; the input has "), std::string::npos) << result.out;
    EXPECT_GT(std::filesystem::file_size(folder / name), 10000u);
  }
  const auto result =
      test::run_command(folder.path(), {"mesh", "ball.obj", "--size", "0.2", "--picture", "a.png"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  // The middle of the picture is where the ball was cut: orange.
  const Image image = read_png(folder / "a.png");
  int orange = 0;
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      const Rgb rgb = image.pixel(x, y);
      if (rgb[0] > rgb[2] + 60) ++orange;
    }
  }
  EXPECT_GT(orange, image.width * image.height / 20);
}

constexpr const char* kPool = "box = { min = [-3, -3, -3], max = [3, 3, 0.11] }";
constexpr const char* kTank =
    "subtract = [{ box = { min = [-9, -9, -9], max = [9, 9, 9] } }, "
    "{ box = { min = [-1, -1, -1], max = [1, 1, 1] } }]";

TEST(MeshCommand, ALiquidFitsItsObstacles) {
  const test::TemporaryFolder folder;
  write_mesh(folder / "ball.obj", test::sphere(3, 0.5));
  // The liquid last: an obstacle is one word.
  const auto json = test::run_command(
      folder.path(),
      {"mesh", "--size", "0.13", "--json", "--obstacle", kTank, "--obstacle", "ball.obj", kPool});
  ASSERT_EQ(json.exit_code, 0) << json.err;
  const Json object = Json::parse(json.out);
  const auto number = [&](const char* key) { return object[key].get<double>(); };
  EXPECT_NEAR(number("air_area"), 4 - M_PI * (0.25 - 0.11 * 0.11), 0.1);
  EXPECT_NEAR(number("volume"), 4 * 1.11 - M_PI * (0.5 * 0.25 * 4 / 3 - 0.39 * 0.39 * 1.11 / 3),
              0.1);
  EXPECT_GT(number("contact"), 20);
  EXPECT_GE(number("snapped"), 0);
  EXPECT_LT(number("undone"), number("contact"));
  EXPECT_GT(number("air_faces"), 100);
  EXPECT_GT(number("solid_faces"), 100);
  EXPECT_LT(number("mixed_faces"), 0.1 * number("air_faces"));
  EXPECT_LT(number("mixed_area"), 0.1);
  EXPECT_GT(number("solid_area"), 4 + 4 * 2 * 1.11);
  EXPECT_GE(number("min_dihedral"), 10.7);
  EXPECT_LE(number("max_dihedral"), 164.8);

  const auto words = test::run_command(
      folder.path(), {"mesh", kPool, "--size", "0.13", "--obstacle", kTank, "--obstacle",
                      "ball.obj", "-o", "pool.msh", "--picture", "pool.png"});
  ASSERT_EQ(words.exit_code, 0) << words.err;
  for (const char* word : {"  snapped   ", " to contact lines; ", "  air       ", "  solid     "}) {
    EXPECT_NE(words.out.find(word), std::string::npos) << word << "\n" << words.out;
  }
  const FileBytes file = read_file(folder / "pool.msh");
  EXPECT_NE(file.view().find("2 1 \"air\"\n2 2 \"solid\"\n"), std::string_view::npos);
  // The surface of the pool is blue.
  const Image image = read_png(folder / "pool.png");
  int blue = 0;
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      const Rgb rgb = image.pixel(x, y);
      if (rgb[2] > rgb[0] + 60) ++blue;
    }
  }
  EXPECT_GT(blue, image.width * image.height / 40);

  const auto plain = test::run_command(".", {"mesh", kBall, "--size", "0.2", "--json"});
  EXPECT_FALSE(Json::parse(plain.out).contains("air_area"));
}

TEST(MeshCommand, RefusesWithAdvice) {
  const test::TemporaryFolder folder;
  write_mesh(folder / "ball.obj", test::sphere(1));
  TriangleMesh open = test::sphere(3);
  open.triangles.resize(open.triangles.size() / 2);
  write_mesh(folder / "open.obj", open);
  std::filesystem::create_symlink("ball.obj", folder / "link.vtu");
  struct Case {
    std::vector<std::string> arguments;
    std::string message;
  };
  const std::vector<Case> cases = {
      {{"ball.obj"}, "--size: is missing; write the side of the finest cells in metres, e.g. "},
      {{"ball.obj", "--size", "0"}, "--size: '0' is not a positive length; write the side"},
      {{"ball.obj", "--size", "-1"}, "--size: '-1' is not a positive length; write the side"},
      {{"ball.obj", "--size", "1x"}, "--size: '1x' is not a positive length; write the side"},
      {{"ball.obj", "--size", "nan"}, "--size: 'nan' is not a positive length; write the side"},
      {{"ball.obj", "--size", "0.2", "-o", "a.obj"},
       "a.obj: cannot be written: '.obj' is not a format of tetrahedral meshes we know; use .vtu, "
       ".msh or .mesh"},
      {{"ball.obj", "--size", "0.2", "-o", "link.vtu"},
       "link.vtu: is also the input; name another file"},
      {{"mesh = { file = \"ball.obj\" }", "--size", "0.2", "-o", "link.vtu"},
       "link.vtu: is also the input; name another file"},
      {{"ball.obj", "--size", "0.2", "--picture", "a.jpg"},
       "a.jpg: is not a picture that can be written; give --picture a name that ends in .png"},
      {{"open.obj", "--size", "0.2"}, "open.obj: is not closed: "},
      {{kBall, "--size", "0.2", "--obstacle", "open.obj"}, "open.obj: is not closed: "},
      {{kBall, "--size", "0.2", "--obstacle", "wall"}, "wall: is neither a mesh nor a shape; "},
      {{kBall, "--size", "0.2", "--obstacle", "ball.obj", "-o", "link.vtu"},
       "link.vtu: is also the input; name another file"},
      {{"scene.toml", "--size", "0.2"}, "scene.toml: is neither a mesh nor a shape; name a "},
      {{"missing.obj", "--size", "0.2"}, "missing.obj: cannot be opened: "},
      {{"halfspace = { normal = [0, 0, 1] }", "--size", "0.2"},
       "shape: has no end; intersect it with a box"},
  };
  for (const Case& bad : cases) {
    std::vector<std::string> arguments = {"-q", "mesh"};
    arguments.insert(arguments.end(), bad.arguments.begin(), bad.arguments.end());
    const auto result = test::run_command(folder.path(), arguments);
    EXPECT_EQ(result.exit_code, 2) << bad.message;
    EXPECT_EQ(result.err.find("error: " + bad.message), 0u) << result.err;
    EXPECT_EQ(result.out, "");
  }
  EXPECT_EQ(read_mesh(folder / "ball.obj").mesh.triangle_count(), 80);
}

TEST(MeshCommand, AnOpenMeshIsFilledOnRequest) {
  const test::TemporaryFolder folder;
  TriangleMesh open = test::sphere(3);
  open.triangles.resize(open.triangles.size() - 40);
  write_mesh(folder / "open.obj", open);
  const auto result = test::run_command(
      folder.path(),
      {"mesh", "mesh = { file = \"open.obj\", fill = \"winding\" }", "--size", "0.2", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NEAR(Json::parse(result.out)["volume"].get<double>(), 4.1, 0.6);
}

TEST(MeshCommand, StagesGoIntoAFolder) {
  const test::TemporaryFolder folder;
  write_mesh(folder / "ball.obj", test::sphere(3));
  const auto result = test::run_command(
      folder.path(), {"mesh", "ball.obj", "--size", "0.2", "--stages", "all/stages"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  for (const char* name :
       {"1_octree.vtu", "2_cut.vtu", "3_warp.vtu", "4_vertices.vtu", "5_tetrahedra.vtu"}) {
    EXPECT_GT(std::filesystem::file_size(folder / "all/stages" / name), 1000u) << name;
    EXPECT_NE(result.out.find(name), std::string::npos) << result.out;
  }
  const auto refused = test::run_command(
      folder.path(), {"mesh", "ball.obj", "--size", "0.2", "--stages", "ball.obj"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("ball.obj: cannot be a folder"), std::string::npos) << refused.err;
}

}  // namespace
}  // namespace spindrift
