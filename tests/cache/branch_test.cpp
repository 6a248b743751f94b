#include "spindrift/cache/branch.hpp"

#include <gtest/gtest.h>

#include "spindrift/cache/cache_check.hpp"
#include "spindrift/cache/cache_writer.hpp"

#include "cache/small_cache.hpp"
#include "support/temporary_folder.hpp"

namespace spindrift {
namespace {

class BranchTest : public testing::Test {
 protected:
  BranchTest() {
    CacheWriter writer = CacheWriter::create(folder_ / "old", scene_, test::params_to(20));
    test::LogisticMap().fill(writer, 20);
  }

  // A branch that goes on to frame 20.
  void make_branch(const std::string& name, const Scene& scene, int frame) {
    const Branch from(folder_ / "old", frame);
    CacheWriter writer = CacheWriter::branch(folder_ / name, scene, test::params_to(20), from);
    EXPECT_EQ(writer.next_frame(), frame + 1);
    test::LogisticMap map;
    map.restore(from.checkpoint().state());
    StateWriter state;
    map.save(state);
    writer.write_checkpoint(state);
    map.fill(writer, 20);
  }

  template <class Task>
  std::string error_of(const Task& task) {
    try {
      task();
      return "none";
    } catch (const InputError& error) {
      return error.problem() + "; " + error.advice();
    }
  }

  test::TemporaryFolder folder_;
  Scene scene_ = test::small_scene();
};

TEST_F(BranchTest, WithoutChangesIsTheSameCache) {
  make_branch("new", scene_, 16);
  auto old_files = test::contents_of(folder_ / "old");
  auto new_files = test::contents_of(folder_ / "new");
  EXPECT_EQ(new_files["manifest.json"].find("\"branch_of\": \"" + (folder_ / "old:16").string()) !=
                std::string::npos,
            true)
      << new_files["manifest.json"];
  for (auto* files : {&old_files, &new_files}) {
    std::erase_if(*files, [](const auto& file) {
      return file.first == "manifest.json" || file.first.starts_with("checkpoint/");
    });
  }
  EXPECT_EQ(new_files, old_files);
  EXPECT_EQ(check_cache(CacheReader(folder_ / "new")).problems, std::vector<std::string>());
}

TEST_F(BranchTest, KeepsWhatTheNewSceneStillHas) {
  const Scene changed = parse_scene(
      "format = 1\nname = \"other\"\n[domain]\nmin = [0, 0, 0]\nmax = [2, 1, 1]\n[resolution]\n"
      "cells = 8\n[[probe]]\nname = \"new\"\nat = [1, 0.5]\n[[probe]]\nname = \"flow\"\n"
      "kind = \"velocity\"\nat = [1, 0.5, 0.5]\n[liquid]\ndensity = 800\n",
      "other.toml");
  make_branch("new", changed, 8);
  const CacheReader reader(folder_ / "new");
  EXPECT_EQ(reader.scene(), changed);
  EXPECT_EQ(reader.frame_count(), 21);
  EXPECT_EQ(check_cache(reader).problems, std::vector<std::string>());
  EXPECT_EQ(reader.surface(5).mesh.vertices, CacheReader(folder_ / "old").surface(5).mesh.vertices);
  EXPECT_EQ(std::filesystem::exists(folder_ / "new/probes/gauge.csv"), false);
  const std::string flow(read_file(folder_ / "new/probes/flow.csv").view());
  EXPECT_EQ(flow, read_file(folder_ / "old/probes/flow.csv").view());
  const std::string fresh(read_file(folder_ / "new/probes/new.csv").view());
  EXPECT_EQ(fresh.find("time,height\n9,"), 0u) << fresh;
}

TEST_F(BranchTest, CanBeResumedOnceItHasBegun) {
  {
    const Branch from(folder_ / "old", 16);
    const CacheWriter writer =
        CacheWriter::branch(folder_ / "new", scene_, test::params_to(20), from);
  }
  EXPECT_EQ(
      error_of([&] { (void)CacheWriter::resume(folder_ / "new", scene_, test::params_to(20)); }),
      "the branch of " + (folder_ / "old:16").string() +
          " was never begun; delete the folder, and run with --branch once more");
  make_branch("other", scene_, 16);
  for (int frame = 17; frame <= 20; ++frame) {
    std::filesystem::remove(CacheLayout{folder_ / "other"}.checkpoint(frame));
  }
  const auto before = test::contents_of(folder_ / "other");
  CacheWriter writer = CacheWriter::resume(folder_ / "other", scene_, test::params_to(20));
  EXPECT_EQ(writer.next_frame(), 17);
  test::LogisticMap().fill(writer, 20);
  EXPECT_EQ(test::contents_of(folder_ / "other").at("frames/000020/surface.ply"),
            before.at("frames/000020/surface.ply"));
}

TEST_F(BranchTest, SaysWhereABranchCanBegin) {
  EXPECT_EQ(error_of([&] { (void)Branch(folder_ / "old", 7); }),
            "the checkpoint of frame 7 is not kept; branch at one of 0, 4, 8, 12, 16, 17, 18, 19, "
            "20; or run the scene again up to that frame, which keeps its checkpoint");
  EXPECT_EQ(error_of([&] { (void)Branch(folder_ / "old", 21); }),
            "has no frame 21; choose one from 0 to 20");
}

TEST_F(BranchTest, SaysWhatItCannotChange) {
  const Branch from(folder_ / "old", 16);
  const Scene changed = parse_scene(
      "format = 1\nname = \"small\"\n[time]\nfps = 25\n[domain]\nmin = [0, 0, 0]\nmax = [2, 1, 2]\n"
      "[resolution]\ncells = 16\n",
      "other.toml");
  const std::string error = error_of([&] { from.expect_continues_as(changed); });
  for (const char* part : {"time.fps is 25, and was 24", "domain.max is", "resolution.cells is 16",
                           "run the scene from its start"}) {
    EXPECT_NE(error.find(part), std::string::npos) << error;
  }
}

TEST_F(BranchTest, ACheckpointUnderAnothersNameIsRefused) {
  const CacheLayout old{folder_ / "old"};
  std::filesystem::copy_file(old.checkpoint(20), old.checkpoint(16),
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_EQ(error_of([&] { (void)Branch(folder_ / "old", 16); }),
            "is of frame 20, not of that which it is named by; run the scene from its start");
}

TEST_F(BranchTest, ACheckpointOfASceneWithOtherProbesIsRefused) {
  const Scene other = parse_scene(
      "format = 1\nname = \"small\"\n[domain]\nmin = [0, 0, 0]\nmax = [2, 1, 1]\n[resolution]\n"
      "cells = 8\n",
      "other.toml");
  CacheWriter writer = CacheWriter::create(folder_ / "other", other, test::params_to(0));
  writer.write_frame({.number = 0, .stats = "{\"frame\":0}"});
  StateWriter state;
  writer.write_checkpoint(state);
  std::filesystem::copy_file(folder_ / "other/checkpoint/000000.bin",
                             folder_ / "old/checkpoint/000000.bin",
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_EQ(error_of([&] { (void)Branch(folder_ / "old", 0); }),
            "is the checkpoint of another scene; branch at another frame");
}

}  // namespace
}  // namespace spindrift
