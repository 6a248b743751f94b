#include "spindrift/sim/liquid.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "spindrift/core/parallel.hpp"
#include "spindrift/geometry/mesh_check.hpp"
#include "spindrift/scene/read.hpp"

namespace spindrift {
namespace {

// A scene with all that a liquid keeps referring to.
struct Run {
  explicit Run(const std::string& toml, const LiquidParams& params = {})
      : scene(parse_scene(toml, "test")),
        shapes(build_scene_shapes(scene, library)),
        liquid(scene, shapes, params) {}

  Scene scene;
  MeshLibrary library;
  SceneShapes shapes;
  Liquid liquid;
};

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
  Run run(toml);
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

TEST(Liquid, ADropThrownSidewaysFliesAParabola) {
  expect_free_fall({1.5, 0.1, 0.4}, drop_scene("[1.5, 0.1, 0.4]"));
}

TEST(Liquid, APoolAtRestStaysAtRest) {
  // Not on the lattice; an uneven floor, a ball that breaks the surface.
  Run run(
      "format = 1\n[time]\nfps = 60\nmax_step = 0.0167\n"
      "[domain]\nmin = [0, 0, 0]\nmax = [1, 0.6, 0.6]\n"
      "[resolution]\ncells = 32\n"
      "[[liquid.body]]\nshape = { box = { min = [0, 0, 0], max = [1, 0.6, 0.317] } }\n"
      "[[obstacle]]\nshape = { sphere = { center = [0.2, 0.3, -0.35], radius = 0.5 } }\n"
      "[[obstacle]]\nshape = { sphere = { center = [0.7, 0.31, 0.28], radius = 0.13 } }\n");
  const LiquidSurface start = run.liquid.surface();
  double greatest = 0;
  for (int frame = 0; frame < 60; ++frame) {
    greatest = std::max(greatest, run.liquid.advance_frame().max_speed);
  }
  EXPECT_LT(greatest, 1e-4);
  const LiquidSurface end = run.liquid.surface();
  double moved = 0;
  for (const Vec3& v : end.mesh.vertices) {
    if (v.z() > 0.31) moved = std::max(moved, std::abs(v.z() - 0.317));
  }
  EXPECT_LT(moved, 1e-3 / 32);
}

}  // namespace
}  // namespace spindrift
