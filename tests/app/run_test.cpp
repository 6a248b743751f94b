// spindrift run and what reads its caches, with a simulation that takes no time.
#include <csignal>
#include <map>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "spindrift/render/image.hpp"

#include "app/run_command.hpp"
#include "support/random.hpp"

namespace spindrift {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kScene = R"(format = 1
name = "box"
[time]
fps = 10
frames = 6
[domain]
min = [0, 0, 0]
max = [2, 1, 1]
[resolution]
cells = 8
[[obstacle]]
shape = { sphere = { center = [1.5, 0.5, 0.5], radius = 0.2 } }
[[probe]]
name = "gauge"
at = [1, 0.5]
)";

// A process that a test may send signals to.
class Process {
 public:
  Process(const std::filesystem::path& folder, std::vector<std::string> arguments,
          const std::string& step_seconds) {
    arguments.insert(arguments.begin(), SPINDRIFT_FAKE_COMMAND);
    std::vector<char*> words;
    for (std::string& argument : arguments) words.push_back(argument.data());
    words.push_back(nullptr);
    id_ = ::fork();
    if (id_ != 0) return;
    const int nowhere = ::open("/dev/null", O_RDWR);
    ::dup2(nowhere, STDIN_FILENO);
    ::dup2(nowhere, STDOUT_FILENO);
    const int errors = ::open((folder / "err").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    ::dup2(errors, STDERR_FILENO);
    ::setenv("FAKE_STEP_SECONDS", step_seconds.c_str(), 1);
    if (::chdir(folder.c_str()) == 0) ::execv(words[0], words.data());
    ::_exit(127);
  }
  void send(int signal) const { ::kill(id_, signal); }
  // The exit code; 128 + signal if it was killed.
  [[nodiscard]] int wait() const {
    int status = 0;
    ::waitpid(id_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  pid_t id_;
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

class RunTest : public testing::Test {
 protected:
  RunTest() { folder_.write("box.toml", kScene); }

  test::CommandResult run(std::vector<std::string> arguments, const std::string& before = {}) {
    arguments.insert(arguments.begin(), {"run", "box.toml"});
    return other(arguments, before);
  }
  test::CommandResult other(const std::vector<std::string>& arguments,
                            const std::string& before = {}) {
    return test::run_program(SPINDRIFT_FAKE_COMMAND, folder_.path(), arguments, before);
  }
  std::string read(const std::string& name) {
    return std::string(read_file(folder_.path() / name).view());
  }

  // All that a run is to repeat: every file but the log, and no times and memory.
  std::map<std::string, std::string> contents_of(const std::string& cache) {
    std::map<std::string, std::string> contents;
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(folder_.path() / cache)) {
      const std::string name =
          std::filesystem::relative(entry.path(), folder_.path() / cache).string();
      if (!entry.is_regular_file() || name == "log.txt") continue;
      contents[name] = read(cache + "/" + name);
    }
    std::string stats;
    for (const std::string& line : lines_of(contents["stats.jsonl"])) {
      Json json = Json::parse(line);
      json.erase("seconds");
      json.erase("peak_bytes");
      stats += json.dump() + "\n";
    }
    contents["stats.jsonl"] = stats;
    Json manifest = Json::parse(contents["manifest.json"]);
    manifest.erase("checksum");
    for (Json& frame : manifest["frames"]) frame["lines"].erase("stats.jsonl");
    contents["manifest.json"] = manifest.dump();
    // They know how long stats.jsonl was.
    std::erase_if(contents, [](const auto& file) { return file.first.starts_with("checkpoint/"); });
    return contents;
  }

  // Waits until the cache has begun its next frame after `lines` whole ones.
  void wait_for_frames(const std::string& cache, std::size_t lines) {
    for (int i = 0; i < 3000; ++i) {
      const auto path = folder_.path() / cache / "checkpoint/000000.bin";
      if (std::filesystem::exists(path) && lines_of(read(cache + "/stats.jsonl")).size() >= lines) {
        return;
      }
      ::usleep(10'000);
    }
    FAIL() << "no frames came";
  }

  test::TemporaryFolder folder_;
};

TEST_F(RunTest, MakesACacheAndSaysWhere) {
  const auto result = run({});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.err.find("box.cache: box, frames 0 to 6"), std::string::npos) << result.err;
  const auto lines = lines_of(result.out);
  ASSERT_EQ(lines.size(), 7u) << result.out;
  EXPECT_EQ(lines[1].find("frame 1: 0.1 s, 3 steps, 6 tetrahedra, 12 triangles, 0.951192 m3 "
                          "(+0.100 %)"),
            0u)
      << lines[1];
  for (const char* name : {"manifest.json", "scene.toml", "stats.jsonl", "log.txt",
                           "probes/gauge.csv", "checkpoint/000000.bin", "checkpoint/000006.bin",
                           "frames/000000/surface.ply", "frames/000006/surface.ply"}) {
    EXPECT_TRUE(std::filesystem::exists(folder_ / ("box.cache/" + std::string(name)))) << name;
  }
  const std::string gauge = read("box.cache/probes/gauge.csv");
  EXPECT_EQ(lines_of(gauge).size(), 1u + 6 * 3);
  EXPECT_NE(read("box.cache/log.txt").find("frame 6: 0.6 s"), std::string::npos);
}

TEST_F(RunTest, JsonHasTheKeysThatScriptsDependOn) {
  const auto result = run({"--json", "--frames", "0:2"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto lines = lines_of(result.out);
  ASSERT_EQ(lines.size(), 3u) << result.out;
  EXPECT_EQ(result.out, read("box.cache/stats.jsonl"));
  const std::vector<std::string> wanted = {
      "frame",  "time",      "steps",    "tets",       "triangles", "volume",     "volume_drift",
      "energy", "max_speed", "residual", "iterations", "seconds",   "peak_bytes", "ledger"};
  const Json frame = Json::parse(lines[2]);
  std::vector<std::string> keys;
  for (const auto& item : frame.items()) keys.push_back(item.key());
  ASSERT_GE(keys.size(), wanted.size());
  keys.resize(wanted.size());
  EXPECT_EQ(keys, wanted);
  std::vector<std::string> phases;
  double sum = 0;
  for (const auto& item : frame["seconds"].items()) {
    phases.push_back(item.key());
    if (item.key() != "total") sum += item.value().get<double>();
  }
  EXPECT_EQ(phases,
            (std::vector<std::string>{"surface", "mesh", "advect", "project", "other", "total"}));
  EXPECT_NEAR(sum, frame["seconds"]["total"].get<double>(), 1e-9);
  EXPECT_EQ(frame["frame"], 2);
  EXPECT_EQ(frame["time"], 0.2);
  EXPECT_GT(frame["peak_bytes"], 1'000'000);
  EXPECT_EQ(frame["ledger"]["start"], 0.3);
  EXPECT_EQ(frame["ledger"]["bodies"][0]["id"], 4);
}

TEST_F(RunTest, ResumeGivesTheSameFramesAsOneRun) {
  ASSERT_EQ(run({"--out", "whole"}).exit_code, 0);
  ASSERT_EQ(run({"--out", "parts", "--frames", "0:2"}).exit_code, 0);
  ASSERT_EQ(run({"--out", "parts", "--frames", "3:4", "--resume"}).exit_code, 0);
  const auto last = run({"--out", "parts", "--resume"});
  ASSERT_EQ(last.exit_code, 0) << last.err;
  EXPECT_EQ(lines_of(last.out).size(), 2u) << last.out;
  EXPECT_EQ(contents_of("parts"), contents_of("whole"));
  const auto again = run({"--out", "parts", "--resume", "--json"});
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_EQ(again.out, "");
  EXPECT_NE(again.err.find("all frames up to 6 are there already"), std::string::npos);
}

TEST_F(RunTest, FramesBeyondTheScenesAreMade) {
  ASSERT_EQ(run({"--frames", "0:8"}).exit_code, 0);
  EXPECT_EQ(lines_of(read("box.cache/stats.jsonl")).size(), 9u);
}

TEST_F(RunTest, FramesThatCannotBeMadeAreRefused) {
  const auto middle = run({"--frames", "2:4"});
  EXPECT_EQ(middle.exit_code, 2);
  EXPECT_NE(middle.err.find("--frames: cannot begin at frame 2; write 0:4"), std::string::npos)
      << middle.err;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "box.cache"));
  ASSERT_EQ(run({"--frames", "0:2"}).exit_code, 0);
  const auto gap = run({"--frames", "5:6", "--resume"});
  EXPECT_EQ(gap.exit_code, 2);
  EXPECT_NE(gap.err.find("the next frame is 3: write 3:6, or 0:6"), std::string::npos) << gap.err;
  for (const char* bad : {"", "3", "a:b", "0:", ":3", "4:2", "-1:3", "0:3x", "0:99999999999"}) {
    const auto result = run({"--frames=" + std::string(bad)});
    EXPECT_EQ(result.exit_code, 2) << bad;
  }
}

TEST_F(RunTest, ACacheIsNotWrittenOver) {
  ASSERT_EQ(run({"--frames", "0:1"}).exit_code, 0);
  const auto again = run({"--frames", "0:1"});
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_NE(again.err.find("continue it with --resume, or name another folder with --out"),
            std::string::npos)
      << again.err;
  const auto other_scene = run({"--resume", "--set", "time.fps=25"});
  EXPECT_EQ(other_scene.exit_code, 2);
  EXPECT_NE(other_scene.err.find("time.fps is 25, and was 10"), std::string::npos)
      << other_scene.err;
}

TEST_F(RunTest, AnInterruptEndsAfterTheStepAndCanBeResumed) {
  ASSERT_EQ(run({"--out", "whole"}).exit_code, 0);
  for (const int signal : {SIGINT, SIGTERM}) {
    const std::string cache = "cut" + std::to_string(signal);
    const Process process(folder_.path(), {"run", "box.toml", "--out", cache}, "0.1");
    wait_for_frames(cache, 2);
    process.send(signal);
    EXPECT_EQ(process.wait(), 130);
    const std::string said = read("err");
    EXPECT_NE(said.find("continue with: spindrift run box.toml --out " + cache + " --resume"),
              std::string::npos)
        << said;
    EXPECT_LT(lines_of(read(cache + "/stats.jsonl")).size(), 7u);
    ASSERT_EQ(run({"--out", cache, "--resume"}).exit_code, 0);
    EXPECT_EQ(contents_of(cache), contents_of("whole"));
  }
}

TEST_F(RunTest, ASecondInterruptEndsAtOnce) {
  const Process process(folder_.path(), {"run", "box.toml"}, "600");
  wait_for_frames("box.cache", 1);
  process.send(SIGINT);
  ::usleep(100'000);
  process.send(SIGINT);
  EXPECT_EQ(process.wait(), 130);
}

TEST_F(RunTest, AKillAtAnyTimeCanBeResumed) {
  ASSERT_EQ(run({"--out", "whole"}).exit_code, 0);
  test::Random random(7);
  for (int i = 0; i < 12; ++i) {
    const std::string cache = "killed" + std::to_string(i);
    const Process process(folder_.path(), {"run", "box.toml", "--out", cache}, "0.002");
    ::usleep(static_cast<useconds_t>(random.between(0, 120'000)));
    process.send(SIGKILL);
    (void)process.wait();
    const auto resumed = run({"--out", cache, "--resume"});
    ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
    EXPECT_EQ(contents_of(cache), contents_of("whole")) << "kill " << i << " of seed 7";
  }
}

TEST_F(RunTest, ANumericalFailureNamesTheFrameAndTheCheckpoint) {
  const auto failed = run({}, "FAKE_FAIL_FRAME=3");
  EXPECT_EQ(failed.exit_code, 3);
  EXPECT_NE(failed.err.find("frame 3: the pressure did not converge; lower time.cfl; the "
                            "checkpoint of frame 2 is in box.cache/checkpoint: continue with "
                            "spindrift run box.toml --out box.cache --resume"),
            std::string::npos)
      << failed.err;
  EXPECT_NE(read("box.cache/log.txt").find("did not converge"), std::string::npos);
  ASSERT_EQ(run({"--resume"}).exit_code, 0);
  const auto not_a_number = run({"--out", "nan"}, "FAKE_NAN_FRAME=2");
  EXPECT_EQ(not_a_number.exit_code, 3);
  EXPECT_NE(not_a_number.err.find("frame 2: volume, energy or speed is not a number"),
            std::string::npos)
      << not_a_number.err;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "nan/frames/000002"));
}

TEST_F(RunTest, AFullDiskIsASystemFailureThatCanBeResumed) {
  // Files of at most 4 KB: stats.jsonl outgrows that, as it would a disk.
  const auto full = run({"--frames", "0:20"}, "trap '' XFSZ; ulimit -f 8;");
  EXPECT_EQ(full.exit_code, 4);
  EXPECT_NE(full.err.find("cannot be written"), std::string::npos) << full.err;
  EXPECT_NE(full.err.find("--resume"), std::string::npos) << full.err;
  ASSERT_EQ(run({"--resume", "--frames", "0:20"}).exit_code, 0);
  ASSERT_EQ(run({"--out", "whole", "--frames", "0:20"}).exit_code, 0);
  EXPECT_EQ(contents_of("box.cache"), contents_of("whole"));
}

TEST_F(RunTest, AReadOnlyFolderIsASystemFailure) {
  // Root may write anywhere: then as another user.
  const std::string other_user =
      ::geteuid() == 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups" : "";
  std::filesystem::create_directory(folder_ / "locked");
  std::filesystem::permissions(folder_ / "locked", std::filesystem::perms(0555));
  std::filesystem::permissions(folder_.path(), std::filesystem::perms(0755));
  const auto probe = other({"--version"}, other_user);
  if (probe.exit_code != 0) GTEST_SKIP() << "no other user to run as: " << probe.err;
  for (const char* place : {"locked", "locked/new"}) {
    const auto result = run({"--out", place}, other_user);
    EXPECT_EQ(result.exit_code, 4) << result.err;
    EXPECT_NE(result.err.find("Permission denied; choose a place that you may write to"),
              std::string::npos)
        << result.err;
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_ / "locked"));
}

TEST_F(RunTest, AFolderDeletedUnderARunIsSaid) {
  const Process process(folder_.path(), {"run", "box.toml", "--frames", "0:100"}, "0.05");
  wait_for_frames("box.cache", 2);
  // The run may be making a file just then.
  std::error_code failure;
  do {
    std::filesystem::remove_all(folder_ / "box.cache", failure);
  } while (failure);
  EXPECT_EQ(process.wait(), 4);
  const std::string said = read("err");
  EXPECT_NE(said.find("box.cache: was deleted or moved while a run was writing to it; nothing is "
                      "left to continue"),
            std::string::npos)
      << said;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "box.cache"));
}

TEST_F(RunTest, TwoRunsIntoOneFolder) {
  // It is still at work, however slow the machine.
  const Process process(folder_.path(), {"run", "box.toml"}, "600");
  wait_for_frames("box.cache", 1);
  for (const std::vector<std::string>& more : {std::vector<std::string>{}, {"--resume"}}) {
    const auto second = run(more);
    EXPECT_EQ(second.exit_code, 2);
    EXPECT_NE(second.err.find("another run is writing to it"), std::string::npos) << second.err;
  }
  process.send(SIGKILL);
  EXPECT_EQ(process.wait(), 128 + SIGKILL);
}

TEST_F(RunTest, MeshAndLevelSetAreWrittenWhereTheSceneAsks) {
  const auto result = run({"--frames", "0:1", "--set", "output.mesh=true"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(std::filesystem::exists(folder_ / "box.cache/frames/000001/mesh.vtu"));
  const Json manifest = Json::parse(read("box.cache/manifest.json"));
  EXPECT_EQ(manifest["frames"][1]["files"]["mesh.vtu"]["tets"], 1);
  EXPECT_EQ(manifest["frames"][1]["files"]["mesh.vtu"]["vertices"], 4);
  const auto levelset = run({"--out", "vdb", "--frames", "0:1", "--set", "output.levelset=true",
                             "--set", "output.surface=false"});
#ifdef SPINDRIFT_OPENVDB
  EXPECT_EQ(levelset.exit_code, 0) << levelset.err;
  EXPECT_TRUE(std::filesystem::exists(folder_ / "vdb/frames/000001/surface.vdb"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "vdb/frames/000001/surface.ply"));
  EXPECT_EQ(other({"check", "vdb"}).exit_code, 0);
#else
  EXPECT_EQ(levelset.exit_code, 2) << levelset.err;
  EXPECT_NE(levelset.err.find("built without OpenVDB"), std::string::npos) << levelset.err;
#endif
}

TEST_F(RunTest, ExportsWhatTheCacheHolds) {
  ASSERT_EQ(run({"--frames", "0:3", "--set", "output.mesh=true"}).exit_code, 0);
  const auto made = [&](const std::string& format, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"export", "box.cache", "--to", format, "-o", format, "--json"});
    const auto result = other(more);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return Json::parse(result.out)["files"].get<std::vector<std::string>>();
  };
  EXPECT_EQ(made("ply", {"--frames", "1:2"}),
            (std::vector<std::string>{"ply/box.000001.ply", "ply/box.000002.ply"}));
  EXPECT_EQ(read("ply/box.000002.ply"), read("box.cache/frames/000002/surface.ply"));
  EXPECT_EQ(made("vtu").back(), "vtu/box.pvd");
  EXPECT_EQ(read("vtu/box.000003.vtu"), read("box.cache/frames/000003/mesh.vtu"));
  EXPECT_NE(read("vtu/box.pvd").find("timestep=\"0.2\" part=\"0\" file=\"box.000002.vtu\""),
            std::string::npos);
  EXPECT_EQ(made("obj").size(), 4u);
  EXPECT_EQ(read("obj/box.000000.obj").find("# made by Spindrift\nv 0 0 0\n#vel 0.3"), 0u);
  EXPECT_EQ(made("usda"), std::vector<std::string>{"usda/box.usda"});
}

TEST_F(RunTest, ExportSaysWhatIsMissing) {
  ASSERT_EQ(run({"--frames", "0:3"}).exit_code, 0);
  const auto problem = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"export", "box.cache", "-o", "out", "--to"});
    const auto result = other(more);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "out"));
    return result.err;
  };
  EXPECT_NE(problem({"vtu"}).find("frame 0 has no mesh; run the scene with output.mesh = true"),
            std::string::npos)
      << problem({"vtu"});
  EXPECT_NE(problem({"vdb"}).find("run the scene with output.levelset = true"), std::string::npos);
  EXPECT_NE(problem({"ply", "--frames", "2:4"}).find("has no frame 4; choose one from 0 to 3"),
            std::string::npos);
  EXPECT_NE(problem({"abc"}).find("abc"), std::string::npos);
}

