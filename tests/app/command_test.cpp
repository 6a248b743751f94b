#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "spindrift/io/mesh_file.hpp"
#include "spindrift/render/image.hpp"

#include "app/run_command.hpp"
#include "support/meshes.hpp"
#include "support/random.hpp"

namespace spindrift {
namespace {

using Json = nlohmann::json;

const std::filesystem::path kScenes = std::filesystem::path(SPINDRIFT_SOURCE_DIR) / "scenes";
const std::string kDamBreak = (kScenes / "dam_break.toml").string();

TEST(Command, HelpAndVersion) {
  const auto help = test::run_command(".", {"--help"});
  EXPECT_EQ(help.exit_code, 0);
  for (const char* word : {"check", "render", "bench", "Exit codes"}) {
    EXPECT_NE(help.out.find(word), std::string::npos) << word;
  }
  const auto version = test::run_command(".", {"--version"});
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_EQ(version.out.find("spindrift "), 0u);
}

TEST(Command, CheckOfASceneInWordsAndJson) {
  const auto words = test::run_command(".", {"check", kDamBreak});
  EXPECT_EQ(words.exit_code, 0) << words.err;
  EXPECT_NE(words.out.find("verdict   ready"), std::string::npos) << words.out;
  const auto json =
      test::run_command(".", {"check", kDamBreak, "--json", "--set", "resolution.cells=128"});
  EXPECT_EQ(json.exit_code, 0) << json.err;
  EXPECT_EQ(std::count(json.out.begin(), json.out.end(), '\n'), 1);
  const Json object = Json::parse(json.out);
  EXPECT_EQ(object["cell_size"], 2.0 / 128);
  EXPECT_EQ(object["frames"], 120);
  // 0.7 x 1 x 0.6 m of water, sampled; the hemisphere is elsewhere.
  EXPECT_NEAR(object["liquid_volume"].get<double>(), 0.42, 0.42 * 0.03);
}

TEST(Command, EverySceneOfOursIsReady) {
  for (const auto& entry : std::filesystem::directory_iterator(kScenes)) {
    if (entry.path().extension() != ".toml") continue;
    const auto result = test::run_command(".", {"check", entry.path().string(), "--json"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_TRUE(Json::parse(result.out)["ok"]) << result.out;
  }
}

TEST(Command, TheDoctorFindsWhatIsWrong) {
  const test::TemporaryFolder folder;
  write_file(folder.path() / "s.toml", R"(format = 1
[domain]
min = [0, 0, 0]
max = [2, 1, 1]
[resolution]
cells = 32
[[liquid.body]]
shape = { box = { min = [3, 0, 0], max = [4, 1, 1] } }
[[obstacle]]
shape = { subtract = [ { cylinder = { from = [1,0.5,0.2], to = [1,0.5,0.8], radius = 0.3 } }, { cylinder = { from = [1,0.5,0.22], to = [1,0.5,0.9], radius = 0.28 } } ] }
[[source]]
shape = { cylinder = { from = [0.5, 0.5, 0.9], to = [0.5, 0.5, 0.8], radius = 0.01 } }
velocity = [0, 0, -1]
[[source]]
shape = { sphere = { center = [0.5, 0.5, 0.5], radius = 0.2 } }
start = 100
)");
  const auto result = test::run_command(folder.path(), {"check", "s.toml", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json findings = Json::parse(result.out)["findings"];
  const std::vector<std::pair<int, std::string>> expected = {{7, "outside the domain"},
                                                             {9, "liquid may leak"},
                                                             {11, "inflow is not resolved"},
                                                             {14, "scene ends"}};
  ASSERT_EQ(findings.size(), expected.size()) << findings.dump(1);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(findings[i]["line"], expected[i].first) << findings[i];
    EXPECT_NE(findings[i]["problem"].get<std::string>().find(expected[i].second), std::string::npos)
        << findings[i];
  }
}

// The problems that the doctor finds in a scene of 2 x 1 x 1 m, cells of 62.5 mm and 5 s.
std::string findings_of(const test::TemporaryFolder& folder, const std::string& more) {
  write_file(folder.path() / "s.toml",
             "format = 1\n[domain]\nmin = [0, 0, 0]\nmax = [2, 1, 1]\n[resolution]\ncells = 32\n"
             "[[liquid.body]]\nshape = { box = { min = [0, 0, 0], max = [1, 1, 0.5] } }\n" +
                 more);
  const auto result = test::run_command(folder.path(), {"check", "s.toml", "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const Json report = Json::parse(result.out);
  std::string problems;
  for (const Json& finding : report["findings"]) {
    problems += finding["problem"].get<std::string>() + "\n";
  }
  return problems;
}

TEST(Command, TheDoctorSeesWhatIsTooSmallToSee) {
  const test::TemporaryFolder folder;
  const auto write_tetrahedron = [&](const std::string& name, double size, const Vec3& at,
                                     const Vec3& apex) {
    std::string text = "OFF\n4 4 0\n";
    for (const Vec3& v : {at, Vec3(at + Vec3(size, 0, size / 2)),
                          Vec3(at + Vec3(0, size, size / 2)), Vec3(at + apex)}) {
      text += fmt::format("{} {} {}\n", v.x(), v.y(), v.z());
    }
    write_file(folder.path() / name, text + "3 0 2 1\n3 0 1 3\n3 1 2 3\n3 2 0 3\n");
  };
  const Vec3 at(1.5, 0.5, 0.7);
  write_tetrahedron("good.off", 0.3, at, {0, 0, 0.3});
  write_tetrahedron("small.off", 1e-5, at, {0, 0, 1e-5});
  write_tetrahedron("tiny.off", 1e-300, Vec3::Zero(), {0, 0, 1e-300});
  write_tetrahedron("flat.off", 0.3, at, {0.1, 0.1, 0.1});
  const auto problems = [&](const std::string& kind, const std::string& file) {
    return findings_of(folder,
                       "[[" + kind + "]]\nshape = { mesh = { file = \"" + file + "\" } }\n");
  };
  EXPECT_EQ(problems("obstacle", "good.off").find("across"), std::string::npos);
  EXPECT_EQ(problems("obstacle", "good.off").find("encloses"), std::string::npos);
  for (const char* kind : {"obstacle", "liquid.body", "source", "sink"}) {
    EXPECT_NE(problems(kind, "small.off").find("is only 0.01 mm across"), std::string::npos)
        << kind << ": " << problems(kind, "small.off");
  }
  EXPECT_NE(problems("obstacle", "tiny.off").find("is only 1e-297 mm across"), std::string::npos);
  EXPECT_NE(problems("obstacle", "tiny.off").find("encloses no volume"), std::string::npos);
  EXPECT_NE(problems("obstacle", "flat.off").find("encloses no volume"), std::string::npos);
}

TEST(Command, TheDoctorFollowsMovingObstacles) {
  const test::TemporaryFolder folder;
  const auto problems = [&](const std::string& motion) {
    return findings_of(
        folder,
        "[[obstacle]]\nshape = { sphere = { center = [5, 0.5, 0.5], radius = 0.3 } }\n"
        "motion = { " +
            motion + " }\n");
  };
  const std::string outside = "the obstacle stays outside the domain for all 5 s of the scene\n";
  EXPECT_EQ(problems("spin = { axis = [0, 0, 1], center = [5, 0.5, 0], rpm = 30 }"), outside);
  EXPECT_EQ(problems("spin = { axis = [0, 0, 1], center = [3, 0.5, 0], rpm = 30 }"), "");
  const auto moved = [&](double t, double x) {
    return problems(
        fmt::format("keyframes = [ {{ t = 0 }}, {{ t = {}, translate = [{}, 0, 0] }} ]", t, x));
  };
  EXPECT_EQ(moved(4, -1), outside);
  EXPECT_EQ(moved(4, -4), "");
  EXPECT_EQ(moved(4, 4), outside);
  EXPECT_EQ(moved(40, -4), outside) << "it would come in after the scene's end";
  // There and through between two frames.
  EXPECT_EQ(problems("keyframes = [ { t = 2.001 }, { t = 2.002, translate = [-20, 0, 0] } ]"), "");
}

TEST(Command, CheckOfAMeshRepairsAndSaysSo) {
  const test::TemporaryFolder folder;
  TriangleMesh mesh = test::sphere(3);
  std::swap(mesh.triangles[5][0], mesh.triangles[5][1]);
  write_mesh(folder.path() / "m.ply", mesh);
  const auto result = test::run_command(folder.path(), {"check", "m.ply", "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const Json object = Json::parse(result.out);
  EXPECT_EQ(object["verdict"], "closed after repair");
  EXPECT_EQ(object["defects"]["flipped_edges"]["count"], 3);
  EXPECT_FALSE(object["closed"]);
  EXPECT_TRUE(object["after_repair"]["closed"]);
}

TEST(Command, OneOfAKindIsSaidInTheSingular) {
  const test::TemporaryFolder folder;
  TriangleMesh inside_out = test::cube();
  for (Triangle& t : inside_out.triangles) std::swap(t[0], t[1]);
  inside_out.vertices.emplace_back(5, 5, 5);
  write_mesh(folder.path() / "m.obj", inside_out);
  const auto result = test::run_command(folder.path(), {"check", "m.obj"});
  EXPECT_NE(result.out.find("found     1 closed part that is inside out, at "), std::string::npos)
      << result.out;
  EXPECT_NE(result.out.find("found     1 vertex of no triangle, at (5"), std::string::npos)
      << result.out;
}

TEST(Command, TheVolumeOfOverlappingPartsIsSaidToCountTwice) {
  const test::TemporaryFolder folder;
  TriangleMesh mesh = test::cube();
  const auto add_cube = [&mesh](double x) {
    const TriangleMesh other = test::cube(Vec3(x, 0.25, 0.25), Vec3(x + 1, 0.75, 0.75));
    const auto shift = static_cast<std::int32_t>(mesh.vertex_count());
    mesh.vertices.insert(mesh.vertices.end(), other.vertices.begin(), other.vertices.end());
    for (const Triangle& t : other.triangles) {
      mesh.triangles.push_back({t[0] + shift, t[1] + shift, t[2] + shift});
    }
  };
  add_cube(2);
  write_mesh(folder.path() / "apart.obj", mesh);
  const auto apart = test::run_command(folder.path(), {"check", "apart.obj"});
  EXPECT_NE(apart.out.find("volume    1.25 m3\n"), std::string::npos) << apart.out;
  add_cube(0.5);
  write_mesh(folder.path() / "crossing.obj", mesh);
  const auto crossing = test::run_command(folder.path(), {"check", "crossing.obj"});
  EXPECT_NE(crossing.out.find("volume    1.5 m3; where parts overlap, counted twice\n"),
            std::string::npos)
      << crossing.out;
}

// Counting all hundred million pairs of this one would take half a minute.
TEST(Command, CheckOfATangleSaysAtLeastHowManyTrianglesCross) {
  const test::TemporaryFolder folder;
  TriangleMesh mesh;
  test::Random random(3);
  for (int t = 0; t < 20'000; ++t) {
    const Vec3 along = random.direction(), across = 0.5 * random.direction();
    mesh.vertices.insert(mesh.vertices.end(), {-along, along, across});
    mesh.triangles.push_back({3 * t, 3 * t + 1, 3 * t + 2});
  }
  write_mesh(folder.path() / "m.ply", mesh);
  const auto words = test::run_command(folder.path(), {"check", "m.ply"});
  EXPECT_NE(words.out.find("at least 100,000 pairs of triangles"), std::string::npos) << words.out;
  const Json object =
      Json::parse(test::run_command(folder.path(), {"check", "m.ply", "--json"}).out);
  EXPECT_EQ(object["defects"]["self_intersections"]["count"], 100'000);
  EXPECT_EQ(object["self_intersections_capped"], true);

  write_mesh(folder.path() / "few.ply", test::sphere(2));
  const Json few =
      Json::parse(test::run_command(folder.path(), {"check", "few.ply", "--json"}).out);
  EXPECT_EQ(few["self_intersections_capped"], false);
}

TEST(Command, OneAndTwoThreadsGiveTheSameBytes) {
  const test::TemporaryFolder folder;
  TriangleMesh mesh = test::sphere(5);
  for (std::size_t t = 0; t < mesh.triangles.size(); t += 7)
    std::swap(mesh.triangles[t][0], mesh.triangles[t][1]);
  mesh.triangles.resize(mesh.triangles.size() - 9);
  write_mesh(folder.path() / "m.ply", mesh);
  for (const std::string& file : {std::string("m.ply"), kDamBreak}) {
    const auto one = test::run_command(folder.path(), {"check", file, "--json", "--threads", "1"});
    const auto two = test::run_command(folder.path(), {"check", file, "--json", "--threads", "2"});
    EXPECT_FALSE(one.out.empty());
    // How long a run would take is not the same.
    const auto without_time = [](const std::string& out) {
      Json object = Json::parse(out);
      if (object.contains("estimate")) {
        object["estimate"].erase("seconds");
        object["estimate"].erase("threads");
      }
      return object.dump();
    };
    EXPECT_EQ(without_time(one.out), without_time(two.out));
  }
}

TEST(Command, AnOpenMeshNeedsFillWinding) {
  const test::TemporaryFolder folder;
  TriangleMesh bowl = test::sphere(3, 0.4, {0.5, 0.5, 0.5});
  std::erase_if(bowl.triangles, [&](const Triangle& t) { return bowl.vertices[t[0]].z() > 0.6; });
  write_mesh(folder.path() / "bowl.obj", bowl);
  const std::string head =
      "format = 1\n[domain]\nmin = [0,0,0]\nmax = [1,1,1]\n[resolution]\ncells = "
      "32\n[[liquid.body]]\n";
  write_file(folder.path() / "a.toml", head + "shape = { mesh = { file = \"bowl.obj\" } }\n");
  write_file(folder.path() / "b.toml",
             head + "shape = { mesh = { file = \"bowl.obj\", fill = \"winding\" } }\n");
  const auto refused = test::run_command(folder.path(), {"check", "a.toml"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("fill = \"winding\""), std::string::npos) << refused.err;
  EXPECT_EQ(refused.err.find("error: a.toml:8"), 0u) << refused.err;
  // An earlier use with `fill` does not excuse a later one without it.
  write_file(folder.path() / "c.toml",
             head +
                 "shape = { mesh = { file = \"bowl.obj\", fill = \"winding\" } }\n[[liquid.body]]\n"
                 "shape = { mesh = { file = \"bowl.obj\" } }\n");
  const auto later = test::run_command(folder.path(), {"check", "c.toml"});
  EXPECT_EQ(later.exit_code, 2);
  EXPECT_EQ(later.err.find("error: c.toml:10"), 0u) << later.err;
  const auto taken = test::run_command(folder.path(), {"check", "b.toml"});
  EXPECT_EQ(taken.exit_code, 0) << taken.err;
  EXPECT_NE(taken.out.find("winding number"), std::string::npos) << taken.out;
}

TEST(Command, RenderOfMeshSceneAndShape) {
  const test::TemporaryFolder folder;
  write_mesh(folder.path() / "m.ply", test::sphere(3));
  for (const std::string& input :
       {std::string("m.ply"), kDamBreak, std::string("sphere = { radius = 1 }")}) {
    const auto result =
        test::run_command(folder.path(), {"render", input, "-o", "p.png", "--size", "160x90"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const Image image = read_png(folder.path() / "p.png");
    EXPECT_EQ(image.width, 160);
    EXPECT_EQ(image.height, 90);
    EXPECT_NE(image.pixel(80, 45), image.pixel(2, 2)) << "nothing in the middle of " << input;
  }
}

TEST(Command, FinalPicturesShowTheirProgressOnATerminal) {
  const test::TemporaryFolder folder;
  const std::string picture = (folder.path() / "p.png").string();
  const std::string render = test::quoted(SPINDRIFT_COMMAND) +
                             " render 'sphere = { radius = 1 }' --size 64x36 -o " +
                             test::quoted(picture);
  ASSERT_EQ(std::system("script --version >/dev/null 2>&1"), 0) << "Debian's bsdutils has it";
  const auto on_a_terminal = [&](const std::string& options) {
    const std::string seen = (folder.path() / "seen").string();
    const std::string line = "script -qec " + test::quoted(render + options) + " " +
                             test::quoted(seen) + " >/dev/null </dev/null";
    EXPECT_EQ(WEXITSTATUS(std::system(line.c_str())), 0);
    return std::string(read_file(seen).view());
  };
  const std::string bar = on_a_terminal(" --quality final");
  EXPECT_NE(bar.find("\r[##############################] 100 %, took "), std::string::npos) << bar;
  for (const char* options : {" --quality draft", " --quality final --quiet"}) {
    EXPECT_EQ(on_a_terminal(options).find("100 %"), std::string::npos) << options;
  }

  const auto piped =
      test::run_command(folder.path(), {"render", "sphere = { radius = 1 }", "--size", "64x36",
                                        "--quality", "final", "-o", "p.png"});
  EXPECT_EQ(piped.err.find("100 %, took "), 0u) << piped.err;
  EXPECT_EQ(std::count(piped.err.begin(), piped.err.end(), '\n'), 1) << piped.err;
  EXPECT_EQ(piped.out.find("p.png: 64 x 36 pixels"), 0u) << piped.out;
}

TEST(Command, ExtensionsMayBeInUpperCase) {
  const test::TemporaryFolder folder;
  write_mesh(folder.path() / "M.PLY", test::sphere(1));
  std::filesystem::copy_file(kDamBreak, folder.path() / "S.Toml");
  EXPECT_EQ(test::run_command(folder.path(), {"check", "M.PLY"}).exit_code, 0);
  EXPECT_EQ(test::run_command(folder.path(), {"check", "S.Toml"}).exit_code, 0);
  for (const char* input : {"M.PLY", "S.Toml"}) {
    const auto result =
        test::run_command(folder.path(), {"render", input, "-o", "P.PNG", "--size", "16x9"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(read_png(folder.path() / "P.PNG").width, 16);
  }
}

TEST(Command, FailuresOfTheSystemHaveTheirOwnCode) {
  const test::TemporaryFolder folder;
  const auto missing = test::run_command(folder.path(), {"render", "sphere = { radius = 1 }", "-o",
                                                         "no/such/folder/p.png", "--size", "16x9"});
  EXPECT_EQ(missing.exit_code, 4) << missing.err;
  EXPECT_NE(missing.err.find("create the folder"), std::string::npos) << missing.err;
  const int full =
      std::system((test::quoted(SPINDRIFT_COMMAND) + " --version >/dev/full 2>/dev/null").c_str());
  EXPECT_EQ(WEXITSTATUS(full), 4);
}

TEST(Command, AClosedStandardOutputIsNotSuccess) {
  const test::TemporaryFolder folder;
  const std::string err = (folder.path() / "err").string();
  const std::string line =
      test::quoted(SPINDRIFT_COMMAND) + " check " + test::quoted(kDamBreak) + " ";
  const auto exit_code = [&](const std::string& streams) {
    return WEXITSTATUS(std::system((line + streams + " 2>" + test::quoted(err)).c_str()));
  };
  EXPECT_EQ(exit_code(">&-"), 4);
  EXPECT_NE(std::string(read_file(err).view()).find("standard output is closed"),
            std::string::npos);
  EXPECT_EQ(exit_code(">&- <&-"), 4);
  EXPECT_EQ(exit_code(">/dev/null <&-"), 0);
  EXPECT_EQ(WEXITSTATUS(std::system((line + ">&- 2>&-").c_str())), 4);
  // With no standard error, its number must not go to the log.
  const std::string log = test::quoted((folder.path() / "log").string());
  EXPECT_EQ(WEXITSTATUS(std::system((line + "--log " + log + " >/dev/null 2>&-").c_str())), 0);
}

TEST(Command, TheLogFileHoldsWhatTheTerminalDoesNot) {
  const test::TemporaryFolder folder;
  const auto result =
      test::run_command(folder.path(), {"render", "sphere = { radius = 1 }", "-o", "p.png",
                                        "--size", "16x9", "--log", "log.txt", "-q"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(result.err.empty()) << result.err;
  EXPECT_NE(std::string(read_file(folder.path() / "log.txt").view()).find("rays"),
            std::string::npos);
}

TEST(Command, TheLogFileIsNeitherInputNorOutput) {
  const test::TemporaryFolder folder;
  write_mesh(folder.path() / "m.ply", test::sphere(1));
  const std::string before(read_file(folder.path() / "m.ply").view());
  std::filesystem::create_symlink("m.ply", folder.path() / "link.txt");
  std::filesystem::create_hard_link(folder.path() / "m.ply", folder.path() / "hard.txt");
  for (const char* log : {"m.ply", "./m.ply", "link.txt", "hard.txt", "p.png", "./p.png", ""}) {
    const auto result = test::run_command(
        folder.path(), {"render", "m.ply", "-o", "p.png", "--size", "16x9", "--log", log});
    EXPECT_EQ(result.exit_code, 2) << log;
    EXPECT_EQ(result.err.find("error: --log: "), 0u) << result.err;
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "p.png"));
  }
  EXPECT_EQ(test::run_command(folder.path(), {"check", "m.ply", "--log", "m.ply"}).exit_code, 2);
  EXPECT_EQ(std::string(read_file(folder.path() / "m.ply").view()), before);
  EXPECT_EQ(test::run_command(folder.path(), {"check", "", "--log", "log"}).exit_code, 2);
}

TEST(Command, ALogThatCannotBeWrittenIsNotSuccess) {
  const test::TemporaryFolder folder;
  const auto result = test::run_command(
      folder.path(),
      {"render", "sphere = { radius = 1 }", "-o", "p.png", "--size", "16x9", "--log", "/dev/full"});
  EXPECT_EQ(result.exit_code, 4) << result.err;
  EXPECT_EQ(result.err.find("error: /dev/full: the log cannot be written"), 0u) << result.err;
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
}

}  // namespace
}  // namespace spindrift
