#include <cmath>
#include <functional>
#include <memory>
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

// Fills something with cells of a size.
using Fill = std::function<TetMesh(double size, StuffingReport* report)>;

Timed run(const Fill& fill, double size, TetMesh& mesh, std::optional<MeshFaces>& faces) {
  // As in a step: the mesh before goes first.
  faces.reset();
  mesh = TetMesh();
  Timed timed;
  const Stopwatch meshing;
  mesh = fill(size, &timed.report);
  timed.seconds_mesh = meshing.seconds();
  const Stopwatch matching;
  TetNeighbors neighbors = find_neighbors(mesh);
  timed.seconds_neighbors = matching.seconds();
  const Stopwatch numbering;
  faces.emplace(mesh, std::move(neighbors));
  timed.seconds_faces = numbering.seconds();
  return timed;
}

struct Case {
  std::int64_t input_triangles;  // 0: a distance
  Fill fill;
  double size;
};

void bench_case(const Case& input, int threads, double bytes_before, BenchTable& table) {
  constexpr int kRepeats = 5;
  const ThreadLimit limit(threads);
  TetMesh mesh;
  std::optional<MeshFaces> faces;
  const Timed first = run(input.fill, input.size, mesh, faces);
  Timed best = first;
  for (int i = 0; i < kRepeats; ++i) {
    const Timed timed = run(input.fill, input.size, mesh, faces);
    if (timed.seconds() < best.seconds()) best = timed;
  }
  const auto count = static_cast<double>(mesh.tet_count());
  std::int64_t standard = 0;
  for (const ShapeCode code : mesh.shapes) standard += code.is_standard();
  const TetQuality quality = measure_quality(mesh);
  Json row = {{"tets", mesh.tet_count()},
              {"threads", threads},
              {"input_triangles", input.input_triangles},
              {"seconds", best.seconds_mesh},
              {"tets_per_second", count / best.seconds_mesh},
              {"tets_per_second_full", count / best.seconds()},
              {"tets_per_second_full_first", count / first.seconds()},
              {"bytes_per_tet", (static_cast<double>(peak_bytes()) - bytes_before) / count},
              {"standard_tets", static_cast<double>(standard) / count},
              {"min_dihedral", quality.min_dihedral.value},
              {"max_dihedral", quality.max_dihedral.value}};
  row["seconds_triangles"] = 0;
  for (const auto& phase : best.report.stats.phases()) {
    row["seconds_" + phase.name] = phase.value;
  }
  row["seconds_neighbors"] = best.seconds_neighbors;
  row["seconds_faces"] = best.seconds_faces;
  table.add(row);
}

Case fill_distance(double tets) {
  const ShapePtr shape = bench_torus();
  const auto fill = [shape](double size, StuffingReport* report) {
    return stuff(*shape, shape->bounds(), {.size = size}, report);
  };
  return {0, fill, bench_torus_size(tets)};
}

Case fill_triangles(int around, int across, double tets) {
  const auto mesh = std::make_shared<const TriangleMesh>(bumpy_torus(around, across));
  const auto fill = [mesh](double size, StuffingReport* report) {
    return stuff(*mesh, {.size = size}, report);
  };
  double size = 0.02;
  for (int step = 0; step < 2; ++step) {
    size *= std::sqrt(static_cast<double>(fill(size, nullptr).tet_count()) / tets);
  }
  return {mesh->triangle_count(), fill, size};
}

}  // namespace

void bench_mesh(const BenchOptions& options) {
  const std::vector<double> sizes = options.quick
                                        ? std::vector<double>{0.1e6, 0.4e6}
                                        : std::vector<double>{0.1e6, 0.4e6, 1e6, 2e6, 5e6, 10e6};
  BenchTable table("mesh", options.json);
  // Sizes ascend: the peak is that of the last one.
  const auto bytes_before = static_cast<double>(peak_bytes());
  const auto bench = [&](const Case& input) {
    for (const int threads : bench_threads()) bench_case(input, threads, bytes_before, table);
  };
  for (const double tets : sizes) {
    bench(fill_distance(tets));
    if (tets == 0.4e6) bench(fill_triangles(250, 80, tets));
    if (tets == 1e6) bench(fill_triangles(500, 200, tets));
    if (tets == 5e6) bench(fill_triangles(1000, 500, tets));
  }
}

}  // namespace spindrift::app