TEST_F(RunTest, ABranchWithoutChangesGoesOnTheSame) {
  ASSERT_EQ(run({}).exit_code, 0);
  const auto result = other({"run", "--branch", "box.cache:3", "--out", "new"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(lines_of(result.out).size(), 3u) << result.out;
  auto old_files = contents_of("box.cache");
  auto new_files = contents_of("new");
  old_files.erase("manifest.json");
  new_files.erase("manifest.json");
  EXPECT_EQ(new_files, old_files);
  EXPECT_EQ(other({"check", "new"}).exit_code, 0);
  EXPECT_EQ(Json::parse(other({"info", "new", "--json"}).out)["branch_of"], "box.cache:3");
}

TEST_F(RunTest, ABranchTakesChangesAndCanBeResumed) {
  ASSERT_EQ(run({}).exit_code, 0);
  const std::vector<std::string> branch = {"run",   "box.toml", "--branch", "box.cache:3",
                                           "--out", "new",      "--set",    "liquid.density=900"};
  const auto failed = other(branch, "FAKE_FAIL_FRAME=5");
  EXPECT_EQ(failed.exit_code, 3);
  EXPECT_NE(failed.err.find("continue with spindrift run new/scene.toml --out new --resume"),
            std::string::npos)
      << failed.err;
  const auto resumed = other({"run", "new/scene.toml", "--out", "new", "--resume"});
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_EQ(read("new/frames/000006/surface.ply"), read("box.cache/frames/000006/surface.ply"));
  EXPECT_NE(read("new/scene.toml").find("density = 900"), std::string::npos);
}

TEST_F(RunTest, ABranchThatCannotBeIsRefused) {
  ASSERT_EQ(run({"--frames", "0:20"}).exit_code, 0);
  const auto problem = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"run", "--out", "new"});
    const auto result = other(words);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "new"));
    return result.err;
  };
  EXPECT_NE(problem({"--branch", "box.cache:7"})
                .find("the checkpoint of frame 7 is not kept; branch at one of 0, 4, 8"),
            std::string::npos);
  EXPECT_NE(problem({"--branch", "box.cache"}).find("e.g. dam_break.cache:24"), std::string::npos);
  EXPECT_NE(problem({"--branch", "nowhere:3"}).find("there is no such folder"), std::string::npos);
  EXPECT_NE(problem({"--branch", "box.cache:8", "--set", "resolution.cells=9"})
                .find("a branch cannot change this: resolution.cells is 9, and was 8"),
            std::string::npos);
  EXPECT_NE(problem({"--branch", "box.cache:8", "--resume"}).find("--resume"), std::string::npos);
  EXPECT_NE(problem({}).find("SCENE"), std::string::npos);
}

