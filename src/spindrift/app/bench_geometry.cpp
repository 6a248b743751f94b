#include <cmath>
#include <filesystem>
#include <numbers>

#include "spindrift/app/bench.hpp"
#include "spindrift/app/bumpy_torus.hpp"
#include "spindrift/app/embree_baseline.hpp"
#include "spindrift/core/parallel.hpp"
#include "spindrift/geometry/mesh_check.hpp"
#include "spindrift/geometry/mesh_shape.hpp"
#include "spindrift/geometry/triangle_bvh.hpp"
#include "spindrift/io/mesh_file.hpp"

namespace spindrift::app {

namespace {

// Points for queries: spread through a box, or close to the surface, where simulations ask.
std::vector<Vec3> query_points(const TriangleMesh& mesh, std::int64_t count, double noise) {
  const Box3 box = bounds(mesh);
  std::vector<Vec3> points(count);
  std::uint64_t state = 1;
  const auto unit = [&] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state >> 11) * 0x1p-53;
  };
  for (Vec3& p : points) {
    const Vec3 random(unit(), unit(), unit());
    if (noise == 0) {
      p = box.min() + random.cwiseProduct(box.sizes());
    } else {
      const auto vertex =
          static_cast<std::size_t>(unit() * static_cast<double>(mesh.vertices.size()));
      p = mesh.vertices[vertex] + noise * (random - Vec3::Constant(0.5));
    }
  }
  return points;
}

// Embree's closest points take long: a part of the points is enough to know its rate.
constexpr std::int64_t kEmbreeShare = 20;

template <class Query>
double queries_per_second(std::int64_t count, const Query& query) {
  return static_cast<double>(count) / best_seconds(2, [&] { parallel_for_each(count, query); });
}

void bench_files(const TriangleMesh& mesh, BenchTable& table) {
  const auto folder = std::filesystem::temp_directory_path() / "spindrift-bench";
  std::filesystem::create_directories(folder);
  for (const char* format : {"ply", "obj"}) {
    const auto path = folder / (std::string("torus.") + format);
    const double write = best_seconds(2, [&] { write_mesh(path, mesh); });
    const double read = best_seconds(3, [&] { static_cast<void>(read_mesh(path)); });
    table.add({{"format", format},
               {"triangles", mesh.triangle_count()},
               {"megabytes", static_cast<double>(std::filesystem::file_size(path)) / 1e6},
               {"seconds_read", read},
               {"seconds_write", write}});
  }
  std::filesystem::remove_all(folder);
}

void bench_queries(const TriangleMesh& mesh, std::int64_t count, int threads, BenchTable& table) {
  const ThreadLimit limit(threads);
  std::unique_ptr<TriangleBvh> bvh;
  const double build = best_seconds(2, [&] { bvh = std::make_unique<TriangleBvh>(mesh); });
  std::unique_ptr<EmbreeBaseline> embree;
  const double embree_build =
      best_seconds(2, [&] { embree = std::make_unique<EmbreeBaseline>(mesh); });
  std::vector<double> ours(count), theirs(count);
  const auto row = [&](const char* query, const char* where, double per_second,
                       const Json& embree_per_second) {
    table.add({{"query", query},
               {"points", where},
               {"triangles", mesh.triangle_count()},
               {"threads", threads},
               {"per_second", std::round(per_second)},
               {"embree_per_second", embree_per_second}});
  };
  row("build", "triangles", static_cast<double>(mesh.triangle_count()) / build,
      std::round(static_cast<double>(mesh.triangle_count()) / embree_build));
  for (const auto& [where, noise] : {std::pair{"box", 0.0}, {"surface", 0.02}}) {
    const std::vector<Vec3> points = query_points(mesh, count, noise);
    row("closest", where,
        queries_per_second(count,
                           [&](auto i) { ours[i] = bvh->closest_point(points[i]).distance2; }),
        std::round(queries_per_second(count / kEmbreeShare, [&](auto i) {
          theirs[i] = embree->closest_distance2(points[i]);
        })));
    row("winding", where,
        queries_per_second(count, [&](auto i) { ours[i] = bvh->winding_number(points[i]); }),
        nullptr);
    const Vec3 direction = Vec3(0.3, -0.5, 0.8).normalized();
    row("ray", where,
        queries_per_second(count,
                           [&](auto i) {
                             const auto hit = bvh->first_hit(points[i], direction);
                             ours[i] = hit ? hit->t : -1;
                           }),
        std::round(queries_per_second(
            count, [&](auto i) { theirs[i] = embree->first_hit(points[i], direction); })));
  }
}

}  // namespace

void bench_geometry(const BenchOptions& options) {
  const int side = options.quick ? 400 : 1000;
  const TriangleMesh mesh = bumpy_torus(side, side / 2);
  const std::int64_t queries = options.quick ? 100'000 : 1'000'000;
  BenchTable files("geometry", options.json);
  bench_files(mesh, files);
  BenchTable table("geometry", options.json);
  for (const int threads : bench_threads()) bench_queries(mesh, queries, threads, table);
  BenchTable checks("geometry", options.json);
  checks.add({{"check", "all defects"},
              {"triangles", mesh.triangle_count()},
              {"seconds", best_seconds(1, [&] { static_cast<void>(check_mesh(mesh)); })}});
}

}  // namespace spindrift::app
