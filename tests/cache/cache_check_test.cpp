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
  EXPECT_EQ(report.files, 3 + 1 + 2 + 1);  // surfaces, stats, probes, checkpoint
  EXPECT_EQ(report.checkpoint_frame, 2);
}

TEST_F(CacheCheckTest, AMissingSurface) {
  std::filesystem::remove(folder_ / "c/frames/000001/surface.ply");
  EXPECT_EQ(problem().find("frames/000001/surface.ply: cannot be opened: No such file"), 0u)
      << problem();
}

TEST_F(CacheCheckTest, ASurfaceThatIsCutOff) {
  const auto path = folder_ / "c/frames/000001/surface.ply";
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 1);
  EXPECT_EQ(problem().find("frames/000001/surface.ply: has "), 0u) << problem();
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
  std::string bytes(read_file(folder_ / "c/checkpoint/state.bin").view());
  bytes.back() ^= 1;
  write_file(folder_ / "c/checkpoint/state.bin", bytes);
  EXPECT_EQ(problem().find("checkpoint/state.bin: byte "), 0u) << problem();
}

}  // namespace
}  // namespace spindrift