TEST_F(RunTest, InfoAndCheckReadTheCache) {
  ASSERT_EQ(run({"--frames", "0:3"}).exit_code, 0);
  const auto words = other({"info", "box.cache"});
  EXPECT_EQ(words.exit_code, 0) << words.err;
  EXPECT_NE(words.out.find("frames    4 of 4, 10 a second"), std::string::npos) << words.out;
  const auto info = other({"info", "box.cache", "--json"});
  const Json json = Json::parse(info.out);
  EXPECT_EQ(json["frames_done"], 4);
  EXPECT_EQ(json["complete"], true);
  EXPECT_EQ(json["last"]["frame"], 3);
  // All cubes, so that the mean is any of them.
  const auto size = [&](const char* name) {
    return std::filesystem::file_size(folder_ / "box.cache" / name);
  };
  EXPECT_EQ(json["frame_bytes"], (Json{{"surface.ply", size("frames/000003/surface.ply")}}));
  EXPECT_NEAR(json["checkpoint_bytes"].get<double>(),
              static_cast<double>(size("checkpoint/000003.bin")), 20);
  EXPECT_NE(words.out.find(" a frame: surface.ply"), std::string::npos) << words.out;
  const auto good = other({"check", "box.cache"});
  EXPECT_EQ(good.exit_code, 0) << good.out;
  EXPECT_NE(good.out.find("verdict   whole: 11 files read"), std::string::npos) << good.out;
  EXPECT_NE(words.out.find("kept      checkpoints of frames 0, 1, 2, 3"), std::string::npos)
      << words.out;
  EXPECT_EQ(good.out.find("note"), std::string::npos) << good.out;
  std::filesystem::rename(folder_ / "box.cache/checkpoint", folder_ / "elsewhere");
  const auto stuck = other({"check", "box.cache"});
  EXPECT_EQ(stuck.exit_code, 0) << stuck.out;
  EXPECT_NE(stuck.out.find("no whole checkpoint is left"), std::string::npos) << stuck.out;
  std::filesystem::rename(folder_ / "elsewhere", folder_ / "box.cache/checkpoint");
  std::filesystem::remove(folder_ / "box.cache/frames/000002/surface.ply");
  const auto bad = other({"check", "box.cache", "--json"});
  EXPECT_EQ(bad.exit_code, 2);
  EXPECT_EQ(Json::parse(bad.out)["ok"], false);
  EXPECT_EQ(Json::parse(bad.out)["problems"].size(), 1u);
  for (const char* command : {"info", "check"}) {
    const auto none = other({command, "."});
    EXPECT_EQ(none.exit_code, 2);
    EXPECT_NE(none.err.find("is not a cache"), std::string::npos) << none.err;
  }
}

