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
  scene_ = test::small_scene("[time]\nfps = 25\n");
  EXPECT_EQ(error_of([&] { (void)resume(1); }),
            "is the cache of another scene: time.fps is 25, and was 24; continue with the same "
            "scene and --set, or name another folder with --out");
  EXPECT_EQ(test::contents_of(cache_), before);
}

TEST_F(CacheWriterTest, TheCheckpointOfAnotherCacheIsRefused) {
  make_frames(1);
  const std::filesystem::path mine = cache_;
  cache_ = folder_ / "other";
  scene_ = test::small_scene("[time]\nfps = 25\n");
  make_frames(1);
  std::filesystem::copy_file(mine / "checkpoint/state.bin", cache_ / "checkpoint/state.bin",
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_EQ(error_of([&] { (void)resume(1); }).find("is the checkpoint of another scene"), 0u);
}

TEST_F(CacheWriterTest, DamageIsRefusedAndNothingIsLost) {
  make_frames(2);
  const auto before = test::contents_of(cache_);
  std::string state = before.at("checkpoint/state.bin");
  state[state.size() / 2] ^= 1;
  write_file(cache_ / "checkpoint/state.bin", state);
  EXPECT_NE(error_of([&] { (void)resume(2); }).find("is damaged"), std::string::npos);
  write_file(cache_ / "checkpoint/state.bin", before.at("checkpoint/state.bin"));
  EXPECT_EQ(test::contents_of(cache_), before);
  write_file(cache_ / "stats.jsonl", "{}\n");
  EXPECT_NE(error_of([&] { (void)resume(2); }).find("ends here"), std::string::npos);
}

TEST_F(CacheWriterTest, FramesWithoutACheckpointAreKept) {
  make_frames(2);
  std::filesystem::remove(cache_ / "checkpoint/state.bin");
  const auto before = test::contents_of(cache_);
  EXPECT_EQ(error_of([&] { (void)resume(2); }),
            "is missing: there is nothing to continue from; run the scene from its start, with "
            "another --out");
  EXPECT_EQ(test::contents_of(cache_), before);
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
    const TriangleMesh none;
    writer.write_frame({.number = 0, .surface = &none, .stats = "{}"});
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
