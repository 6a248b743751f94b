// Benchmarks: rows of measurements, printed as a table or as JSON objects.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "spindrift/app/output.hpp"

namespace spindrift::app {

struct BenchOptions {
  bool quick = false;  // stay under 40 s
  double tets = 0;     // only this many, where there is a choice; 0: all sizes
  bool json = false;
};

// Prints rows as they come. All rows of one table have the same keys.
class BenchTable {
 public:
  BenchTable(const char* bench, bool json) : bench_(bench), json_(json) {}
  void add(const Json& row);

 private:
  std::string bench_;
  bool json_;
  std::vector<std::string> header_;
};

// How many threads to measure with: one, and all that may be used.
[[nodiscard]] std::vector<int> bench_threads();

// The least of `repeats` wall times of `work`, in seconds: the one least disturbed by the machine.
[[nodiscard]] double best_seconds(int repeats, const std::function<void()>& work);

// Frames of a dam break of up to 1.5 million triangles written with their checkpoints, beside the
// steps that make them.
void bench_cache(const BenchOptions& options);

// A step of the contouring tracker on surfaces of up to 4 million triangles, beside OpenVDB's
// meshToVolume and volumeToMesh of the same surfaces.
void bench_contour(const BenchOptions& options);

// Steps of a dam break that flows, of up to 4 million tetrahedra, by their parts.
void bench_frame(const BenchOptions& options);

// Reading meshes, and closest points, rays and winding numbers on a mesh of a million triangles,
// beside Embree on the same mesh and queries.
void bench_geometry(const BenchOptions& options);

// Finding the tetrahedra of a million points, in a torus of up to 5 million.
void bench_locate(const BenchOptions& options);

// Filling a torus with up to 10 million tetrahedra, with neighbours, faces and their geometry: from
// its distance, and from triangles.
void bench_mesh(const BenchOptions& options);

// Pressure systems of liquids of up to 5 million tetrahedra, by all solvers.
void bench_pressure(const BenchOptions& options);

}  // namespace spindrift::app
