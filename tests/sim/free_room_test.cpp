#include "spindrift/sim/free_room.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "spindrift/sim/scene_solids.hpp"

#include "support/scene_run.hpp"

namespace spindrift {
namespace {

using test::SceneRun;

std::string box_scene(const std::string& more) {
  return "format = 1\n[domain]\nmin = [0, 0, 0]\nmax = [1, 0.8, 0.6]\n[resolution]\ncells = 20\n"
         "[[liquid.body]]\nshape = { box = { min = [0, 0, 0], max = [1, 0.8, 0.3] } }\n" +
         more;
}

double room_left(const std::string& more, double volume, double time) {
  const SceneRun run(box_scene(more));
  const Solids solids = scene_solids(run.scene, run.shapes);
  return FreeRoom(solids, 0.05).left(volume, time);
}

TEST(FreeRoom, IsWhatSolidsAndLiquidLeave) {
  EXPECT_NEAR(room_left("", 0.24, 0), 0.98 * 0.48 - 0.24, 1e-12);
  const double ball = 4.0 / 3 * std::numbers::pi * std::pow(0.2, 3);
  const std::string obstacle =
      "[[obstacle]]\nshape = { sphere = { center = [0.5, 0.4, 0.3], radius = 0.2 } }\n";
  EXPECT_NEAR(room_left(obstacle, 0.24, 0), 0.98 * (0.48 - ball) - 0.24, 0.02 * ball);
  EXPECT_EQ(room_left(obstacle, 0.47, 0), 0);
}

TEST(FreeRoom, LacksWhatLiquidIsTooMuch) {
  const SceneRun run(box_scene(""));
  const Solids solids = scene_solids(run.scene, run.shapes);
  const FreeRoom room(solids, 0.05);
  EXPECT_EQ(room.lacking(0.47, 0), 0);
  EXPECT_NEAR(room.lacking(0.48, 0), 0.02 * 0.48, 1e-12);
}

TEST(FreeRoom, FollowsSolidsThatMove) {
  const std::string obstacle =
      "[[obstacle]]\nshape = { box = { min = [-0.4, 0, 0], max = [0, 0.8, 0.6] } }\n"
      "motion = { keyframes = [ { t = 0, translate = [0, 0, 0] }, { t = 1, translate = [0.4, 0, 0] "
      "} ] }\n";
  EXPECT_NEAR(room_left(obstacle, 0.12, 0), 0.98 * 0.48 - 0.12, 1e-9);
  EXPECT_NEAR(room_left(obstacle, 0.12, 1), 0.98 * 0.6 * 0.48 - 0.12, 1e-9);
}

TEST(FreeRoom, HasNoEndBeyondAnOpenSide) {
  const SceneRun run(
      "format = 1\n[domain]\nmin = [0, 0, 0]\nmax = [1, 1, 1]\nsides = { z_max = \"open\" }\n"
      "[resolution]\ncells = 10\n");
  const Solids solids = scene_solids(run.scene, run.shapes);
  EXPECT_TRUE(std::isinf(FreeRoom(solids, 0.1).left(0.99, 0)));
}

// A tap in a closed box: it is full after 0.4 s, and nothing more comes out.
TEST(FreeRoom, SlowASourceStopsWhereThereIsNoRoom) {
  SceneRun run(
      "format = 1\n[time]\nfps = 24\n[domain]\nmin = [0, 0, 0]\nmax = [0.4, 0.4, 0.4]\n"
      "[resolution]\ncells = 12\n"
      "[[liquid.body]]\nshape = { box = { min = [0, 0, 0], max = [0.4, 0.4, 0.25] } }\n"
      "[[source]]\nshape = { box = { min = [0.1, 0.1, 0.3], max = [0.3, 0.3, 0.4] } }\n"
      "velocity = [0, 0, -1.5]\n");
  for (int frame = 1; frame <= 36; ++frame) {
    const FrameReport report = run.liquid.advance_frame();
    EXPECT_LT(report.max_speed, 12) << frame;
    EXPECT_LT(report.ledger.book.expected(), 0.064) << frame;
  }
  EXPECT_GT(run.liquid.report().volume, 0.95 * 0.064);
}

}  // namespace
}  // namespace spindrift
