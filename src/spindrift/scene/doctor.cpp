#include "spindrift/scene/doctor.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "spindrift/core/parallel.hpp"
#include "spindrift/core/stable_length.hpp"
#include "spindrift/core/text.hpp"
#include "spindrift/geometry/point_text.hpp"
#include "spindrift/geometry/thickness.hpp"

namespace spindrift {

namespace {

// Walls must be this many finest cells thick to be tight, inflows to be seen by the mesh.
constexpr double kCellsThick = 2;

std::string millimetres(double metres) { return fmt::format("{:.3g} mm", 1000 * metres); }

// The centres of the cells of a regular grid over a box, about `count` along its longest side.
class SampleGrid {
 public:
  SampleGrid(const Box3& box, int count) : box_(box) {
    const double size = box.sizes().maxCoeff() / count;
    for (int axis = 0; axis < 3; ++axis) {
      counts_[axis] = std::max(1, static_cast<int>(std::lround(box.sizes()[axis] / size)));
    }
    step_ = box.sizes().cwiseQuotient(counts_.cast<double>());
  }

  [[nodiscard]] std::int64_t size() const {
    return std::int64_t{counts_.x()} * counts_.y() * counts_.z();
  }
  [[nodiscard]] double cell_volume() const { return box_.volume() / static_cast<double>(size()); }

  // The numbers of the centres inside a shape. Only those in its bounds are asked.
  [[nodiscard]] std::vector<std::int64_t> inside(const Shape& shape) const {
    const Box3 bounds = shape.bounds().intersection(box_);
    std::vector<std::int64_t> numbers;
    if (bounds.isEmpty()) return numbers;
    const Vec3i first = cell_of(bounds.min()), last = cell_of(bounds.max());
    std::vector<Vec3> centers;
    for (int z = first.z(); z <= last.z(); ++z) {
      for (int y = first.y(); y <= last.y(); ++y) {
        for (int x = first.x(); x <= last.x(); ++x) {
          numbers.push_back((std::int64_t{z} * counts_.y() + y) * counts_.x() + x);
          centers.emplace_back(box_.min() + Vec3(x + 0.5, y + 0.5, z + 0.5).cwiseProduct(step_));
        }
      }
    }
    std::vector<double> distances(centers.size());
    evaluate_parallel(shape, centers, distances);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (distances[i] < 0) numbers[kept++] = numbers[i];
    }
    numbers.resize(kept);
    return numbers;
  }

 private:
  [[nodiscard]] Vec3i cell_of(const Vec3& point) const {
    const Vec3 cell = (point - box_.min()).cwiseQuotient(step_);
    return cell.cast<int>().cwiseMax(0).cwiseMin(counts_ - Vec3i::Ones());
  }

  Box3 box_;
  Vec3 step_ = Vec3::Ones();
  Vec3i counts_ = Vec3i::Ones();
};

// Marks the centres inside any of the shapes.
std::vector<char> inside_any(const SampleGrid& grid, const std::vector<ShapePtr>& shapes) {
  std::vector<char> marks(grid.size(), 0);
  for (const ShapePtr& shape : shapes) {
    for (const std::int64_t number : grid.inside(*shape)) marks[number] = 1;
  }
  return marks;
}

std::vector<ShapePtr> place_obstacles(const Scene& scene, const SceneShapes& shapes) {
  std::vector<ShapePtr> placed;
  for (std::size_t i = 0; i < shapes.obstacles.size(); ++i) {
    placed.push_back(make_placed(shapes.obstacles[i], placement_at(scene.obstacles[i], 0)));
  }
  return placed;
}

bool encloses_nothing(const TriangleMesh& mesh) {
  constexpr double kRoundOff = 1e-12;  // of the volume, beside the cube around the mesh
  const double length = stable_length(bounds(mesh).sizes());
  return std::abs(enclosed_volume(mesh)) <= kRoundOff * length * length * length;
}

class Doctor {
 public:
  Doctor(const Scene& scene, const SceneShapes& shapes, const MeshLibrary& library)
      : scene_(scene),
        shapes_(shapes),
        library_(library),
        domain_(scene.domain.min, scene.domain.max),
        cell_(cell_size(scene)),
        grid_(domain_, kSamplesAlong),
        obstacles_(place_obstacles(scene, shapes)),
        solid_(inside_any(grid_, obstacles_)) {}

  SceneReport run() {
    look_at_domain();
    look_at_meshes();
    look_at_bodies();
    look_at_obstacles();
    look_at_sources();
    return std::move(report_);
  }

