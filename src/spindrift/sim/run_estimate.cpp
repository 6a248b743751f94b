#include "spindrift/sim/run_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "spindrift/core/parallel.hpp"
#include "spindrift/sim/openings.hpp"
#include "spindrift/sim/scene_solids.hpp"
#include "spindrift/sim/step_control.hpp"

namespace spindrift {
namespace {

// Measured on the dam break of scenes/ with 24 to 320 cells and surfaces two to four times finer.
constexpr double kTetsPerCell = 13;         // where all are finest
constexpr double kTetsPerSurfaceCell = 40;  // where they are much smaller than the liquid is deep
constexpr double kTrianglesPerVoxel = 2;    // that the surface crosses
constexpr double kRough = 1.25;             // of liquid that has not come to rest
constexpr double kSecondsPerTet = 1.3e-6;   // a step, one thread
constexpr double kSecondsPerTriangle = 4.8e-6;
constexpr double kSecondsPerStep = 0.005;
constexpr double kThreadsHelp = 0.92;  // of a step, the share that further threads take part in
constexpr double kBytes = 40e6;
constexpr double kBytesPerTet = 970;
constexpr double kBytesPerTriangle = 250;

// Measured on the spray of scenes/ with 64 cells: jets open into sheets as thick as this, of their
// radius and of cells at least, and are meshed as if they were as thick as that, cells.
constexpr double kSheetOfJet = 1.0 / 6;
constexpr double kThinnestSheet = 0.6;
constexpr double kMeshedSheet = 1.65;

// What falls in from far above the depth that it comes to rest at is thrown about in sheets and
// drops a few voxels thick, however fine these are. Measured on scenes/: of the volume over the
// voxel, for a fall by the depth; and at most.
constexpr double kThrown = 0.03;
constexpr double kMostThrown = 0.6;

// The greatest speed of a run is that of a few drops for a short time.
constexpr double kUsualSpeed = 0.85;

// Points on a lattice along the longest side of the domain.
constexpr int kSamples = 96;

// What is seen of liquid on a lattice.
struct Wet {
  double volume = 0;  // m^3
  double crossings =
      0;           // m^2: of edges of the lattice that leave the liquid, times its cells' sides
  double top = 0;  // m^2/s^2: the greatest potential
};

// How far up, times gravity.
double potential(const Scene& scene, const Vec3& point) { return -scene.liquid.gravity.dot(point); }

double least_potential(const Scene& scene) {
  double least = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const double g = -scene.liquid.gravity[axis];
    least += std::min(g * scene.domain.min[axis], g * scene.domain.max[axis]);
  }
  return least;
}

bool is_wet(const SceneShapes& shapes, const SolidsAt& solids, const Vec3& point) {
  const auto holds = [&](const ShapePtr& shape) { return shape->distance(point) < 0; };
  return std::any_of(shapes.bodies.begin(), shapes.bodies.end(), holds) &&
         solids.distance(point) > 0;
}

Wet look_at_bodies(const Scene& scene, const SceneShapes& shapes, const Solids& solids) {
  const Box3 box(scene.domain.min, scene.domain.max);
  const double step = box.sizes().maxCoeff() / kSamples;
  const Vec3i count = (box.sizes() / step).array().ceil().cast<int>();
  const SolidsAt now = solids.at(0);
  std::vector<char> is_in(static_cast<std::size_t>(count.prod()), 0);
  const auto place = [&](int x, int y, int z) {
    return static_cast<std::size_t>(x + count.x() * (y + count.y() * z));
  };
  std::vector<Wet> layers(static_cast<std::size_t>(count.z()));
  parallel_for_each(
      count.z(),
      [&](std::int64_t layer) {
        const auto z = static_cast<int>(layer);
        Wet& wet = layers[static_cast<std::size_t>(z)];
        wet.top = least_potential(scene);
        for (int y = 0; y < count.y(); ++y) {
          for (int x = 0; x < count.x(); ++x) {
            const Vec3 point = box.min() + step * Vec3(x + 0.5, y + 0.5, z + 0.5);
            if (!is_wet(shapes, now, point)) continue;
            is_in[place(x, y, z)] = 1;
            wet.volume += step * step * step;
            wet.top = std::max(wet.top, potential(scene, point));
          }
        }
      },
      1);
  Wet all;
  all.top = least_potential(scene);
  for (const Wet& layer : layers) {
    all.volume += layer.volume;
    all.top = std::max(all.top, layer.top);
  }
  const auto is_in_at = [&](const Vec3i& at) {
    return (at.array() >= 0).all() && (at.array() < count.array()).all() &&
           is_in[place(at.x(), at.y(), at.z())] != 0;
  };
  for (int z = -1; z < count.z(); ++z) {
    for (int y = -1; y < count.y(); ++y) {
      for (int x = -1; x < count.x(); ++x) {
        const Vec3i at(x, y, z);
        for (int axis = 0; axis < 3; ++axis) {
          all.crossings += is_in_at(at) != is_in_at(at + Vec3i::Unit(axis)) ? step * step : 0;
        }
      }
    }
  }
  return all;
}

struct Poured {
  double volume = 0;  // m^3, by the end of the run
  double radius = 0;  // m, of the jets, as a mean by volume
};

// Sinks and open sides are not counted: they may be anywhere.
Poured poured_by_sources(const Scene& scene, const SceneShapes& shapes, const Solids& solids) {
  const double end = scene.time.frames / scene.time.fps;
  Poured poured;
  for (std::size_t i = 0; i < scene.sources.size(); ++i) {
    const SourceSpec& source = scene.sources[i];
    const double stop = std::min(end, source.stop ? *source.stop : end);
    const double rate = pouring_rate(*shapes.sources[i], source.velocity, solids, source.start);
    const double volume = std::max(0.0, stop - source.start) * rate;
    const double speed = source.velocity.norm();
    poured.volume += volume;
    poured.radius += speed > 0 ? volume * std::sqrt(rate / (speed * std::numbers::pi)) : 0;
  }
  if (poured.volume > 0) poured.radius /= poured.volume;
  return poured;
}

// The crossings of so much liquid once it covers the bottom of the domain, as far as it goes, and
// of what is thrown about there: it comes from as high as `top`.
double settled_crossings(const Scene& scene, double volume, double top) {
  const Vec3 sizes = scene.domain.max - scene.domain.min;
  int down = 2;
  const double gravity = scene.liquid.gravity.cwiseAbs().maxCoeff(&down);
  const double a = sizes[(down + 1) % 3];
  const double b = sizes[(down + 2) % 3];
  const double cell = cell_size(scene);
  const double depth = std::max(volume / (a * b), cell);
  const double floor = std::min(a * b, volume / depth);
  const double fall = (top - least_potential(scene)) / gravity;
  const double thrown = std::min(kMostThrown, kThrown * fall / depth);
  return kRough * (2 * floor + 2 * (a + b) * depth * std::sqrt(floor / (a * b))) +
         thrown * volume / (cell / scene.resolution.surface);
}

// Of so much liquid in the air, out of jets of this radius; `spread`: how far they have become
// sheets, from 0 to 1.
double flying_crossings(double volume, double radius, double spread, double cell) {
  const double thickness = radius * (1 + spread * (kSheetOfJet - 1));
  return kRough * 2 * volume / std::max(thickness, kThinnestSheet * cell);
}

// Of so much liquid with such a surface: all are finest if it is thin.
double tets_of(const Scene& scene, double volume, double crossings) {
  const double cell = cell_size(scene);
  const bool is_thickened = scene.thickening.enabled && scene.thickening.mesh_radius > 0;
  const double sheet = is_thickened ? crossings / (2 * kRough) * kMeshedSheet * cell : 0;
  const double finest = kTetsPerCell * std::max(volume, sheet) / (cell * cell * cell);
  const double graded = kTetsPerSurfaceCell * crossings / (kRough * cell * cell);
  return finest > 0 && graded > 0 ? finest * graded / std::hypot(finest, graded) : 0;
}

double greatest_speed(const Scene& scene, double top) {
  double start = 0;
  for (const BodySpec& body : scene.liquid.bodies) start = std::max(start, body.velocity.norm());
  for (const SourceSpec& source : scene.sources) start = std::max(start, source.velocity.norm());
  return std::sqrt(start * start + 2 * std::max(0.0, top - least_potential(scene)));
}

// The highest that liquid is or comes from.
double highest(const Scene& scene, const SceneShapes& shapes, const Wet& start) {
  double top = start.top;
  for (const ShapePtr& source : shapes.sources) {
    const Box3 box = source->bounds().intersection(Box3(scene.domain.min, scene.domain.max));
    if (!box.isEmpty()) top = std::max(top, potential(scene, box.center()));
  }
  return top;
}

}  // namespace

