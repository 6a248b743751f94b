// How well the tracked surface keeps its volume and shape: the tables of docs/validation.md.
//
//   surface_validation [--quick] [--meshes FOLDER]
//
// --quick leaves out the finest lattices; --meshes writes the surfaces at the times of the pictures
// as PLY.
#include <cmath>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "spindrift/core/stats.hpp"
#include "spindrift/geometry/shape.hpp"
#include "spindrift/io/mesh_file.hpp"
#include "spindrift/surface/contouring_tracker.hpp"

#include "support/flows.hpp"

namespace spindrift {
namespace {

struct Options {
  bool is_quick = false;
  std::optional<std::filesystem::path> meshes;
};

const Box3 kUnitBox(Vec3::Zero(), Vec3::Ones());

ContouringTracker tracker_of(const Shape& shape, int voxels, SurfaceModel model) {
  return {shape,
          kUnitBox,
          {.lattice = {.origin = Vec3::Zero(), .spacing = 1.0 / voxels}, .model = model}};
}

void save(const Options& options, const std::string& name, const Tracker& tracker) {
  if (options.meshes) write_mesh(*options.meshes / (name + ".ply"), tracker.surface());
}

// Relative changes, in percent.
struct Change {
  double volume, area;
};
class Measure {
 public:
  explicit Measure(const Tracker& tracker)
      : tracker_(tracker),
        volume_(enclosed_volume(tracker.surface())),
        area_(surface_area(tracker.surface())) {}
  [[nodiscard]] Change change() const {
    return {100 * (enclosed_volume(tracker_.surface()) / volume_ - 1),
            100 * (surface_area(tracker_.surface()) / area_ - 1)};
  }

 private:
  const Tracker& tracker_;
  double volume_, area_;
};

// Shown as `+0.012 %`.
std::string percent(double value) { return fmt::format("{:+.3g} %", value); }

double order(double coarse, double fine) { return std::log2(std::abs(coarse) / std::abs(fine)); }

void translation() {
  const ShapePtr sphere = make_sphere({0.3, 0.3, 0.3}, 0.15);
  fmt::print(
      "### Translation\n\nA sphere of radius 0.15 in the unit box, carried 0.64 along (0.43, 0.37, "
      "0.31) in 100 steps, "
      "64 voxels across.\n\n| way | volume | area |\n|---|---|---|\n");
  for (const SurfaceModel model : {SurfaceModel::curved, SurfaceModel::flat}) {
    ContouringTracker tracker = tracker_of(*sphere, 64, model);
    const Measure measure(tracker);
    for (int step = 0; step < 100; ++step) {
      tracker.advance(test::uniform_flow({0.43, 0.37, 0.31}), 0.01);
    }
    const Change change = measure.change();
    fmt::print("| {} | {} | {} |\n",
               model == SurfaceModel::curved ? "ours" : "flat triangles (the paper)",
               percent(change.volume), percent(change.area));
  }
  fmt::print("\n");
}

void turn(const Options& options) {
  const Vec3 center(0.5, 0.75, 0.5);
  const ShapePtr sphere = make_sphere(center, 0.15);
  const ShapePtr notched =
      make_difference({sphere, make_box({0.475, 0.5, 0.2}, {0.525, 0.6 + 0.125, 0.8})});
  fmt::print(
      "### A rigid turn\n\nRadius 0.15, centre (0.5, 0.75, 0.5), once around the middle of the "
      "unit "
      "box in 200 steps. The "
      "notch is 0.05 wide and 0.125 deep.\n\n| shape | voxels | volume | order | area | flat "
      "triangles: volume | area "
      "|\n|---|---|---|---|---|---|---|\n");
  std::vector<int> sizes = {64, 128, 256};
  if (options.is_quick) sizes.pop_back();
  for (const auto& [name, shape] : {std::pair{"sphere", sphere}, std::pair{"notched", notched}}) {
    double previous = 0;
    for (const int voxels : sizes) {
      std::vector<Change> changes;
      for (const SurfaceModel model : {SurfaceModel::curved, SurfaceModel::flat}) {
        ContouringTracker tracker = tracker_of(*shape, voxels, model);
        const Measure measure(tracker);
        const bool is_shown = model == SurfaceModel::curved && voxels == 128;
        if (is_shown) save(options, fmt::format("{}_0", name), tracker);
        for (int step = 0; step < 200; ++step) {
          tracker.advance(test::turning_flow(), 1.0 / 200);
          if (is_shown && step == 99) save(options, fmt::format("{}_1", name), tracker);
        }
        if (is_shown) save(options, fmt::format("{}_2", name), tracker);
        changes.push_back(measure.change());
      }
      fmt::print("| {} | {} | {} | {} | {} | {} | {} |\n", name, voxels, percent(changes[0].volume),
                 previous == 0 ? "" : fmt::format("{:.1f}", order(previous, changes[0].volume)),
                 percent(changes[0].area), percent(changes[1].volume), percent(changes[1].area));
      std::fflush(stdout);
      previous = changes[0].volume;
    }
  }
  fmt::print("\n");
}

void deformation(const Options& options) {
  const ShapePtr sphere = make_sphere({0.35, 0.35, 0.35}, 0.15);
  fmt::print(
      "### Deformation\n\nA sphere of radius 0.15 at (0.35, 0.35, 0.35) is drawn out to a sheet "
      "until t = 1.5 and goes "
      "back until t = 3 [Enright et al. 2002], in steps of 0.01.\n\n| way | voxels | volume at 1.5 "
      "| area at 1.5 | volume "
      "at 3 | area at 3 |\n|---|---|---|---|---|---|\n");
  std::vector<int> sizes = {100, 200};
  if (options.is_quick) sizes.pop_back();
  for (const int voxels : sizes) {
    for (const SurfaceModel model : {SurfaceModel::curved, SurfaceModel::flat}) {
      ContouringTracker tracker = tracker_of(*sphere, voxels, model);
      const Measure measure(tracker);
      Change middle{};
      for (int step = 0; step < 300; ++step) {
        tracker.advance(test::deforming_flow(0.01 * (step + 0.5)), 0.01);
        if (step == 149) middle = measure.change();
        const bool is_shown = model == SurfaceModel::curved && (step + 1) % 75 == 0;
        if (is_shown) save(options, fmt::format("deformation_{}_{}", voxels, step + 1), tracker);
      }
      const Change end = measure.change();
      fmt::print("| {} | {} | {} | {} | {} | {} |\n",
                 model == SurfaceModel::curved ? "ours" : "flat triangles (the paper)", voxels,
                 percent(middle.volume), percent(middle.area), percent(end.volume),
                 percent(end.area));
      std::fflush(stdout);
    }
  }
  fmt::print("\n");
}

}  // namespace
}  // namespace spindrift

int main(int count, char** arguments) {
  spindrift::Options options;
  for (int i = 1; i < count; ++i) {
    const std::string word = arguments[i];
    if (word == "--quick") {
      options.is_quick = true;
    } else if (word == "--meshes" && i + 1 < count) {
      options.meshes = arguments[++i];
      std::filesystem::create_directories(*options.meshes);
    } else {
      fmt::print(stderr, "usage: surface_validation [--quick] [--meshes FOLDER]\n");
      return 2;
    }
  }
  spindrift::translation();
  spindrift::turn(options);
  spindrift::deformation(options);
}
