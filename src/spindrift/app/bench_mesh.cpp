#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "spindrift/app/bench.hpp"
#include "spindrift/app/bench_torus.hpp"
#include "spindrift/app/bumpy_torus.hpp"
#include "spindrift/core/parallel.hpp"
#include "spindrift/core/stats.hpp"
#include "spindrift/mesh/mesh_faces.hpp"
#include "spindrift/mesh/quality.hpp"
#include "spindrift/meshing/stuffing.hpp"

namespace spindrift::app {

namespace {

// Everything that a solver needs of a mesh.
struct Timed {
  double seconds_mesh = 0, seconds_neighbors = 0, seconds_faces = 0;
  StuffingReport report;
  [[nodiscard]] double seconds() const { return seconds_mesh + seconds_neighbors + seconds_faces; }
};

Timed run(const Shape& shape, double size, TetMesh& mesh, std::optional<MeshFaces>& faces) {
  // As in a step: the mesh before goes first.
  faces.reset();
  mesh = TetMesh();
  Timed timed;
  const Stopwatch meshing;
  mesh = stuff(shape, shape.bounds(), {.size = size}, &timed.report);
  timed.seconds_mesh = meshing.seconds();
  const Stopwatch matching;
  TetNeighbors neighbors = find_neighbors(mesh);
  timed.seconds_neighbors = matching.seconds();
  const Stopwatch numbering;
  faces.emplace(mesh, std::move(neighbors));
  timed.seconds_faces = numbering.seconds();
  return timed;
}

void bench_size(double tets, int threads, double bytes_before, BenchTable& table) {
  constexpr int kRepeats = 5;
  const ThreadLimit limit(threads);
  const ShapePtr shape = bench_torus();
  const double size = bench_torus_size(tets);
  TetMesh mesh;
  std::optional<MeshFaces> faces;
  const Timed first = run(*shape, size, mesh, faces);
  Timed best = first;
  for (int i = 0; i < kRepeats; ++i) {
    const Timed timed = run(*shape, size, mesh, faces);
    if (timed.seconds() < best.seconds()) best = timed;
  }
  const auto count = static_cast<double>(mesh.tet_count());
  std::int64_t standard = 0;
  for (const ShapeCode code : mesh.shapes) standard += code.is_standard();
  const TetQuality quality = measure_quality(mesh);
  Json row = {{"tets", mesh.tet_count()},
              {"threads", threads},
              {"tets_per_second", count / best.seconds_mesh},
              {"tets_per_second_full", count / best.seconds()},
              {"tets_per_second_full_first", count / first.seconds()},
              {"bytes_per_tet", (static_cast<double>(peak_bytes()) - bytes_before) / count},
              {"standard_tets", static_cast<double>(standard) / count},
              {"min_dihedral", quality.min_dihedral.value},
              {"max_dihedral", quality.max_dihedral.value}};
  for (const auto& phase : best.report.stats.phases()) {
    row["seconds_" + phase.name] = phase.value;
  }
  row["seconds_neighbors"] = best.seconds_neighbors;
  row["seconds_faces"] = best.seconds_faces;
  table.add(row);
}

// From a mesh of so many triangles, everything counted from the triangles on.
void bench_triangles(int around, int across, double tets, int threads, BenchTable& table) {
  constexpr int kRepeats = 5;
  const ThreadLimit limit(threads);
  const TriangleMesh input = bumpy_torus(around, across);
  double size = 0.02;
  for (int step = 0; step < 2; ++step) {
    const auto count = static_cast<double>(stuff(input, {.size = size}).tet_count());
    size *= std::sqrt(count / tets);
  }
  StuffingReport best;
  double best_seconds = std::numeric_limits<double>::infinity();
  std::int64_t count = 0;
  for (int i = 0; i < kRepeats; ++i) {
    StuffingReport report;
    const Stopwatch watch;
    count = stuff(input, {.size = size}, &report).tet_count();
    const double seconds = watch.seconds();
    if (seconds < best_seconds) best = report;
    best_seconds = std::min(best_seconds, seconds);
  }
  Json row = {{"input_triangles", input.triangle_count()},
              {"tets", count},
              {"threads", threads},
              {"seconds", best_seconds},
              {"tets_per_second", static_cast<double>(count) / best_seconds}};
  for (const auto& phase : best.stats.phases()) row["seconds_" + phase.name] = phase.value;
  table.add(row);
}

}  // namespace

void bench_mesh(const BenchOptions& options) {
  const std::vector<double> sizes = options.quick
                                        ? std::vector<double>{0.1e6, 0.4e6}
                                        : std::vector<double>{0.1e6, 0.4e6, 1e6, 2e6, 5e6, 10e6};
  BenchTable table("mesh", options.json);
  // Sizes ascend: the peak is that of the last one.
  const auto bytes_before = static_cast<double>(peak_bytes());
  for (const double tets : sizes) {
    for (const int threads : bench_threads()) bench_size(tets, threads, bytes_before, table);
  }
  for (const int threads : bench_threads()) {
    if (options.quick) {
      bench_triangles(250, 80, 0.1e6, threads, table);
    } else {
      bench_triangles(500, 200, 1e6, threads, table);
      bench_triangles(1000, 500, 5e6, threads, table);
    }
  }
}

}  // namespace spindrift::app