TEST_F(RunTest, RenderDrawsFramesAndSheets) {
  ASSERT_EQ(run({"--frames", "0:3"}).exit_code, 0);
  const auto draw = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"render", "box.cache", "-o", "a.png"});
    return other(more);
  };
  ASSERT_EQ(draw({"--size", "64x36"}).exit_code, 0);
  const Image last = read_png(folder_ / "a.png");
  EXPECT_EQ(last.width, 64);
  ASSERT_EQ(draw({"--size", "64x36", "--frame", "3"}).exit_code, 0);
  EXPECT_EQ(read_png(folder_ / "a.png").bytes, last.bytes);
  ASSERT_EQ(draw({"--size", "64x36", "--frame", "1"}).exit_code, 0);
  EXPECT_NE(read_png(folder_ / "a.png").bytes, last.bytes);
  // Four tiles of the size above: the last is frame 3.
  ASSERT_EQ(draw({"--size", "129x72", "--sheet", "2x2"}).exit_code, 0);
  const Image sheet = read_png(folder_ / "a.png");
  EXPECT_EQ(sheet.width, 129);
  EXPECT_EQ(sheet.height, 72);
  for (int y = 0; y < 36; ++y) {
    for (int x = 0; x < 64; ++x) {
      ASSERT_EQ(sheet.pixel(64 + x, 36 + y), last.pixel(x, y)) << x << " " << y;
    }
  }
  EXPECT_EQ(draw({"--frame", "9"}).exit_code, 2);
  EXPECT_NE(draw({"--frame", "9"}).err.find("choose one from 0 to 3"), std::string::npos);
  EXPECT_EQ(draw({"--sheet", "2by2"}).exit_code, 2);
  EXPECT_EQ(draw({"--sheet", "2x2", "--frame", "1"}).exit_code, 2);
  const auto scene = other({"render", "box.toml", "-o", "a.png", "--frame", "1"});
  EXPECT_EQ(scene.exit_code, 2);
  EXPECT_NE(scene.err.find("only a cache has frames"), std::string::npos) << scene.err;
}

