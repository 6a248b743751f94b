#include "spindrift/scene/doctor.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "spindrift/core/parallel.hpp"
#include "spindrift/core/text.hpp"
#include "spindrift/geometry/thickness.hpp"

namespace spindrift {

namespace {

// Walls must be this many finest cells thick to be tight, inflows to be seen by the mesh.
constexpr double kCellsThick = 2;

std::string millimetres(double metres) { return fmt::format("{:.3g} mm", 1000 * metres); }

std::string position(const Vec3& p) {
  return fmt::format("({:.4g}, {:.4g}, {:.4g})", p.x(), p.y(), p.z());
}

// Centres of a regular grid over the domain, about `count` of them along its longest side.
class SampleGrid {
 public:
  SampleGrid(const Box3& box, int count) : box_(box) {
    const double size = box.sizes().maxCoeff() / count;
    for (int axis = 0; axis < 3; ++axis) {
      counts_[axis] = std::max(1, static_cast<int>(std::lround(box.sizes()[axis] / size)));
    }
  }
  [[nodiscard]] std::int64_t size() const {
    return std::int64_t{counts_.x()} * counts_.y() * counts_.z();
  }
  [[nodiscard]] double cell_volume() const { return box_.volume() / static_cast<double>(size()); }
  [[nodiscard]] std::vector<Vec3> points() const {
    std::vector<Vec3> result;
    result.reserve(size());
    const Vec3 step = box_.sizes().cwiseQuotient(counts_.cast<double>());
    for (int z = 0; z < counts_.z(); ++z) {
      for (int y = 0; y < counts_.y(); ++y) {
        for (int x = 0; x < counts_.x(); ++x) {
          result.emplace_back(box_.min() + Vec3(x + 0.5, y + 0.5, z + 0.5).cwiseProduct(step));
        }
      }
    }
    return result;
  }

 private:
  Box3 box_;
  Vec3i counts_;
};

// Which of the points are inside the shape. Only those in its bounds are asked: a mesh is slow.
std::vector<char> points_inside(const Shape& shape, const std::vector<Vec3>& points) {
  const Box3 box = shape.bounds();
  std::vector<std::size_t> asked;
  std::vector<Vec3> positions;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!box.contains(points[i])) continue;
    asked.push_back(i);
    positions.push_back(points[i]);
  }
  std::vector<double> values(positions.size());
  evaluate_parallel(shape, positions, values);
  std::vector<char> inside(points.size(), 0);
  for (std::size_t k = 0; k < asked.size(); ++k) inside[asked[k]] = values[k] < 0;
  return inside;
}

std::vector<char> points_inside_any(const std::vector<ShapePtr>& shapes,
                                    const std::vector<Vec3>& points) {
  std::vector<char> inside(points.size(), 0);
  for (const ShapePtr& shape : shapes) {
    const std::vector<char> one = points_inside(*shape, points);
    for (std::size_t i = 0; i < inside.size(); ++i) inside[i] |= one[i];
  }
  return inside;
}

std::vector<ShapePtr> place_obstacles(const Scene& scene, const SceneShapes& shapes) {
  std::vector<ShapePtr> placed;
  for (std::size_t i = 0; i < shapes.obstacles.size(); ++i) {
    placed.push_back(make_placed(shapes.obstacles[i], initial_placement(scene.obstacles[i])));
  }
  return placed;
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
        points_(grid_.points()),
        obstacles_(place_obstacles(scene, shapes)),
        solid_(points_inside_any(obstacles_, points_)) {}

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
      if (mesh.open_edges > 0) {
        warn(mesh.location,
             fmt::format("{} is open ({}); inside is guessed by its winding number", path,
                         count_of(mesh.open_edges, "edge", "edges")),
             "look at the render, or close the mesh in your modelling tool");
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
    std::int64_t inside = 0, blocked = 0;
    const std::vector<char> is_inside = points_inside(*shape, points_);
    for (std::size_t i = 0; i < points_.size(); ++i) {
      inside += is_inside[i];
      blocked += is_inside[i] && solid_[i];
    }
    if (inside > 0 && blocked == inside) {
      warn(where, fmt::format("the {} lies inside an obstacle", what), "move one of them");
      return true;
    }
    return false;
  }

  void warn_if_thin(const ShapePtr& shape, const Location& where, const char* what,
                    const char* consequence) {
    const ThicknessReport thickness =
        measure_thickness(*shape, domain_, {.limit = kCellsThick * cell_});
    if (!thickness.has_thin_walls()) return;
    const double needed = thickness.thinnest / kCellsThick;
    warn(where,
         fmt::format("the {} is only {} thick at {}, less than {} finest cells ({}): {}", what,
                     millimetres(thickness.thinnest), position(thickness.place), kCellsThick,
                     millimetres(kCellsThick * cell_), consequence),
         fmt::format("make it thicker, or use cells of {} (resolution.size = {:.2g})",
                     millimetres(needed), needed));
  }

  void look_at_bodies() {
    for (std::size_t i = 0; i < shapes_.bodies.size(); ++i) {
      const Location& where = scene_.liquid.bodies[i].location;
      if (warn_of_lost_region(shapes_.bodies[i], where, "liquid body")) continue;
      warn_if_thin(shapes_.bodies[i], where, "liquid body", "thin parts may not be simulated");
    }
    const std::vector<char> liquid = points_inside_any(shapes_.bodies, points_);
    std::int64_t wet = 0;
    for (std::size_t i = 0; i < points_.size(); ++i) wet += liquid[i] && !solid_[i];
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
      warn_if_thin(obstacles_[i], obstacle.location, "obstacle", "liquid may leak through");
    }
  }

  void look_at_sources() {
    const double end = scene_.time.frames / scene_.time.fps;
    for (std::size_t i = 0; i < shapes_.sources.size(); ++i) {
      const SourceSpec& source = scene_.sources[i];
      if (source.start >= end) {
        warn(source.location,
             fmt::format("the source starts at {:.4g} s, but the scene ends at {:.4g} s",
                         source.start, end),
             "start it earlier or raise time.frames");
      }
      if (warn_of_lost_region(shapes_.sources[i], source.location, "source")) continue;
      warn_if_thin(shapes_.sources[i], source.location, "source", "its inflow is not resolved");
    }
    for (std::size_t i = 0; i < shapes_.sinks.size(); ++i) {
      warn_of_lost_region(shapes_.sinks[i], scene_.sinks[i].location, "sink");
    }
  }

  const Scene& scene_;
  const SceneShapes& shapes_;
  const MeshLibrary& library_;
  Box3 domain_;
  double cell_;
  SampleGrid grid_;
  std::vector<Vec3> points_;
  std::vector<ShapePtr> obstacles_;  // at the start
  std::vector<char> solid_;          // which of the points are inside them
  SceneReport report_;
};

}  // namespace

SceneReport examine_scene(const Scene& scene, const SceneShapes& shapes,
                          const MeshLibrary& library) {
  return Doctor(scene, shapes, library).run();
}

}  // namespace spindrift
