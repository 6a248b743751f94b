#include "spindrift/cache/cache_writer.hpp"

#include <gtest/gtest.h>

#include "spindrift/cache/cache_reader.hpp"
#include "spindrift/scene/write.hpp"

#include "cache/small_cache.hpp"
#include "support/temporary_folder.hpp"

namespace spindrift {
namespace {

template <class Task>
std::string error_of(const Task& task) {
  try {
    task();
    return "none";
  } catch (const InputError& error) {
    return error.problem() + "; " + error.advice();
  }
}

class CacheWriterTest : public testing::Test {
 protected:
  CacheWriter create(int last) {
    return CacheWriter::create(cache_, scene_, test::params_to(last));
  }
  CacheWriter resume(int last) {
    return CacheWriter::resume(cache_, scene_, test::params_to(last));
  }
  void make_frames(int last) {
    CacheWriter writer = create(last);
    test::LogisticMap().fill(writer, last);
  }

  test::TemporaryFolder folder_;
  std::filesystem::path cache_ = folder_ / "deep/in/a.cache";
  Scene scene_ = test::small_scene();
};

TEST_F(CacheWriterTest, HoldsWhatWasWritten) {
  make_frames(2);
  const CacheReader reader(cache_);
  EXPECT_EQ(reader.frame_count(), 3);
  EXPECT_EQ(reader.manifest().frames_asked, 3);
  EXPECT_EQ(reader.manifest().scene, "small");
  EXPECT_EQ(reader.manifest().fps, 24);
  EXPECT_EQ(reader.scene(), scene_);
  EXPECT_EQ(reader.frame(2).time, 2 / 24.0);
  const CachedSurface surface = reader.surface(0);
  EXPECT_EQ(surface.mesh.triangles, test::cube().triangles);
  EXPECT_EQ(surface.mesh.vertices[1], Vec3(0.3f, 0, 0));
  EXPECT_EQ(surface.velocities[7], Vec3(0.3f, 0, 0));
  EXPECT_EQ(reader.stats()[0], "{\"frame\":0,\"x\":0.3}");
  EXPECT_EQ(read_file(cache_ / "scene.toml").view(), write_scene(scene_));
  const std::string gauge(read_file(cache_ / "probes/gauge.csv").view());
  EXPECT_EQ(gauge.find("time,height\n1,0.81"), 0u) << gauge;
  EXPECT_EQ(std::count(gauge.begin(), gauge.end(), '\n'), 7);
}

TEST_F(CacheWriterTest, ContinuesToTheSameFiles) {
  make_frames(6);
  const auto whole = test::contents_of(cache_);
  for (int first = 0; first < 6; ++first) {
    cache_ = folder_ / std::to_string(first);
    make_frames(first);
    CacheWriter writer = resume(6);
    EXPECT_EQ(writer.next_frame(), first + 1);
    test::LogisticMap().fill(writer, 6);
    EXPECT_EQ(test::contents_of(cache_), whole);
  }
}

TEST_F(CacheWriterTest, DoesNotWriteOverWhatIsThere) {
  make_frames(1);
  EXPECT_EQ(error_of([&] { (void)create(1); }),
            "holds a cache already; continue it with --resume, or name another folder with --out");
  cache_ = folder_.path();
  EXPECT_EQ(error_of([&] { (void)create(1); }),
            "is neither empty nor a cache: it holds deep; name another folder with --out");
  EXPECT_EQ(error_of([&] { (void)resume(1); }),
            "is neither empty nor a cache: it holds deep; name another folder with --out");
  cache_ = folder_.write("file", "x");
  EXPECT_EQ(error_of([&] { (void)create(1); }), "is not a folder; choose another name");
  cache_ = folder_ / "empty";
  std::filesystem::create_directory(cache_);
  EXPECT_EQ(create(1).next_frame(), 0);
}

TEST_F(CacheWriterTest, ACacheThatIsNotThereIsBegun) {
  CacheWriter writer = resume(1);
  EXPECT_EQ(writer.next_frame(), 0);
  EXPECT_FALSE(writer.take_checkpoint());
  test::LogisticMap().fill(writer, 1);
  EXPECT_EQ(CacheReader(cache_).frame_count(), 2);
}

TEST_F(CacheWriterTest, AnotherSceneIsRefusedByTheKey) {
  make_frames(1);
  const auto before = test::contents_of(cache_);
  scene_ = test::small_scene("[time]\nfps = 25\nmax_step = 0.01\n");
  EXPECT_EQ(error_of([&] { (void)resume(1); }),
            "is the cache of another scene: time.fps is 25, and was 24; time.max_step is 0.01, and "
            "was 0.041666666666666664; continue with the same scene and --set, or name another "
            "folder with --out");
  EXPECT_EQ(test::contents_of(cache_), before);
}

TEST_F(CacheWriterTest, TheCheckpointOfAnotherCacheIsRefused) {
  make_frames(1);
  const std::filesystem::path mine = cache_;
  cache_ = folder_ / "other";
  scene_ = test::small_scene("[time]\nfps = 25\n");
  make_frames(1);
  std::filesystem::copy_file(mine / "checkpoint/000001.bin", cache_ / "checkpoint/000001.bin",
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_EQ(error_of([&] { (void)resume(1); }).find("is the checkpoint of another scene"), 0u);
}

TEST_F(CacheWriterTest, ADamagedCheckpointCostsAFrame) {
  make_frames(3);
  const auto whole = test::contents_of(cache_);
  for (const char* name : {"checkpoint/000003.bin", "checkpoint/000002.bin"}) {
    std::string state = whole.at(name);
    state[state.size() / 2] ^= 1;
    write_file(cache_ / name, state);
  }
  {
    CacheWriter writer = resume(3);
    EXPECT_EQ(writer.next_frame(), 2);
    test::LogisticMap().fill(writer, 3);
  }
  EXPECT_EQ(test::contents_of(cache_), whole);
}

TEST_F(CacheWriterTest, DamageOfAllIsRefusedAndNothingIsLost) {
  make_frames(2);
  const auto before = test::contents_of(cache_);
  for (int frame = 0; frame < 3; ++frame) {
    const std::string name = fmt::format("checkpoint/{:06}.bin", frame);
    std::string state = before.at(name);
    state[state.size() / 2] ^= 1;
    write_file(cache_ / name, state);
  }
  EXPECT_NE(error_of([&] { (void)resume(2); }).find("is damaged"), std::string::npos);
  for (int frame = 0; frame < 3; ++frame) {
    const std::string name = fmt::format("checkpoint/{:06}.bin", frame);
    write_file(cache_ / name, before.at(name));
  }
  EXPECT_EQ(test::contents_of(cache_), before);
  write_file(cache_ / "stats.jsonl", "{}\n");
  EXPECT_NE(error_of([&] { (void)resume(2); }).find("ends here"), std::string::npos);
}

TEST_F(CacheWriterTest, CheckpointsOfAnotherVersionAreCalledThatAndKept) {
  make_frames(2);
  for (int frame = 0; frame < 3; ++frame) {
    const std::filesystem::path path = CacheLayout{cache_}.checkpoint(frame);
    std::string state(read_file(path).view());
    state[12] = 0;  // as all files had it before contents were counted
    write_file(path, state);
  }
  const auto before = test::contents_of(cache_);
  EXPECT_EQ(error_of([&] { (void)resume(2); }),
            fmt::format("was made by another version of Spindrift: it has format {0}.0, this one "
                        "reads {0}.{1}; continue with the Spindrift that made it, or run the scene "
                        "from its start with another --out",
                        kStateFormat, kStateContents));
  EXPECT_EQ(test::contents_of(cache_), before);
}

TEST_F(CacheWriterTest, ACheckpointUnderAnothersNameIsPassedOver) {
  make_frames(3);
  const auto whole = test::contents_of(cache_);
  write_file(CacheLayout{cache_}.checkpoint(3), whole.at("checkpoint/000001.bin"));
  {
    CacheWriter writer = resume(3);
    EXPECT_EQ(writer.next_frame(), 3);
    test::LogisticMap().fill(writer, 3);
  }
  EXPECT_EQ(test::contents_of(cache_), whole);
}

TEST_F(CacheWriterTest, FramesWithoutACheckpointAreKept) {
  make_frames(2);
  for (int frame = 0; frame < 3; ++frame) {
    std::filesystem::remove(CacheLayout{cache_}.checkpoint(frame));
  }
  const auto before = test::contents_of(cache_);
  EXPECT_EQ(error_of([&] { (void)resume(2); }),
            "no checkpoint is left: there is nothing to continue from; run the scene from its "
            "start, with another --out");
  EXPECT_EQ(test::contents_of(cache_), before);
}

TEST_F(CacheWriterTest, FewCheckpointsAreKept) {
  make_frames(40);
  EXPECT_EQ(checkpoint_frames({cache_}), (std::vector<int>{0, 8, 16, 24, 32, 37, 38, 39, 40}));
}

TEST(Checkpoints, OneThatWasLetGoIsNeverWantedAgain) {
  std::vector<bool> is_kept;
  for (int last = 0; last < 3000; ++last) {
    is_kept.push_back(true);
    int count = 0;
    for (int frame = 0; frame <= last; ++frame) {
      const bool is_wanted = keeps_checkpoint(frame, last);
      ASSERT_TRUE(is_kept[static_cast<std::size_t>(frame)] || !is_wanted) << frame << " " << last;
      is_kept[static_cast<std::size_t>(frame)] = is_wanted;
      count += is_wanted ? 1 : 0;
    }
    ASSERT_LE(count, kRecentCheckpoints + kSpreadCheckpoints) << last;
    ASSERT_TRUE(is_kept[0]);
  }
}

TEST_F(CacheWriterTest, AFolderThatGoesAwayIsSaid) {
  for (const bool is_replaced : {false, true}) {
    cache_ = folder_ / (is_replaced ? "replaced" : "deleted");
    CacheWriter writer = create(5);
    test::LogisticMap().fill(writer, 1);
    std::filesystem::remove_all(cache_);
    if (is_replaced) std::filesystem::create_directory(cache_);
    try {
      writer.write_frame({.number = 2, .surface = CachedSurface{test::cube(), {}}, .stats = "{}"});
      FAIL() << "was written";
    } catch (const SystemError& error) {
      EXPECT_EQ(error.problem(),
                is_replaced ? "was replaced by another folder while a run was writing to it"
                            : "was deleted or moved while a run was writing to it");
    }
    EXPECT_EQ(std::filesystem::exists(cache_ / "manifest.json"), false);
    EXPECT_EQ(std::filesystem::exists(cache_ / "frames"), false);
  }
}

// As `rm -r` does it: one after the other, in any order.
TEST_F(CacheWriterTest, AFolderThatIsBeingDeletedIsNotFilledAgain) {
  for (const char* part : {"manifest.json", "scene.toml", "stats.jsonl", "frames", "checkpoint"}) {
    SCOPED_TRACE(part);
    cache_ = folder_ / (std::string("without-") + part);
    CacheWriter writer = create(2);
    test::LogisticMap().fill(writer, 1);
    std::filesystem::remove_all(cache_ / part);
    const auto left = test::contents_of(cache_);
    try {
      writer.write_frame({.number = 2, .surface = CachedSurface{test::cube(), {}}, .stats = "{}"});
      FAIL() << "was written";
    } catch (const SystemError& error) {
      EXPECT_EQ(error.location().file, cache_.string());
      EXPECT_EQ(error.problem(), "was deleted or moved while a run was writing to it");
    }
    EXPECT_EQ(test::contents_of(cache_), left);
  }
}

TEST_F(CacheWriterTest, OneRunAtATime) {
  {
    const CacheWriter first = create(1);
    EXPECT_EQ(error_of([&] { (void)resume(1); }),
              "another run is writing to it; wait for that one, or name another folder with --out");
  }
  EXPECT_EQ(resume(1).next_frame(), 0);
}

TEST_F(CacheWriterTest, FramesWithoutLiquidAndWithoutSurface) {
  {
    CacheWriter writer = create(1);
    writer.write_frame({.number = 0, .surface = CachedSurface{}, .stats = "{}"});
    writer.write_frame({.number = 1, .stats = "{}"});
  }
  const CacheReader reader(cache_);
  EXPECT_EQ(reader.surface(0).mesh.triangle_count(), 0);
  EXPECT_EQ(error_of([&] { (void)reader.surface(1); }),
            "frame 1 has no surface; run the scene with output.surface = true");
  EXPECT_EQ(error_of([&] { (void)reader.surface(2); }), "has no frame 2; choose one from 0 to 1");
}

}  // namespace
}  // namespace spindrift
