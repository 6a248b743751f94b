// A disk that fails at any write, sync, rename or new folder: said, and continued once it works.
#include <cerrno>

#include <gtest/gtest.h>

#include "cache/file_system_double.hpp"
#include "cache/small_cache.hpp"
#include "support/temporary_folder.hpp"

namespace spindrift {
namespace {

constexpr int kLast = 2;

TEST(DiskFailure, SlowAtAnyInstantIsSaidAndCanBeContinued) {
  const test::TemporaryFolder folder;
  const Scene scene = test::small_scene();
  const auto run = [&](const std::filesystem::path& cache) {
    CacheWriter writer = CacheWriter::resume(cache, scene, test::params_to(kLast));
    test::LogisticMap().fill(writer, kLast);
  };
  run(folder / "whole");
  const auto whole = test::contents_of(folder / "whole");
  for (const int error_number : {ENOSPC, EROFS, EIO}) {
    int failures = 0;
    for (int instant = 0;; ++instant) {
      SCOPED_TRACE(fmt::format("errno {}, change {}", error_number, instant));
      const auto cache = folder / fmt::format("{}-{}", error_number, instant);
      int changes = 0;
      // A full disk stays full.
      test::g_file_system.failure = [&] { return changes++ >= instant ? error_number : 0; };
      bool has_failed = false;
      try {
        run(cache);
      } catch (const SystemError& error) {
        has_failed = true;
        EXPECT_EQ(error.kind(), ErrorKind::system);
        EXPECT_EQ(error.location().file.find(folder.path().string()), 0u) << error.what();
        if (error_number == ENOSPC) {
          EXPECT_NE(error.advice().find("free some space"), std::string::npos) << error.what();
        }
      }
      test::g_file_system.reset();
      if (!has_failed) break;  // the run was over before
      ++failures;
      run(cache);
      EXPECT_EQ(test::contents_of(cache), whole);
    }
    EXPECT_GT(failures, 40);
  }
}

}  // namespace
}  // namespace spindrift
