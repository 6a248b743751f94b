// A scene as plain data: what the file says, checked and with every default filled in.
//
// Lengths in metres, times in seconds, z up. docs/scene.md documents every key; the grammar that
// reads, writes and documents these structs is grammar.cpp.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "spindrift/core/vec.hpp"
#include "spindrift/scene/shape_spec.hpp"

namespace spindrift {

// The version of the scene format that this Spindrift reads and writes.
inline constexpr int kSceneFormat = 1;

struct TimeSettings {
  double fps = 24;
  int frames = 120;
  double cfl = 4;              // finest octants that the liquid crosses in a step
  double max_step = 1.0 / 24;  // s
  bool operator==(const TimeSettings&) const = default;
};

enum class Side { wall, open };

struct DomainSettings {
  Vec3 min = Vec3::Zero(), max = Vec3::Ones();  // m
  std::array<Side, 6> sides{};                  // x_min, x_max, y_min, y_max, z_min, z_max
  bool operator==(const DomainSettings&) const = default;
};

// Exactly one of `cells` and `size` is set.
struct ResolutionSettings {
  std::optional<int> cells = 64;  // finest octants along the longest side of the domain
  std::optional<double> size;     // edge of a finest octant, m
  int surface = 2;                // surface voxels along the edge of a finest octant
  bool operator==(const ResolutionSettings&) const = default;
};

enum class Projection { consistent, two_point };

struct SolverSettings {
  Projection projection = Projection::consistent;
  double tolerance = 1e-5;  // of the residual, relative
  bool operator==(const SolverSettings&) const = default;
};

struct VolumeSettings {
  bool control = true;
  bool operator==(const VolumeSettings&) const = default;
};

// Lengths in surface voxels, those of mesh_* in finest octants. [Chentanez2007 §3.4]
struct ThickeningSettings {
  bool enabled = true;
  double redistribution = 1.5;  // r_redis; the paper: between 0 and 3
  double thinness = 1.2;        // gamma of the surface
  double small = 0.6;           // beta_slc = 0.5 gamma; of the thickness
  double grow_big = 0.25;       // r_ib
  double grow_small = 0.15;     // r_is
  double mesh_thinness = 1.2;   // gamma of the mesh
  double mesh_radius = 0.6;     // gamma_mesh
  double mesh_support = 4;      // h of the kernel W
  bool operator==(const ThickeningSettings&) const = default;
};

struct BodySpec {
  ShapeSpec shape;
  Vec3 velocity = Vec3::Zero();  // m/s at the start
  Place location;
  bool operator==(const BodySpec&) const = default;
};

struct LiquidSettings {
  double density = 1000;      // kg/m^3
  Vec3 gravity{0, 0, -9.81};  // m/s^2
  std::vector<BodySpec> bodies;
  bool operator==(const LiquidSettings&) const = default;
};

struct ObstacleSpec {
  ShapeSpec shape;
  std::optional<MotionSpec> motion;
  Place location;
  bool operator==(const ObstacleSpec&) const = default;
};

// Active while start <= t < stop.
struct SourceSpec {
  ShapeSpec shape;
  Vec3 velocity = Vec3::Zero();  // m/s
  double start = 0;              // s
  std::optional<double> stop;    // s; not set: never
  Place location;
  bool operator==(const SourceSpec&) const = default;
};

struct SinkSpec {
  ShapeSpec shape;
  Place location;
  bool operator==(const SinkSpec&) const = default;
};

enum class ProbeKind { height, pressure, velocity };

struct ProbeSpec {
  std::string name = "probe";
  ProbeKind kind = ProbeKind::height;
  Vec3 at = Vec3::Zero();  // m; z is 0 and has no meaning for heights
  Place location;
  bool operator==(const ProbeSpec&) const = default;
};

struct OutputSettings {
  bool surface = true, mesh = false, levelset = false;
  bool operator==(const OutputSettings&) const = default;
};

struct CameraSettings {
  Vec3 eye = Vec3::Zero(), target = Vec3::Zero();  // m
  double fov = 40;                                 // degrees, vertical
  bool operator==(const CameraSettings&) const = default;
};

struct Scene {
  std::string name = "scene";
  TimeSettings time;
  DomainSettings domain;
  ResolutionSettings resolution;
  SolverSettings solver;
  VolumeSettings volume;
  ThickeningSettings thickening;
  LiquidSettings liquid;
  std::vector<ObstacleSpec> obstacles;
  std::vector<SourceSpec> sources;
  std::vector<SinkSpec> sinks;
  std::vector<ProbeSpec> probes;
  OutputSettings output;
  std::optional<CameraSettings> camera;
  Place location;
  bool operator==(const Scene&) const = default;
};

// Edge of a finest octant, m.
[[nodiscard]] double cell_size(const Scene& scene);

}  // namespace spindrift