// What is in the folder beside the cache.
std::size_t files_beside_cache(const std::filesystem::path& folder) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().filename() != "box.cache") ++count;
  }
  return count;
}

TEST_F(RunTest, RenderWritesMoviesWholeOrNotAtAll) {
  ASSERT_EQ(run({"--frames", "0:3"}).exit_code, 0);
  const std::size_t before = files_beside_cache(folder_.path());
  const auto movie = [&](std::vector<std::string> more, const std::string& first = {}) {
    more.insert(more.begin(), {"render", "box.cache", "-o", "a.mp4"});
    return other(more, first);
  };
  const auto missing = movie({"--size", "64x36"}, "PATH=/nonexistent");
  EXPECT_EQ(missing.exit_code, 4);
  EXPECT_NE(missing.err.find("ffmpeg"), std::string::npos) << missing.err;
  EXPECT_NE(missing.err.find("install it"), std::string::npos) << missing.err;
  EXPECT_EQ(movie({"--size", "63x36"}).exit_code, 2);
  EXPECT_EQ(movie({"--frame", "1"}).exit_code, 2);
  EXPECT_EQ(movie({"--frames", "2:9"}).exit_code, 2);
  EXPECT_EQ(other({"render", "box.cache", "-o", "a.png", "--frames", "0:1"}).exit_code, 2);
  EXPECT_EQ(other({"render", "box.toml", "-o", "a.mp4"}).exit_code, 2);
  EXPECT_EQ(files_beside_cache(folder_.path()), before);
  if (std::system("ffprobe -version >/dev/null 2>&1") != 0) {
    GTEST_SKIP() << "ffmpeg is not installed";
  }
  const auto failing = movie({"--size", "64x36"}, "trap '' XFSZ; ulimit -f 1;");
  EXPECT_EQ(failing.exit_code, 4) << failing.err;
  // In the middle of a movie that would take minutes; in the foreground, or it sends two signals.
  const auto stopped = movie({"--size", "3840x2160", "--quality", "final"},
                             "timeout --foreground --preserve-status -s INT 1");
  EXPECT_EQ(stopped.exit_code, 130) << stopped.err;
  EXPECT_EQ(files_beside_cache(folder_.path()), before) << "nothing is left of failures";
  const auto counted = [&] {
    return test::run_program(
               "ffprobe", folder_.path(),
               {"-v", "error", "-count_frames", "-show_entries",
                "stream=nb_read_frames,width,r_frame_rate", "-of", "csv=p=0", "a.mp4"})
        .out;
  };
  ASSERT_EQ(movie({"--size", "64x36"}).exit_code, 0);
  EXPECT_EQ(counted(), "64,10/1,4\n");
  ASSERT_EQ(movie({"--size", "64x36", "--frames", "1:2"}).exit_code, 0);
  EXPECT_EQ(counted(), "64,10/1,2\n");
}

}  // namespace
}  // namespace spindrift
