#include "spindrift/cache/scene_difference.hpp"

#include <gtest/gtest.h>

#include "spindrift/scene/read.hpp"
#include "spindrift/scene/write.hpp"

namespace spindrift {
namespace {

const std::string kBase =
    "format = 1\nname = \"a\"\n[domain]\nmin = [0, 0, 0]\nmax = [2, 1, 1]\n[resolution]\n"
    "cells = 64\n";
const std::string kSphere =
    "[[obstacle]]\nshape = { sphere = { center = [1, 0.5, 0], radius = 0.2 } }\n";

std::string difference(const std::string& before, const std::string& after) {
  return scene_difference(write_scene(parse_scene(before, "before")),
                          write_scene(parse_scene(after, "after")));
}

TEST(SceneDifference, NamesTheKey) {
  EXPECT_EQ(difference(kBase, kBase), "");
  EXPECT_EQ(difference(kBase, kBase + "surface = 3\n"), "resolution.surface is 3, and was 2");
  EXPECT_EQ(
      difference(kBase, kBase + "[time]\nfps = 25\nframes = 7\nmax_step = 0.5\n")
          .find("time.fps is 25, and was 24; time.frames is 7, and was 120; time.max_step is 0.5"),
      0u);
  EXPECT_EQ(difference(kBase, kBase + kSphere), "obstacle.0.shape is new");
  EXPECT_EQ(difference(kBase + kSphere + kSphere, kBase + kSphere), "obstacle.1.shape is gone");
}

TEST(SceneDifference, LongValuesAreShortened) {
  const auto moved = [](double x) {
    return kBase +
           "[[obstacle]]\nshape = { box = { min = [0.123456789, 0.123456789, 0.123456789]"
           ", max = [1.5, 0.5, " +
           std::to_string(x) + "] } }\n";
  };
  EXPECT_EQ(difference(moved(0.25), moved(0.5)), "obstacle.0.shape has changed");
}

}  // namespace
}  // namespace spindrift