RunEstimate estimate_run(const Scene& scene, const SceneShapes& shapes, int threads) {
  const Solids solids = scene_solids(scene, shapes);
  const double cell = cell_size(scene);
  const double voxel = cell / scene.resolution.surface;
  const double frame = 1 / scene.time.fps;
  const double gravity = scene.liquid.gravity.norm();
  const Wet start = look_at_bodies(scene, shapes, solids);
  const Poured poured = poured_by_sources(scene, shapes, solids);
  // It falls apart and spreads while it falls as far as the domain is wide.
  const Vec3 sides = scene.domain.max - scene.domain.min;
  const double length = sides.maxCoeff();
  const double room = std::max(start.volume, sides.prod());
  const double spread_time = gravity > 0 ? std::sqrt(2 * length / gravity) : 1e9;

  const StepLimits limits{cell, scene.time.cfl, scene.time.max_step, gravity};
  const double top = highest(scene, shapes, start);
  const double speed = kUsualSpeed * greatest_speed(scene, top);
  const double cost_of_threads = 1 - kThreadsHelp + kThreadsHelp / threads;
  RunEstimate estimate;
  for (int i = 1; i <= scene.time.frames; ++i) {
    const double time = i * frame;
    const double spread = std::min(1.0, time / spread_time);
    const double share = static_cast<double>(i) / scene.time.frames;
    const double wet = std::min(room, start.volume + share * poured.volume);
    const double flying = (wet - start.volume) * std::min(1.0, spread_time / time);
    const double settled =
        gravity > 0 ? settled_crossings(scene, wet - flying, top) : start.crossings;
    const double crossings = start.crossings + spread * (settled - start.crossings) +
                             flying_crossings(flying, poured.radius, spread, cell);
    const double tets = tets_of(scene, wet, crossings);
    const double triangles = kTrianglesPerVoxel * crossings / (voxel * voxel);
    const double now = std::min(speed, gravity * time + speed * spread);
    const double dt = longest_step(limits, now, solids.max_speed(time - frame, time));
    const double steps = std::ceil(frame / dt - 1e-9);
    estimate.steps += steps;
    estimate.seconds +=
        steps * (kSecondsPerStep +
                 cost_of_threads * (kSecondsPerTet * tets + kSecondsPerTriangle * triangles));
    estimate.tets = std::max(estimate.tets, tets);
    estimate.triangles = std::max(estimate.triangles, triangles);
  }
  estimate.peak_bytes = static_cast<std::int64_t>(kBytes + kBytesPerTet * estimate.tets +
                                                  kBytesPerTriangle * estimate.triangles);
  return estimate;
}

}  // namespace spindrift
