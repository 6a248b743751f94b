#include "spindrift/sim/liquid.hpp"

#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "spindrift/core/error.hpp"
#include "spindrift/core/parallel.hpp"
#include "spindrift/geometry/mesh_check.hpp"

#include "support/scene_run.hpp"

namespace spindrift {
namespace {

using test::SceneRun;

void expect_sound(const TriangleMesh& mesh) {
  const MeshReport report = check_mesh(mesh, {.find_self_intersections = false});
  EXPECT_TRUE(report.is_closed());
  EXPECT_TRUE(report.is_manifold());
}

// ---- Exact motions

// Steps of 1/120 s; a drop of ten voxels.
std::string drop_scene(const std::string& velocity) {
  return "format = 1\n[time]\nfps = 120\nframes = 30\nmax_step = 0.00834\n"
         "[domain]\nmin = [0, 0, 0]\nmax = [1, 0.5, 1]\n"
         "[resolution]\nsize = 0.02\n"
         "[[liquid.body]]\nshape = { sphere = { center = [0.253, 0.251, 0.752], radius = 0.1 } }\n"
         "velocity = " +
         velocity + "\n";
}

void expect_free_fall(const Vec3& velocity, const std::string& toml) {
  SceneRun run(toml);
  const MassProperties start = mass_properties(run.liquid.surface().mesh);
  FrameReport report;
  for (int frame = 0; frame < 30; ++frame) {
    report = run.liquid.advance_frame();
    EXPECT_EQ(report.steps, 1);
  }
  const LiquidSurface surface = run.liquid.surface();
  expect_sound(surface.mesh);
  const double t = run.liquid.time();
  EXPECT_DOUBLE_EQ(t, 0.25);
  const Vec3 fall = t * velocity + 0.5 * t * t * Vec3(0, 0, -9.81);
  const MassProperties end = mass_properties(surface.mesh);
  EXPECT_LT((end.center - start.center - fall).norm(), 1e-3 * 0.5 * 9.81 * t * t);
  EXPECT_NEAR(end.volume / start.volume, 1, 0.005);
  const Vec3 exact = Vec3(0.253, 0.251, 0.752) + fall;
  for (const Vec3& v : surface.mesh.vertices) EXPECT_NEAR((v - exact).norm(), 0.1, 0.005);
  for (const Vec3& u : surface.velocities) {
    EXPECT_LT((u - velocity - t * Vec3(0, 0, -9.81)).norm(), 1e-3 * 9.81 * t);
  }
}

TEST(Liquid, ADropFallsFreely) { expect_free_fall(Vec3::Zero(), drop_scene("[0, 0, 0]")); }

TEST(Liquid, SlowDropThrownSidewaysFliesAParabola) {
  expect_free_fall({1.5, 0.1, 0.4}, drop_scene("[1.5, 0.1, 0.4]"));
}

// What is written, not what the next step follows, which knows of the floor already.
TEST(Liquid, ADropOverAFloorIsWrittenWithTheVelocityThatItHas) {
  SceneRun run(
      "format = 1\n[time]\nfps = 60\n[domain]\nmin = [0, 0, 0]\nmax = [0.6, 0.6, 0.6]\n"
      "[resolution]\ncells = 24\n"
      "[[liquid.body]]\nshape = { sphere = { center = [0.3, 0.3, 0.2], radius = 0.12 } }\n"
      "velocity = [0, 0, -3]\n");
  for (int frame = 0; frame < 2; ++frame) {
    const LiquidSurface surface = run.liquid.surface();
    ASSERT_GT(surface.velocities.size(), 100U);
    const Vec3 expected(0, 0, -3 - 9.81 * frame / 60);
    for (const Vec3& velocity : surface.velocities) {
      ASSERT_LT((velocity - expected).norm(), 1e-6) << "frame " << frame;
    }
    (void)run.liquid.advance_frame();
  }
}

TEST(Liquid, IsWrittenAtRestWhereItStartsAtRest) {
  SceneRun run(
      "format = 1\n[domain]\nmin = [0, 0, 0]\nmax = [1, 0.5, 0.5]\n[resolution]\ncells = 24\n"
      "[[liquid.body]]\nshape = { box = { min = [0, 0, 0], max = [0.4, 0.5, 0.3] } }\n");
  for (const Vec3& velocity : run.liquid.surface().velocities) ASSERT_EQ(velocity, Vec3::Zero());
}

// Not on the lattice; an uneven floor, a ball in the water.
TEST(Liquid, SlowPoolAtRestStaysAtRest) {
  SceneRun run(
      "format = 1\n[time]\nfps = 60\nmax_step = 0.0167\n"
      "[domain]\nmin = [0, 0, 0]\nmax = [1, 0.6, 0.6]\n"
      "[resolution]\ncells = 24\n"
      "[[liquid.body]]\nshape = { box = { min = [0, 0, 0], max = [1, 0.6, 0.317] } }\n"
      "[[obstacle]]\nshape = { sphere = { center = [0.2, 0.3, -0.35], radius = 0.5 } }\n"
      "[[obstacle]]\nshape = { sphere = { center = [0.7, 0.31, 0.15], radius = 0.1 } }\n");
  FrameReport report;
  for (int frame = 0; frame < 240; ++frame) report = run.liquid.advance_frame();
  EXPECT_LT(report.max_speed, 1e-4);
  double moved = 0;
  const Box3 off_the_walls(Vec3(0.05, 0.05, 0.28), Vec3(0.95, 0.55, 0.6));
  for (const Vec3& v : run.liquid.surface().mesh.vertices) {
    if (off_the_walls.contains(v)) moved = std::max(moved, std::abs(v.z() - 0.317));
  }
  EXPECT_GT(moved, 0);
  EXPECT_LT(moved, 1e-3 / 24);
  EXPECT_LT(std::abs(report.volume_drift), 1e-5);
}

// Below the surface beside it the ball leans over the water, by a little: that is no film on it.
TEST(Liquid, SlowPoolAroundABallThatBreaksItsSurfaceStaysAtRest) {
  SceneRun run(
      "format = 1\n[time]\nfps = 60\nmax_step = 0.0167\n"
      "[domain]\nmin = [0, 0, 0]\nmax = [1, 0.6, 0.6]\n"
      "[resolution]\ncells = 24\n"
      "[[liquid.body]]\nshape = { box = { min = [0, 0, 0], max = [1, 0.6, 0.317] } }\n"
      "[[obstacle]]\nshape = { sphere = { center = [0.7, 0.31, 0.3], radius = 0.1 } }\n");
  FrameReport report;
  for (int frame = 0; frame < 40; ++frame) report = run.liquid.advance_frame();
  EXPECT_LT(report.max_speed, 1e-4);
}

// ---- Solids

std::string small_dam() {
  return "format = 1\n[time]\nfps = 24\n"
         "[domain]\nmin = [0, 0, 0]\nmax = [1, 0.5, 0.5]\nsides = { z_max = \"open\" }\n"
         "[resolution]\ncells = 24\n"
         "[[liquid.body]]\nshape = { box = { min = [0, 0, 0], max = [0.35, 0.5, 0.3] } }\n"
         "[[obstacle]]\nshape = { sphere = { center = [0.62, 0.25, 0], radius = 0.11 } }\n"
         "[[probe]]\nname = \"gauge\"\nkind = \"height\"\nat = [0.1, 0.25]\n";
}

TEST(Liquid, FallsOffACeiling) {
  SceneRun run(
      "format = 1\n[time]\nfps = 60\n[domain]\nmin = [0, 0, 0]\nmax = [0.4, 0.4, 0.8]\n"
      "[resolution]\nsize = 0.025\n"
      "[[liquid.body]]\nshape = { box = { min = [0.1, 0.1, 0.6], max = [0.3, 0.3, 0.8] } }\n");
  const double start = mass_properties(run.liquid.surface().mesh).center.z();
  for (int frame = 0; frame < 15; ++frame) run.liquid.advance_frame();
  const LiquidSurface surface = run.liquid.surface();
  const double t = run.liquid.time();
  EXPECT_NEAR(mass_properties(surface.mesh).center.z() - start, -0.5 * 9.81 * t * t,
              0.08 * 0.5 * 9.81 * t * t);
  for (const Vec3& v : surface.mesh.vertices) EXPECT_LT(v.z(), 0.8 - 0.1);
}

// The area of the surface that lies on the wall at x = 0.
double area_on_wall(const TriangleMesh& mesh) {
  double area = 0;
  for (const Triangle& t : mesh.triangles) {
    const auto corner = [&](std::size_t k) -> const Vec3& {
      return mesh.vertices[static_cast<std::size_t>(t[k])];
    };
    if (std::max({corner(0).x(), corner(1).x(), corner(2).x()}) > 1e-6) continue;
    area += 0.5 * (corner(1) - corner(0)).cross(corner(2) - corner(0)).norm();
  }
  return area;
}

// A film of three quarters of a cell between a pool and a wall: air has nothing to hold it open
// with, and the liquid must not gain energy from it.
TEST(Liquid, SlowPoolClosesAFilmOfAirOnAWall) {
  SceneRun run(
      "format = 1\n[time]\nfps = 60\n[domain]\nmin = [0, 0, 0]\nmax = [0.8, 0.4, 0.5]\n"
      "[resolution]\nsize = 0.03125\n"
      "[[liquid.body]]\nshape = { box = { min = [0.0234, -1, -1], max = [2, 2, 0.3] } }\n");
  const double start = run.liquid.report().energy;
  EXPECT_EQ(area_on_wall(run.liquid.surface().mesh), 0);
  for (int frame = 0; frame < 15; ++frame) {
    EXPECT_LT(run.liquid.advance_frame().energy, 1.01 * start) << frame;
  }
  EXPECT_GT(area_on_wall(run.liquid.surface().mesh), 0.9 * 0.4 * 0.3);
}

TEST(Liquid, SlowStaysInTheContainer) {
  SceneRun run(small_dam());
  const double voxel = 1.0 / 48;
  for (int frame = 0; frame < 20; ++frame) {
    const FrameReport report = run.liquid.advance_frame();
    // Coarse: its sheets are thinner than a cell.
    EXPECT_LT(std::abs(report.volume_drift), 0.08) << frame;
    double targets = 0;
    for (const BodyBook& body : report.ledger.bodies) {
      EXPECT_TRUE(body.volume != 0 || body.target != 0);
      targets += body.target;
    }
    EXPECT_NEAR(targets, report.ledger.book.expected(), 1e-12);
    const LiquidSurface surface = run.liquid.surface();
    expect_sound(surface.mesh);
    for (const Vec3& v : surface.mesh.vertices) {
      EXPECT_GT(v.minCoeff(), -0.5 * voxel);
      EXPECT_LT(v.x(), 1 + 0.5 * voxel);
      EXPECT_LT(v.y(), 0.5 + 0.5 * voxel);
      EXPECT_GT((v - Vec3(0.62, 0.25, 0)).norm(), 0.11 - 0.5 * voxel);
    }
  }
}

// ---- The same bits

void expect_same(const Liquid& a, const Liquid& b) {
  const LiquidSurface one = a.surface();
  const LiquidSurface other = b.surface();
  EXPECT_EQ(one.mesh.vertices, other.mesh.vertices);
  EXPECT_EQ(one.mesh.triangles, other.mesh.triangles);
  EXPECT_EQ(one.velocities, other.velocities);
}

void expect_same_flow(const Liquid& a, const Liquid& b) {
  const CachedMesh one = a.inside();
  const CachedMesh other = b.inside();
  EXPECT_EQ(one.mesh.tets, other.mesh.tets);
  EXPECT_EQ(one.pressure, other.pressure);
  EXPECT_EQ(one.velocity, other.velocity);
  EXPECT_TRUE(std::ranges::equal(a.cell_velocity(), b.cell_velocity()));
  EXPECT_EQ(a.mesh().cells.tags, b.mesh().cells.tags);
  EXPECT_EQ(a.mesh().released, b.mesh().released);
}

TEST(Liquid, SlowDoesNotDependOnTheNumberOfThreads) {
  SceneRun many(small_dam());
  for (int frame = 0; frame < 8; ++frame) many.liquid.advance_frame();
  const ThreadLimit one_thread(1);
  SceneRun single(small_dam());
  for (int frame = 0; frame < 8; ++frame) single.liquid.advance_frame();
  expect_same(many.liquid, single.liquid);
}

TEST(Liquid, GoesOnFromACheckpointWithTheSameBits) {
  SceneRun whole(small_dam());
  for (int frame = 0; frame < 5; ++frame) whole.liquid.advance_frame();
  StateWriter writer;
  whole.liquid.save(writer);
  const std::string bytes = writer.finish();
  SceneRun restored(small_dam());
  restored.liquid.restore(StateReader(bytes));
  expect_same(whole.liquid, restored.liquid);
  for (int frame = 0; frame < 4; ++frame) {
    const FrameReport a = whole.liquid.advance_frame();
    const FrameReport b = restored.liquid.advance_frame();
    EXPECT_EQ(a.volume, b.volume);
    EXPECT_EQ(a.energy, b.energy);
    EXPECT_EQ(a.frame, b.frame);
    ASSERT_EQ(a.probes.size(), 1U);
    ASSERT_EQ(a.probes[0].size(), b.probes[0].size());
    EXPECT_EQ(a.probes[0].back().value, b.probes[0].back().value);
  }
  expect_same(whole.liquid, restored.liquid);
}

// The projection is done again: with obstacles that move, faces that a ceiling lets go, a source
// under water, and bodies that get back what they miss.
TEST(Liquid, CheckpointsLeadToTheSameFlow) {
  for (const char* projection : {"consistent", "two_point"}) {
    const std::string scene =
        "format = 1\n[time]\nfps = 60\n[domain]\nmin = [0, 0, 0]\nmax = [1, 0.5, 0.5]\n"
        "[resolution]\ncells = 16\n[solver]\nprojection = \"" +
        std::string(projection) +
        "\"\n[[liquid.body]]\nshape = { box = { min = [0, 0, 0.2], max = [0.4, 0.5, 0.5] } }\n"
        "[[liquid.body]]\nshape = { box = { min = [0.6, 0, 0], max = [1, 0.5, 0.2] } }\n"
        "[[source]]\nshape = { box = { min = [0.8, 0.2, 0.05], max = [0.9, 0.3, 0.15] } }\n"
        "velocity = [-1, 0, 0]\n"
        "[[obstacle]]\nshape = { sphere = { center = [0.5, 0.25, 0.1], radius = 0.12 } }\n"
        "motion = { keyframes = [ { t = 0 }, { t = 1, translate = [0.4, 0, 0] } ] }\n";
    SceneRun whole(scene);
    for (int frame = 0; frame < 3; ++frame) {
      StateWriter writer;
      whole.liquid.save(writer);
      SceneRun restored(scene);
      restored.liquid.restore(StateReader(writer.finish()));
      expect_same_flow(whole.liquid, restored.liquid);
      (void)whole.liquid.advance_frame();
      (void)restored.liquid.advance_frame();
      expect_same_flow(whole.liquid, restored.liquid);
      expect_same(whole.liquid, restored.liquid);
    }
  }
}

// States are packed on another thread, while the liquid goes on.
TEST(Liquid, AStateStaysAsItWasWhenTheLiquidGoesOn) {
  SceneRun run(small_dam());
  run.liquid.advance_frame();
  for (int frame = 0; frame < 2; ++frame) {
    StateWriter at_once, later;
    run.liquid.save(at_once);
    run.liquid.save(later);
    const std::string bytes = at_once.finish();
    const LiquidSurface then = run.liquid.surface();
    run.liquid.advance_frame();
    EXPECT_NE(run.liquid.surface().mesh.vertices, then.mesh.vertices);
    EXPECT_EQ(later.finish(), bytes);
    run.liquid.restore(StateReader(bytes));
    EXPECT_EQ(run.liquid.surface().velocities, then.velocities);
  }
}

TEST(Liquid, AStateOutlivesItsLiquidAndBranchesOfIt) {
  StateWriter later;
  std::string bytes;
  {
    SceneRun run(small_dam());
    run.liquid.advance_frame();
    StateWriter at_once;
    run.liquid.save(at_once);
    bytes = at_once.finish();
    run.liquid.save(later);
    SceneRun branch(small_dam());
    branch.liquid.branch_from(run.liquid);
    branch.liquid.advance_frame();
  }
  EXPECT_EQ(later.finish(), bytes);
}

// Two drops that meet in a thin sheet, from which droplets come off; some leave through the floor.
constexpr const char* kSpray =
    "format = 1\n[time]\nfps = 24\n[domain]\nmin = [0, 0, 0]\nmax = [1, 0.8, 0.6]\n"
    "sides = { z_min = \"open\" }\n[resolution]\ncells = 20\n"
    "[[liquid.body]]\nshape = { sphere = { center = [0.3, 0.4, 0.3], radius = 0.1 } }\n"
    "velocity = [4, 0, 0.5]\n"
    "[[liquid.body]]\nshape = { sphere = { center = [0.7, 0.4, 0.3], radius = 0.1 } }\n"
    "velocity = [-4, 0, 0.5]\n";

void expect_same(const VolumeBook& a, const VolumeBook& b) {
  EXPECT_EQ(a.open_sides, b.open_sides);
  EXPECT_EQ(a.thickening, b.thickening);
  EXPECT_EQ(a.in_flight, b.in_flight);
  EXPECT_EQ(a.specks, b.specks);
  EXPECT_EQ(a.correction, b.correction);
}

TEST(Liquid, SprayGoesOnFromACheckpointWithTheSameBits) {
  SceneRun whole(kSpray);
  VolumeBook book;
  for (int frame = 0; frame < 3; ++frame) book = whole.liquid.advance_frame().ledger.book;
  ASSERT_GT(book.in_flight, 0);
  ASSERT_GT(book.thickening, 0);
  StateWriter writer;
  whole.liquid.save(writer);
  SceneRun restored(kSpray);
  restored.liquid.restore(StateReader(writer.finish()));
  for (int frame = 0; frame < 3; ++frame) {
    const FrameReport a = whole.liquid.advance_frame();
    const FrameReport b = restored.liquid.advance_frame();
    EXPECT_EQ(a.volume, b.volume);
    expect_same(a.ledger.book, b.ledger.book);
  }
  expect_same(whole.liquid, restored.liquid);
}

// Two drops that meet in the air: what flies is in no body, until it lands.
TEST(Liquid, BodiesAndDropletsAddUpToTheBooks) {
  SceneRun run(kSpray);
  double most_in_flight = 0;
  for (int frame = 0; frame < 5; ++frame) {
    const FrameReport report = run.liquid.advance_frame();
    const VolumeBook& book = report.ledger.book;
    double targets = 0;
    for (const BodyBook& body : report.ledger.bodies) targets += body.target;
    EXPECT_NEAR(targets / book.expected(), 1, 1e-12) << frame;
    if (book.in_flight > 0) {
      ASSERT_EQ(report.ledger.bodies.back().id, kNoBody);
      EXPECT_EQ(report.ledger.bodies.back().volume, book.in_flight);
      EXPECT_EQ(report.ledger.bodies.back().target, book.in_flight);
    }
    EXPECT_DOUBLE_EQ(report.volume_drift,
                     (report.volume + book.in_flight - book.expected()) / book.expected());
    most_in_flight = std::max(most_in_flight, book.in_flight / book.expected());
  }
  EXPECT_GT(most_in_flight, 1e-3);
}

TEST(Liquid, SprayDoesNotDependOnTheNumberOfThreads) {
  SceneRun many(kSpray);
  FrameReport with_many;
  for (int frame = 0; frame < 4; ++frame) with_many = many.liquid.advance_frame();
  ASSERT_GT(with_many.ledger.book.in_flight, 0);
  const ThreadLimit one_thread(1);
  SceneRun single(kSpray);
  FrameReport with_one;
  for (int frame = 0; frame < 4; ++frame) with_one = single.liquid.advance_frame();
  expect_same(with_many.ledger.book, with_one.ledger.book);
  expect_same(many.liquid, single.liquid);
}

// ---- Sources, sinks, open sides

// Of 0.45 voxels' radius: it falls 0.3 m in 6 frames, with no surface anywhere.
TEST(Liquid, ADropTooSmallToBeSeenFallsOutOfTheDomain) {
  SceneRun run(
      "format = 1\n[time]\nfps = 24\n[domain]\nmin = [0, 0, 0]\nmax = [0.64, 0.64, 0.64]\n"
      "sides = { z_min = \"open\" }\n[resolution]\nsize = 0.04\nsurface = 2\n"
      "[[liquid.body]]\n"
      "shape = { sphere = { center = [0.311, 0.327, 0.3], radius = 0.009 } }\n");
  const double volume = 4 * std::numbers::pi / 3 * std::pow(0.009, 3);
  VolumeBook book;
  for (int frame = 1; frame <= 5; ++frame) {
    book = run.liquid.advance_frame().ledger.book;
    EXPECT_NEAR(book.in_flight / volume, 1, 0.05);
    EXPECT_EQ(book.start, book.in_flight);
    EXPECT_EQ(book.open_sides, 0);
  }
  for (int frame = 6; frame <= 7; ++frame) book = run.liquid.advance_frame().ledger.book;
  EXPECT_EQ(book.in_flight, 0);
  EXPECT_EQ(book.open_sides, -book.start);
  EXPECT_EQ(book.expected(), 0);
}

// ---- Steps that go too far

// A ball of three cells' radius that crosses four cells in a step, then spreads on the floor.
constexpr const char* kFallingBall =
    "format = 1\n[time]\nfps = 24\n[domain]\nmin = [0, 0, 0]\nmax = [1, 1, 1]\n"
    "[resolution]\ncells = 16\n"
    "[[liquid.body]]\nshape = { sphere = { center = [0.5, 0.5, 0.7], radius = 0.2 } }\n"
    "velocity = [0, 0, -3]\n";

// In whole steps it would lose five sixths of its volume in frame 5.
TEST(Liquid, ABallThatHitsTheFloorKeepsItsVolume) {
  SceneRun run(kFallingBall);
  int steps = 0;
  std::int64_t halved = 0;
  for (int frame = 1; frame <= 8; ++frame) {
    const FrameReport report = run.liquid.advance_frame();
    EXPECT_NEAR(report.volume_drift, 0, 0.005) << frame;
    EXPECT_DOUBLE_EQ(run.liquid.time(), frame / 24.0);
    steps += report.steps;
    halved += report.stats.count_of("steps halved");
    expect_sound(run.liquid.surface().mesh);
  }
  EXPECT_GE(halved, 2);
  EXPECT_LE(steps, 32);
}

// Blocks of three to four voxels that slide down in a corner of walls: neither thin nor thick.
TEST(Liquid, CoarseBodiesInACornerKeepTheirVolume) {
  for (const char* block : {"{ min = [0, 0, 0.43], max = [0.28, 0.31, 0.62] }",
                            "{ min = [0, 0, 0.4], max = [0.3, 0.3, 0.65] }"}) {
    SceneRun run(
        "format = 1\n[time]\nfps = 48\n[domain]\nmin = [0, 0, 0]\nmax = [1, 0.9, 1]\n"
        "[resolution]\nsize = 0.062\nsurface = 1\n[[liquid.body]]\nshape = { box = " +
        std::string(block) + " }\n");
    for (int frame = 1; frame <= 8; ++frame) {
      EXPECT_NEAR(run.liquid.advance_frame().volume_drift, 0, 0.005) << block << " " << frame;
    }
  }
}

// Liquid crept into the seam between the wall and the tank, and the pools never came to rest.
TEST(Liquid, RestsOnBothSidesOfAWallThatStandsFlush) {
  SceneRun run(
      "format = 1\n[domain]\nmin = [0, 0, 0]\nmax = [1, 1, 1]\n[resolution]\ncells = 24\n"
      "[[liquid.body]]\nshape = { box = { min = [0, 0, 0], max = [1, 1, 0.3] } }\n"
      "[[obstacle]]\nshape = { box = { min = [0.47, 0, 0], max = [0.6, 1, 1] } }\n");
  for (int frame = 1; frame <= 8; ++frame) {
    EXPECT_LT(run.liquid.advance_frame().max_speed, 5e-3) << frame;
  }
}

TEST(Liquid, GoesOnAmongHalvedStepsWithTheSameBits) {
  SceneRun whole(kFallingBall);
  for (int frame = 0; frame < 4; ++frame) whole.liquid.advance_frame();
  StateWriter writer;
  whole.liquid.save(writer);
  SceneRun restored(kFallingBall);
  restored.liquid.restore(StateReader(writer.finish()));
  std::int64_t halved = 0;
  for (int frame = 0; frame < 3; ++frame) {
    halved += whole.liquid.advance_frame().stats.count_of("steps halved");
    (void)restored.liquid.advance_frame();
  }
  EXPECT_GT(halved, 0);
  expect_same(whole.liquid, restored.liquid);
}

TEST(Liquid, SlowSourceFillsAtTheRateOfItsCrossSectionAndSpeed) {
  // Into a pool; 0.2 x 0.2 m at 1 m/s.
  SceneRun run(
      "format = 1\n[time]\nfps = 30\n[domain]\nmin = [0, 0, 0]\nmax = [0.6, 0.6, 0.9]\n"
      "[resolution]\nsize = 0.03\n[liquid]\ngravity = [0, 0, -1]\n"
      "[[liquid.body]]\nshape = { box = { min = [0, 0, 0], max = [0.6, 0.6, 0.2] } }\n"
      "[[source]]\nshape = { box = { min = [0.2, 0.2, 0.7], max = [0.4, 0.4, 0.8] } }\n"
      "velocity = [0, 0, -1]\n");
  FrameReport before;
  for (int frame = 0; frame < 10; ++frame) before = run.liquid.advance_frame();
  FrameReport after;
  for (int frame = 0; frame < 20; ++frame) after = run.liquid.advance_frame();
  const double rate = (after.ledger.book.sources - before.ledger.book.sources) * 30 / 20;
  EXPECT_NEAR(rate, 0.04, 1e-3 * 0.04);
  EXPECT_NEAR((after.volume - before.volume) * 30 / 20, 0.04, 0.01 * 0.04);
  EXPECT_NEAR(after.volume_drift, 0, 0.005);
}

TEST(Liquid, SlowSinkTakesAndAnOpenSideLetsGo) {
  SceneRun run(
      "format = 1\n[time]\nfps = 30\n[domain]\nmin = [0, 0, 0]\nmax = [0.8, 0.4, 0.4]\n"
      "sides = { x_max = \"open\" }\n[resolution]\nsize = 0.025\n"
      "[[liquid.body]]\nshape = { box = { min = [0, 0, 0], max = [0.6, 0.4, 0.2] } }\n"
      "[[sink]]\nshape = { box = { min = [0, 0, 0], max = [0.1, 0.4, 0.05] } }\n");
  FrameReport report;
  for (int frame = 0; frame < 20; ++frame) report = run.liquid.advance_frame();
  const VolumeBook& book = report.ledger.book;
  EXPECT_LT(book.sinks, -0.1 * book.start);
  EXPECT_LT(book.open_sides, -0.1 * book.start);
  EXPECT_LT(report.volume, 0.7 * book.start);
  EXPECT_GT(report.volume, 0);
  EXPECT_NEAR(report.volume, book.expected(), 0.01 * book.start);
}

// Films that run out: what is left and what has left are what there was, always.
TEST(Liquid, SlowFilmsRunOutByTheBooks) {
  for (const int voxels : {1, 2}) {
    SceneRun run(fmt::format(
        "format = 1\n[domain]\nmin = [0, 0, 0]\nmax = [0.8, 0.8, 0.4]\n"
        "sides = {{ y_max = \"open\" }}\n[resolution]\nsize = 0.05\nsurface = {}\n"
        "[[liquid.body]]\nshape = {{ box = {{ min = [-1, 0.2, -1], max = [2, 2, 0.1] }} }}\n"
        "velocity = [0, 1, 0]\n[[sink]]\n"
        "shape = {{ box = {{ min = [0.3, 0.3, 0], max = [0.5, 0.5, 0.03] }} }}\n",
        voxels));
    double most = 0;
    for (int frame = 0; frame < 48; ++frame) {
      const FrameReport report = run.liquid.advance_frame();
      const VolumeBook& book = report.ledger.book;
      most = std::max(most, std::abs(report.volume - book.expected()) / book.start);
      EXPECT_GT(book.expected(), -0.01 * book.start) << voxels << " in frame " << frame;
    }
    EXPECT_LT(most, voxels == 1 ? 0.1 : 0.01) << voxels;
  }
}

TEST(Liquid, GivesUpOnWhatWouldTakeStepsWithoutEnd) {
  const std::string wild =
      "format = 1\n[domain]\nmin = [0, 0, 0]\nmax = [1, 1, 1]\n[resolution]\ncells = 16\n"
      "[[liquid.body]]\nshape = { sphere = { center = [0.5, 0.5, 0.5], radius = 0.2 } }\n"
      "velocity = [1e6, 0, 0]\n";
  try {
    SceneRun run(wild);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::numerical);
    EXPECT_NE(std::string(error.what()).find("steps"), std::string::npos);
  }
}

}  // namespace
}  // namespace spindrift
