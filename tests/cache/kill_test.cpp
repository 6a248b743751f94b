// A kill at any instant leaves a cache that can be continued, to the same files.
#include <fstream>

#include <gtest/gtest.h>

#include "spindrift/cache/cache_reader.hpp"

#include "cache/file_system_double.hpp"
#include "cache/small_cache.hpp"
#include "support/temporary_folder.hpp"

namespace spindrift {
namespace {

constexpr int kLast = 3;

class KillTest : public testing::Test {
 protected:
  KillTest() {
    CacheWriter cache = CacheWriter::create(folder_ / "whole", scene_, test::params_to(kLast));
    test::LogisticMap().fill(cache, kLast);
    whole_ = test::contents_of(folder_ / "whole");
  }
  ~KillTest() override { test::g_file_system.reset(); }

  // Calls work(cache folder) and keeps what is in the folder around every change, which is what a
  // kill would leave.
  template <class Work>
  std::vector<std::filesystem::path> states_of(const std::string& name, const Work& work) {
    const std::filesystem::path cache = folder_ / name;
    std::vector<std::filesystem::path> states;
    std::map<std::string, std::string> before = {{"none", ""}};
    test::g_file_system.look = [&] {
      if (!std::filesystem::exists(cache)) return;
      std::map<std::string, std::string> now = test::contents_of(cache);
      if (now == before) return;
      states.push_back(folder_ / (name + "-" + std::to_string(states.size())));
      std::filesystem::copy(cache, states.back(), std::filesystem::copy_options::recursive);
      before = std::move(now);
    };
    work(cache);
    test::g_file_system.reset();
    return states;
  }

  void continue_run(const std::filesystem::path& cache) const {
    CacheWriter writer = CacheWriter::resume(cache, scene_, test::params_to(kLast));
    test::LogisticMap().fill(writer, kLast);
  }

  // What a reader sees in the folder of a killed run is whole.
  static void expect_readable(const std::filesystem::path& cache) {
    if (!std::filesystem::exists(cache / "scene.toml")) return;
    const CacheReader reader(cache);
    for (int frame = 0; frame < reader.frame_count(); ++frame) {
      EXPECT_EQ(reader.surface(frame).mesh.triangle_count(), 12);
    }
    EXPECT_EQ(std::ssize(reader.stats()), reader.frame_count());
  }

  test::TemporaryFolder folder_;
  Scene scene_ = test::small_scene();
  std::map<std::string, std::string> whole_;
};

TEST_F(KillTest, EveryInstantOfARunCanBeContinued) {
  const auto states = states_of("run", [&](const std::filesystem::path& cache) {
    CacheWriter writer = CacheWriter::create(cache, scene_, test::params_to(kLast));
    test::LogisticMap().fill(writer, kLast);
  });
  // Each frame: folder, surface and its rename, two growing files, manifest, checkpoint.
  ASSERT_GT(states.size(), 8u * kLast);
  for (const auto& state : states) {
    SCOPED_TRACE(state.filename());
    expect_readable(state);
    continue_run(state);
    EXPECT_EQ(test::contents_of(state), whole_);
  }
}

TEST_F(KillTest, HalfWrittenLinesAreCutOff) {
  const auto states = states_of("run", [&](const std::filesystem::path& cache) {
    CacheWriter writer = CacheWriter::create(cache, scene_, test::params_to(kLast));
    test::LogisticMap().fill(writer, kLast);
  });
  for (const auto& state : states) {
    SCOPED_TRACE(state.filename());
    for (const char* name : {"stats.jsonl", "probes/gauge.csv", "probes/flow.csv"}) {
      if (std::filesystem::exists(state / name)) {
        std::ofstream(state / name, std::ios::app) << "{\"frame\":0,\n1,2";
      }
    }
    continue_run(state);
    EXPECT_EQ(test::contents_of(state), whole_);
  }
}

TEST_F(KillTest, EveryInstantOfAContinuedRunCanBeContinued) {
  const auto first = states_of("run", [&](const std::filesystem::path& cache) {
    CacheWriter writer = CacheWriter::create(cache, scene_, test::params_to(kLast));
    test::LogisticMap().fill(writer, kLast);
  });
  // Every fifth, or the test would take minutes.
  for (std::size_t i = 0; i < first.size(); i += 5) {
    const auto second = states_of(first[i].filename().string(),
                                  [&](const std::filesystem::path& cache) { continue_run(cache); });
    for (const auto& state : second) {
      SCOPED_TRACE(state.filename());
      expect_readable(state);
      continue_run(state);
      EXPECT_EQ(test::contents_of(state), whole_);
    }
  }
}

}  // namespace
}  // namespace spindrift
