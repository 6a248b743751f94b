// Liquids that go on in a changed scene, and what files hold of their inside.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "support/scene_run.hpp"

namespace spindrift {
namespace {

using test::SceneRun;

std::string dam(const std::string& more = {}) {
  return "format = 1\n[time]\nfps = 60\nframes = 10\n"
         "[domain]\nmin = [0, 0, 0]\nmax = [1, 0.5, 0.5]\n[resolution]\ncells = 16\n"
         "[[liquid.body]]\nshape = { box = { min = [0, 0, 0], max = [0.4, 0.5, 0.3] } }\n" +
         more;
}

void advance(Liquid& liquid, int frames) {
  for (int frame = 0; frame < frames; ++frame) (void)liquid.advance_frame();
}

TEST(LiquidBranch, WithoutChangesGoesOnWithTheSameBits) {
  SceneRun before(dam());
  advance(before.liquid, 3);
  // What nothing of the liquid touches may change, and probes as well.
  SceneRun branch(
      dam("[[probe]]\nname = \"gauge\"\nat = [0.2, 0.25]\n[[obstacle]]\n"
          "shape = { sphere = { center = [0.9, 0.25, 0.4], radius = 0.05 } }\n"));
  branch.liquid.branch_from(before.liquid);
  EXPECT_EQ(branch.liquid.time(), before.liquid.time());
  EXPECT_EQ(branch.liquid.surface().velocities, before.liquid.surface().velocities);
  for (int frame = 0; frame < 2; ++frame) {
    const FrameReport a = before.liquid.advance_frame();
    const FrameReport b = branch.liquid.advance_frame();
    EXPECT_EQ(a.frame, b.frame);
    EXPECT_EQ(a.volume, b.volume);
    EXPECT_EQ(a.energy, b.energy);
    EXPECT_FALSE(b.probes[0].empty());
  }
  EXPECT_EQ(before.liquid.surface().mesh.vertices, branch.liquid.surface().mesh.vertices);
}

// Faces that a ceiling has let go are where the next step begins.
TEST(LiquidBranch, LiquidThatLeavesACeilingGoesOnWithTheSameBits) {
  const std::string hanging =
      "format = 1\n[time]\nfps = 60\nframes = 10\n"
      "[domain]\nmin = [0, 0, 0]\nmax = [1, 0.5, 0.5]\n[resolution]\ncells = 16\n"
      "[[liquid.body]]\nshape = { box = { min = [0, 0, 0.2], max = [0.4, 0.5, 0.5] } }\n";
  SceneRun before(hanging);
  ASSERT_FALSE(before.liquid.mesh().released.empty());
  SceneRun branch(hanging);
  branch.liquid.branch_from(before.liquid);
  EXPECT_EQ(branch.liquid.mesh().released, before.liquid.mesh().released);
  advance(before.liquid, 2);
  advance(branch.liquid, 2);
  EXPECT_EQ(before.liquid.surface().mesh.vertices, branch.liquid.surface().mesh.vertices);
  EXPECT_EQ(before.liquid.surface().velocities, branch.liquid.surface().velocities);
}

// What the branch begins with was projected in another scene: doing that again would differ.
TEST(LiquidBranch, ItsFirstCheckpointGoesOnWithTheSameBits) {
  const std::string other = dam("[liquid]\ndensity = 500\ngravity = [2, 0, -5]\n");
  SceneRun before(dam());
  advance(before.liquid, 3);
  SceneRun branch(other);
  branch.liquid.branch_from(before.liquid);
  StateWriter writer;
  branch.liquid.save(writer);
  SceneRun restored(other);
  restored.liquid.restore(StateReader(writer.finish()));
  for (int frame = 0; frame < 3; ++frame) {
    EXPECT_TRUE(std::ranges::equal(branch.liquid.cell_velocity(), restored.liquid.cell_velocity()));
    EXPECT_EQ(branch.liquid.inside().pressure, restored.liquid.inside().pressure);
    advance(branch.liquid, 1);
    advance(restored.liquid, 1);
  }
  EXPECT_EQ(branch.liquid.surface().velocities, restored.liquid.surface().velocities);
}

TEST(LiquidBranch, ANewObstacleDisplacesLiquidAndIsNoDrift) {
  SceneRun before(dam());
  advance(before.liquid, 3);
  const FrameReport old = before.liquid.report();
  SceneRun branch(
      dam("[[obstacle]]\nshape = { sphere = { center = [0.2, 0.25, 0.12], radius = 0.08 } }\n"));
  branch.liquid.branch_from(before.liquid);
  const FrameReport start = branch.liquid.report();
  EXPECT_EQ(start.frame, 3);
  const double ball = 4.0 / 3 * 3.14159265 * 0.08 * 0.08 * 0.08;
  EXPECT_NEAR(old.volume - start.volume, ball, 0.1 * ball);
  EXPECT_NEAR(start.volume_drift, old.volume_drift, 1e-3);
  // The velocity is carried over: most of the energy is still there, and flows around the ball.
  EXPECT_NEAR(start.ledger.kinetic / old.ledger.kinetic, 1, 0.3);
  for (int frame = 0; frame < 4; ++frame) {
    const FrameReport report = branch.liquid.advance_frame();
    EXPECT_LT(std::abs(report.volume_drift), 0.01);
    EXPECT_LT(report.max_speed, 5);
  }
  for (const Vec3& v : branch.liquid.surface().mesh.vertices) {
    EXPECT_GT((v - Vec3(0.2, 0.25, 0.12)).norm(), 0.08 - 1.0 / 64);
  }
}

TEST(LiquidBranch, OtherGravityActsFromThereOn) {
  const std::string drop =
      "format = 1\n[time]\nfps = 100\nframes = 10\nmax_step = 0.01\n[domain]\nmin = [0, 0, 0]\n"
      "max = [1, 1, 1]\n[resolution]\ncells = 24\n[[liquid.body]]\n"
      "shape = { sphere = { center = [0.5, 0.5, 0.5], radius = 0.15 } }\n";
  SceneRun before(drop + "[liquid]\ngravity = [0, 0, 0]\n");
  advance(before.liquid, 2);
  SceneRun branch(drop + "[liquid]\ngravity = [4, 0, 0]\n");
  branch.liquid.branch_from(before.liquid);
  advance(branch.liquid, 10);
  const MassProperties mass = mass_properties(branch.liquid.surface().mesh);
  // Kicks of leapfrog: the first half of one was the old gravity's.
  EXPECT_NEAR(mass.center.x() - 0.5, 0.5 * 4 * 0.1 * 0.1, 0.5 * 4 * 0.1 * 0.01 + 1e-3);
}

TEST(LiquidOutput, TheInsideIsThatOfTheReport) {
  SceneRun run(dam());
  const FrameReport report = run.liquid.advance_frame();
  const CachedMesh inside = run.liquid.inside();
  ASSERT_EQ(inside.mesh.tet_count(), report.tets);
  ASSERT_EQ(std::ssize(inside.pressure), report.tets);
  ASSERT_EQ(std::ssize(inside.velocity), report.tets);
  ASSERT_EQ(std::ssize(inside.liquid), report.tets);
  double kinetic = 0, deepest = 0;
  for (std::int64_t t = 0; t < report.tets; ++t) {
    const auto i = static_cast<std::size_t>(t);
    kinetic += 500 * inside.liquid[i] * inside.mesh.volume(t) * inside.velocity[i].squaredNorm();
    deepest = std::max(deepest, inside.pressure[i]);
  }
  EXPECT_NEAR(kinetic, report.ledger.kinetic, 1e-9 * kinetic);
  EXPECT_GT(deepest, 0.5 * 1000 * 9.81 * 0.3);
  EXPECT_LT(deepest, 1.5 * 1000 * 9.81 * 0.3);
}

TEST(LiquidOutput, TheVelocityGridIsThatOfTheLiquid) {
  // In free fall all of it moves as one.
  SceneRun run(
      "format = 1\n[time]\nfps = 100\nmax_step = 0.01\n[domain]\nmin = [0, 0, 0]\nmax = [1, 1, 1]\n"
      "[resolution]\ncells = 24\n[[liquid.body]]\n"
      "shape = { sphere = { center = [0.5, 0.5, 0.5], radius = 0.15 } }\nvelocity = [1, 2, 0]\n");
  (void)run.liquid.advance_frame();
  const CachedLevelSet levelset = run.liquid.level_set();
  EXPECT_DOUBLE_EQ(levelset.lattice.spacing, 1.0 / 48);
  const VelocitySamples& velocity = levelset.velocity;
  EXPECT_DOUBLE_EQ(velocity.lattice.spacing, 1.0 / 24);
  int known = 0, inside = 0;
  const Vec3 center = Vec3(0.5, 0.5, 0.5) + 0.01 * Vec3(1, 2, 0);
  for (std::int64_t block = 0; block < velocity.blocks.size(); ++block) {
    for (int node = 0; node < kBlockNodes; ++node) {
      const Vec3i place = velocity.blocks.first_node(block) + node_offset(node);
      const double distance = (velocity.lattice.position(place) - center).norm();
      const bool is_known = has_node(velocity.known[static_cast<std::size_t>(block)], node);
      if (distance < 0.14) {
        EXPECT_TRUE(is_known);
        ++inside;
      }
      if (!is_known) continue;
      ++known;
      const Vec3f& v = velocity.values[static_cast<std::size_t>(block * kBlockNodes + node)];
      EXPECT_LT((v - Vec3f(1, 2, -0.0981f)).norm(), 2e-3) << place.transpose();
    }
  }
  EXPECT_GT(inside, 100);
  EXPECT_LT(known, 8 * inside);
}

}  // namespace
}  // namespace spindrift
