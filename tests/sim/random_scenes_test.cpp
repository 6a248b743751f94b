// Whatever a scene holds: the liquid stays finite, closed and where it may be. scripts/validate
// runs many more of these.
#include <gtest/gtest.h>

#include "support/random_runs.hpp"

namespace spindrift {
namespace {

TEST(RandomScenes, RunWithoutTrouble) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const std::string toml = test::random_scene(seed, {.least_cells = 8, .most_cells = 12});
    const test::RandomRun run = test::run_scene(toml, 0.17);
    EXPECT_EQ(run.trouble, "") << "seed " << seed << "\n" << toml;
    if (run.has_control) {
      EXPECT_LT(run.last_drift, 0.05) << "seed " << seed << "\n" << toml;
    }
  }
}

TEST(RandomScenes, AreTheSameForTheSameSeed) {
  EXPECT_EQ(test::random_scene(7), test::random_scene(7));
  EXPECT_NE(test::random_scene(7), test::random_scene(8));
}

}  // namespace
}  // namespace spindrift
