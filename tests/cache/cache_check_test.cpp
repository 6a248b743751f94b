#include "spindrift/cache/cache_check.hpp"

#include <gtest/gtest.h>

#include "cache/small_cache.hpp"
#include "support/temporary_folder.hpp"

namespace spindrift {
namespace {

class CacheCheckTest : public testing::Test {
 protected:
  CacheCheckTest() {
    CacheWriter writer =
        CacheWriter::create(folder_ / "c", test::small_scene(), test::params_to(2));
    test::LogisticMap().fill(writer, 2);
  }

  // The only problem, without the folder in front of it.
  std::string problem() {
    const CacheReport report = check_cache(CacheReader(folder_ / "c"));
    if (report.problems.empty()) return "none";
    EXPECT_EQ(report.problems.size(), 1u) << report.problems[1];
    return report.problems[0].substr((folder_ / "c/").string().size());
  }

  test::TemporaryFolder folder_;
};

TEST_F(CacheCheckTest, AWholeCacheIsWhole) {
  const CacheReport report = check_cache(CacheReader(folder_ / "c"));
  EXPECT_EQ(report.problems, std::vector<std::string>());
  EXPECT_EQ(report.files, 1 + 3 + 1 + 2 + 3);  // scene, surfaces, stats, probes, checkpoints
  EXPECT_EQ(report.checkpoints, (std::vector<int>{0, 1, 2}));
}

TEST_F(CacheCheckTest, AMissingSurface) {
  std::filesystem::remove(folder_ / "c/frames/000001/surface.ply");
  EXPECT_EQ(problem().find("frames/000001/surface.ply: frame 1: cannot be opened: No such file"),
            0u)
      << problem();
}

TEST_F(CacheCheckTest, ASurfaceThatIsCutOff) {
  const auto path = folder_ / "c/frames/000001/surface.ply";
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 1);
  EXPECT_EQ(problem().find("frames/000001/surface.ply: frame 1: has "), 0u) << problem();
}

TEST_F(CacheCheckTest, ASurfaceOfTheSameLengthWithOtherContents) {
  const auto path = folder_ / "c/frames/000001/surface.ply";
  std::string bytes(read_file(path).view());
  bytes.replace(bytes.find("vertex 8"), 8, "vertex 7");
  write_file(path, bytes);
  EXPECT_EQ(problem().find("frames/000001/surface.ply"), 0u) << problem();
}

TEST_F(CacheCheckTest, StatsThatLackAFrameOrAreOfAnother) {
  const std::string good(read_file(folder_ / "c/stats.jsonl").view());
  write_file(folder_ / "c/stats.jsonl", good.substr(0, good.size() - 1));
  EXPECT_EQ(problem().find("stats.jsonl: has 2 of 3 frames"), 0u) << problem();
  std::string other = good;
  other.replace(other.find("\"frame\":1"), 9, "\"frame\":7");
  write_file(folder_ / "c/stats.jsonl", other);
  EXPECT_EQ(problem().find("stats.jsonl:2: is not a JSON object of frame 1"), 0u) << problem();
}

TEST_F(CacheCheckTest, AProbeWithoutItsHeader) {
  write_file(folder_ / "c/probes/flow.csv", "time,height\n");
  EXPECT_EQ(problem().find("probes/flow.csv:1: does not begin with time,vx,vy,vz;"), 0u)
      << problem();
}

TEST_F(CacheCheckTest, ADamagedCheckpoint) {
  std::string bytes(read_file(folder_ / "c/checkpoint/000002.bin").view());
  bytes.back() ^= 1;
  write_file(folder_ / "c/checkpoint/000002.bin", bytes);
  EXPECT_EQ(problem().find("checkpoint/000002.bin: byte "), 0u) << problem();
}

TEST_F(CacheCheckTest, EveryFileIsComparedToTheBit) {
  // Every file but the log, and a bit in every part of each.
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_ / "c")) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  ASSERT_EQ(files.size(), 1u + 1 + 3 + 1 + 2 + 3);
  for (const auto& file : files) {
    const std::string good(read_file(file).view());
    for (std::size_t at = 0; at < good.size(); at += 1 + good.size() / 50) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ 4);
      write_file(file, bad);
      std::size_t problems = 0;
      try {
        problems = check_cache(CacheReader(folder_ / "c")).problems.size();
      } catch (const InputError&) {
        problems = 1;
      }
      EXPECT_GT(problems, 0u) << file << " byte " << at;
    }
    write_file(file, good);
  }
  EXPECT_EQ(problem(), "none");
}

TEST_F(CacheCheckTest, AFrameThatIsMissing) {
  std::filesystem::remove_all(folder_ / "c/frames/000001");
  EXPECT_EQ(problem().find("frames/000001/surface.ply: frame 1: cannot be opened: No such file"),
            0u)
      << problem();
}

TEST_F(CacheCheckTest, EveryKindOfFileIsNamedByItsFrame) {
  CacheFrame frame = {.surface = CachedSurface{test::cube({0, 0, 0}, {1, 1, 1}),
                                               std::vector<Vec3>(8, Vec3::Zero())},
                      .stats = "{\"frame\":0}"};
  frame.mesh.emplace();
  frame.mesh->mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  frame.mesh->mesh.tets = {{0, 1, 2, 3}};
  frame.mesh->pressure = {1000.0};
  frame.mesh->liquid = {1};
  frame.mesh->velocity = {Vec3(1, 2, 3)};
  std::vector<std::string> names = {"surface.ply", "mesh.vtu"};
  if (has_vdb()) {
    frame.levelset.emplace();
    frame.levelset->lattice = {Vec3::Zero(), 0.125};
    names.emplace_back("surface.vdb");
  }
  const auto cache = folder_ / "kinds";
  {
    CacheWriter writer = CacheWriter::create(cache, test::small_scene(), test::params_to(0));
    writer.write_frame(frame);
    StateWriter state;
    writer.write_checkpoint(state);
  }
  EXPECT_EQ(check_cache(CacheReader(cache)).problems, std::vector<std::string>());
  for (const std::string& name : names) {
    const auto path = cache / "frames/000000" / name;
    const std::string good(read_file(path).view());
    std::string bad = good;
    bad[bad.size() / 2] ^= 1;
    write_file(path, bad);
    const std::vector<std::string> problems = check_cache(CacheReader(cache)).problems;
    ASSERT_EQ(problems.size(), 1u) << name;
    EXPECT_EQ(problems[0].find(path.string() + ": frame 0: "), 0u) << problems[0];
    write_file(path, good);
  }
}

TEST_F(CacheCheckTest, LinesAreNamedByTheirFrame) {
  const std::filesystem::path path = folder_ / "c/probes/gauge.csv";
  std::string bytes(read_file(path).view());
  const std::size_t at = bytes.find("\n2,");  // frame 2 begins at 2 s
  ASSERT_NE(at, std::string::npos);
  bytes[at + 3] ^= 1;
  write_file(path, bytes);
  EXPECT_NE(problem().find("frame 2: its lines are damaged"), std::string::npos) << problem();
}

}  // namespace
}  // namespace spindrift