 private:
  static constexpr int kSamplesAlong = 96;

  void warn(const Location& where, std::string problem, std::string advice) {
    report_.findings.push_back({Severity::warning, where, std::move(problem), std::move(advice)});
  }
  void remark(const Location& where, std::string problem) {
    report_.findings.push_back({Severity::note, where, std::move(problem), {}});
  }

  void look_at_domain() {
    const double narrowest = domain_.sizes().minCoeff();
    if (narrowest < 8 * cell_) {
      warn(scene_.location,
           fmt::format("the domain is only {:.1f} finest cells across its shortest side",
                       narrowest / cell_),
           "use at least 8 cells: raise resolution.cells or enlarge the domain");
    }
    if (scene_.liquid.bodies.empty() && scene_.sources.empty()) {
      warn(scene_.location, "the scene has no liquid", "add a [[liquid.body]] or a [[source]]");
    }
  }

  void look_at_meshes() {
    for (const auto& [path, mesh] : library_.meshes()) {
      for (const std::string& note : mesh.notes) {
        remark(mesh.location, fmt::format("{}: {}", path, note));
      }
      for (const std::string& sentence : mesh.repair.sentences()) {
        remark(mesh.location, fmt::format("{}: repaired: {}", path, sentence));
      }
      if (mesh.open.count > 0) {
        warn(mesh.location,
             fmt::format("{} is open ({}); inside is guessed by its winding number", path,
                         count_of(mesh.open.count, "edge", "edges")),
             "look at the render, or close the mesh in your modelling tool");
      } else if (encloses_nothing(mesh.mesh)) {
        warn(mesh.location, fmt::format("{} encloses no volume", path),
             "use a mesh with an inside, or give it thickness");
      }
    }
  }

  // Says what is wrong with a region that should hold liquid; true if none of it can.
  bool warn_of_lost_region(const ShapePtr& shape, const Location& where, const char* what) {
    const Box3 box = shape->bounds().intersection(domain_);
    if (box.isEmpty()) {
      warn(where, fmt::format("the {} lies outside the domain", what),
           "move it inside domain.min to domain.max");
      return true;
    }
    constexpr int kOwnSamplesAlong = 32;
    if (SampleGrid(box, kOwnSamplesAlong).inside(*shape).empty()) {
      warn(where, fmt::format("the {} is empty inside the domain", what),
           "check its shape: a part may be subtracted from or intersected with too much");
      return true;
    }
    const std::vector<std::int64_t> inside = grid_.inside(*shape);
    const bool is_blocked = std::all_of(inside.begin(), inside.end(),
                                        [&](std::int64_t number) { return solid_[number] != 0; });
    if (!inside.empty() && is_blocked) {
      warn(where, fmt::format("the {} lies inside an obstacle", what), "move one of them");
      return true;
    }
    return false;
  }

  void warn_if_thin(const ShapePtr& shape, const Box3& region, const Location& where,
                    const char* what, const char* consequence) {
    const ThicknessReport thickness = measure_thickness(
        *shape, region, {.limit = kCellsThick * cell_, .samples = thickness_samples()});
    if (!thickness.has_thin_walls()) {
      warn_if_small(shape, where, what, consequence);
      return;
    }
    const double needed = thickness.thinnest / kCellsThick;
    warn(where,
         fmt::format("the {} is only {} thick at {}, less than {} finest cells ({}): {}", what,
                     millimetres(thickness.thinnest), point_text(thickness.place), kCellsThick,
                     millimetres(kCellsThick * cell_), consequence),
         fmt::format("make it thicker, or use cells of {} (resolution.size = {:.2g})",
                     millimetres(needed), needed));
  }

  // What is smaller still than a thin wall may have no inside that samples could meet.
  void warn_if_small(const ShapePtr& shape, const Location& where, const char* what,
                     const char* consequence) {
    const double across = shape->bounds().sizes().minCoeff();
    if (across >= kCellsThick * cell_) return;
    warn(where,
         fmt::format("the {} is only {} across, less than {} finest cells ({}): {}", what,
                     millimetres(across), kCellsThick, millimetres(kCellsThick * cell_),
                     consequence),
         "make it larger; is it drawn in another unit than metres?");
  }

