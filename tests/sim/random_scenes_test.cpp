// Whatever a scene holds: the liquid stays finite, closed and where it may be. scripts/validate
// runs many more of these.
#include <gtest/gtest.h>

#include "support/random_runs.hpp"

namespace spindrift {
namespace {

TEST(RandomScenes, RunWithoutTrouble) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const std::string toml = test::random_scene(seed, {.least_cells = 8, .most_cells = 12});
    EXPECT_EQ(test::run_scene(toml, 0.17).trouble, "") << "seed " << seed << "\n" << toml;
  }
}

TEST(RandomScenes, AreTheSameForTheSameSeed) {
  EXPECT_EQ(test::random_scene(7), test::random_scene(7));
  EXPECT_NE(test::random_scene(7), test::random_scene(8));
}

}  // namespace
}  // namespace spindrift
