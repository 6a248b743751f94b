// The mesh is where the liquid is, however thin that is.
#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/random.hpp"
#include "support/scene_run.hpp"

namespace spindrift {
namespace {

std::string scene_of(const std::string& body, const std::string& more = "") {
  return fmt::format(
      "format = 1\n[domain]\nmin = [0, 0, 0]\nmax = [1, 1, 1]\n[resolution]\ncells = 24\n"
      "[[liquid.body]]\nshape = {{ {} }}\n{}",
      body, more);
}

constexpr double kCell = 1.0 / 24;

// How many vertices of surfaces are off the mesh, at the start.
class Coverage {
 public:
  void add(const std::string& scene) {
    const FrameReport report = test::SceneRun(scene).liquid.report();
    ASSERT_GT(report.triangles, 0) << scene;
    EXPECT_LE(report.hanging, 0.005) << scene;
    all_ += static_cast<double>(report.triangles);
    hanging_ += report.hanging * static_cast<double>(report.triangles);
  }
  [[nodiscard]] double hanging() const { return hanging_ / all_; }

 private:
  double all_ = 0, hanging_ = 0;
};

TEST(ThinMesh, HoldsSheetsStrandsAndDropsAnywhere) {
  Coverage coverage;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    test::Random random(seed);
    const auto place = [&] { return random.between(0.35, 0.65); };
    const Vec3 at(place(), place(), place());
    const Vec3 axis = random.direction();
    // Half of the thickness: from what the surface's grid still sees to where it needs no help.
    const double half = random.between(0.45, 1) * kCell;
    const std::string turned =
        fmt::format("rotate = {{ axis = [{}, {}, {}], degrees = {} }}, translate = [{}, {}, {}]",
                    axis.x(), axis.y(), axis.z(), random.between(10, 80), at.x(), at.y(), at.z());
    for (const std::string& shape :
         {fmt::format("box = {{ min = [-0.25, -0.25, {}], max = [0.25, 0.25, {}] }}, {}", -half,
                      half, turned),
          fmt::format("capsule = {{ from = [-0.25, 0, 0], to = [0.25, 0, 0], radius = {} }}, {}",
                      half, turned),
          fmt::format("sphere = {{ center = [{}, {}, {}], radius = {} }}", at.x(), at.y(), at.z(),
                      half)}) {
      coverage.add(scene_of(shape));
    }
  }
  EXPECT_LT(coverage.hanging(), 0.001);
}

TEST(ThinMesh, HoldsFilmsOnFloorsAndOnSlantedWalls) {
  Coverage coverage;
  for (const double thickness : {0.6, 0.9, 1.3}) {
    coverage.add(scene_of(fmt::format("box = {{ min = [0.2, 0.2, -0.1], max = [0.8, 0.8, {}] }}",
                                      thickness * kCell)));
    // A slab on a slab, both turned.
    const std::string turned =
        "rotate = { axis = [0.3, 1, 0.2], degrees = 27 }, translate = [0.5, 0.5, 0.4]";
    coverage.add(scene_of(
        fmt::format("box = {{ min = [-0.2, -0.2, -0.05], max = [0.2, 0.2, {}] }}, {}",
                    thickness * kCell, turned),
        fmt::format("[[obstacle]]\nshape = {{ box = {{ min = [-0.3, -0.3, -0.2], max = [0.3, 0.3, "
                    "0] }}, {} }}\n",
                    turned)));
  }
  EXPECT_LT(coverage.hanging(), 0.001);
}

TEST(ThinMesh, IsMadeWithAnySettings) {
  const std::string sheet = fmt::format(
      "box = {{ min = [-0.25, -0.25, {0}], max = [0.25, 0.25, {1}] }}, rotate = {{ axis = [1, 0.3, "
      "0], degrees = 31 }}, translate = [0.5, 0.5, 0.5]",
      -0.5 * kCell, 0.5 * kCell);
  const Scene plain = parse_scene(scene_of(sheet), "test");
  std::vector<Scene> scenes;
  for (const int surface : {1, 3, 4, 8}) {
    scenes.push_back(plain);
    scenes.back().resolution.surface = surface;
  }
  for (const double length : {0.0, 10.0}) {
    scenes.push_back(plain);
    scenes.back().thickening.mesh_radius = length;
    scenes.push_back(plain);
    scenes.back().thickening.mesh_thinness = length;
  }
  scenes.push_back(plain);
  scenes.back().thickening.enabled = false;
  for (std::size_t i = 0; i < scenes.size(); ++i) {
    SCOPED_TRACE(fmt::format("setting {}", i));
    const test::SceneRun run(scenes[i]);
    EXPECT_FALSE(run.liquid.mesh().is_empty());
    EXPECT_GT(run.liquid.report().triangles, 0);
  }
}

// What they take is booked by the faces of the mesh there.
TEST(ThinMesh, EndsAtSinks) {
  const test::SceneRun run(scene_of(
      fmt::format("box = {{ min = [0.2, 0.2, 0.5], max = [0.8, 0.8, {}] }}", 0.5 + 0.7 * kCell),
      "[[sink]]\nshape = { box = { min = [0.5, 0, 0], max = [1, 1, 1] } }\n"));
  ASSERT_FALSE(run.liquid.mesh().is_empty());
  double farthest = 0;
  for (const Vec3& v : run.liquid.mesh().tets.vertices) farthest = std::max(farthest, v.x());
  EXPECT_NEAR(farthest, 0.5, 0.1 * kCell);
}

}  // namespace
}  // namespace spindrift