  // Many shapes share the time that few have.
  [[nodiscard]] int thickness_samples() const {
    const std::size_t shapes =
        shapes_.bodies.size() + shapes_.obstacles.size() + shapes_.sources.size();
    return std::clamp(100'000 / static_cast<int>(shapes), 64, 4096);
  }

  void look_at_bodies() {
    for (std::size_t i = 0; i < shapes_.bodies.size(); ++i) {
      const Location& where = scene_.liquid.bodies[i].location;
      if (warn_of_lost_region(shapes_.bodies[i], where, "liquid body")) continue;
      warn_if_thin(shapes_.bodies[i], domain_, where, "liquid body",
                   "thin parts may not be simulated");
    }
    const std::vector<char> liquid = inside_any(grid_, shapes_.bodies);
    std::int64_t wet = 0;
    for (std::size_t i = 0; i < liquid.size(); ++i) wet += liquid[i] && !solid_[i];
    report_.liquid_volume = static_cast<double>(wet) * grid_.cell_volume();
  }

  void look_at_obstacles() {
    for (std::size_t i = 0; i < obstacles_.size(); ++i) {
      const ObstacleSpec& obstacle = scene_.obstacles[i];
      if (!obstacle.motion && obstacles_[i]->bounds().intersection(domain_).isEmpty()) {
        warn(obstacle.location, "the obstacle lies outside the domain",
             "move it inside domain.min to domain.max, or delete it");
        continue;
      }
      if (obstacle.motion && !path_meets_domain(shapes_.obstacles[i], *obstacle.motion)) {
        warn(obstacle.location,
             fmt::format("the obstacle stays outside the domain for all {:.4g} s of the scene",
                         seconds()),
             "change its motion, or delete it");
        continue;
      }
      // What moves may come in from outside: all of it counts.
      const Box3 bounds = obstacles_[i]->bounds();
      const bool comes_and_goes = obstacle.motion && bounds.sizes().allFinite();
      warn_if_thin(obstacles_[i], comes_and_goes ? bounds : domain_, obstacle.location, "obstacle",
                   "liquid may leak through");
    }
  }

  [[nodiscard]] double seconds() const { return scene_.time.frames / scene_.time.fps; }

  // By boxes around it at many times, grown by what it may move between two of them: in doubt, yes.
  [[nodiscard]] bool path_meets_domain(const ShapePtr& shape, const MotionSpec& spec) const {
    const Motion motion = build_motion(spec);
    const auto box_at = [&](double t) {
      const Pose pose = motion.pose(t);
      return make_placed(shape, {.rotation = pose.rotation, .translation = pose.translation})
          ->bounds();
    };
    const int steps = std::clamp(4 * scene_.time.frames, 64, 4096);
    const double step = seconds() / steps;
    for (int i = 0; i < steps; ++i) {
      const double begin = i * step, end = (i + 1) * step;
      Box3 box = box_at(begin).merged(box_at(end));
      if (box.isEmpty()) return false;
      if (!box.sizes().allFinite()) return true;
      const Vec3 reach = Vec3::Constant(step * motion.max_speed(box, begin, end));
      box = Box3(box.min() - reach, box.max() + reach);
      if (!box.intersection(domain_).isEmpty()) return true;
    }
    return false;
  }

  void look_at_sources() {
    const double end = seconds();
    for (std::size_t i = 0; i < shapes_.sources.size(); ++i) {
      const SourceSpec& source = scene_.sources[i];
      if (source.start >= end) {
        warn(source.location,
             fmt::format("the source starts at {:.4g} s, but the scene ends at {:.4g} s",
                         source.start, end),
             "start it earlier or raise time.frames");
      }
      if (warn_of_lost_region(shapes_.sources[i], source.location, "source")) continue;
      warn_if_thin(shapes_.sources[i], domain_, source.location, "source",
                   "its inflow is not resolved");
    }
    for (std::size_t i = 0; i < shapes_.sinks.size(); ++i) {
      const Location& where = scene_.sinks[i].location;
      if (warn_of_lost_region(shapes_.sinks[i], where, "sink")) continue;
      warn_if_small(shapes_.sinks[i], where, "sink", "it may drain nothing");
    }
  }

  const Scene& scene_;
  const SceneShapes& shapes_;
  const MeshLibrary& library_;
  Box3 domain_;
  double cell_;
  SampleGrid grid_;
  std::vector<ShapePtr> obstacles_;  // at the start
  std::vector<char> solid_;          // which of the grid's centres are inside them
  SceneReport report_;
};

}  // namespace

SceneReport examine_scene(const Scene& scene, const SceneShapes& shapes,
                          const MeshLibrary& library) {
  return Doctor(scene, shapes, library).run();
}

}  // namespace spindrift
