#include <algorithm>
#include <optional>
#include <random>

#include "spindrift/app/bench.hpp"
#include "spindrift/app/bench_torus.hpp"
#include "spindrift/core/parallel.hpp"
#include "spindrift/geometry/morton.hpp"
#include "spindrift/mesh/boundary.hpp"
#include "spindrift/mesh/tet_locator.hpp"
#include "spindrift/meshing/stuffing.hpp"

namespace spindrift::app {

namespace {

constexpr int kRepeats = 5;

// Half of them anywhere in the box, half within two cells of the surface, shuffled.
std::vector<Vec3> random_points(const TetMesh& mesh, const Box3& box, std::int64_t count) {
  std::mt19937_64 engine(1);
  std::uniform_real_distribution<double> unit(0, 1);
  const TriangleMesh surface = boundary_of(mesh).surface;
  std::uniform_int_distribution<std::size_t> any_vertex(0, surface.vertices.size() - 1);
  std::vector<Vec3> points;
  for (std::int64_t i = 0; i < count / 2; ++i) {
    const Vec3 place(unit(engine), unit(engine), unit(engine));
    points.emplace_back(box.min() + place.cwiseProduct(box.sizes()));
    Vec3 move;
    do {
      move = 2 * Vec3(unit(engine), unit(engine), unit(engine)) - Vec3::Ones();
    } while (move.norm() > 1);
    points.emplace_back(surface.vertices[any_vertex(engine)] + 2 * mesh.lattice_size * move);
  }
  std::shuffle(points.begin(), points.end(), engine);
  return points;
}

void sort_by_place(std::vector<Vec3>& points, const Box3& box, double size) {
  std::vector<std::pair<std::uint64_t, std::size_t>> order;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec3i cell = ((points[i] - box.min()) / size).array().floor().cast<int>();
    order.emplace_back(morton_key(cell), i);
  }
  std::sort(order.begin(), order.end());
  std::vector<Vec3> sorted;
  for (const auto& [key, i] : order) sorted.push_back(points[i]);
  points = std::move(sorted);
}

struct Build {
  double nanoseconds_per_tet = 0, bytes_per_tet = 0;
};

void bench_order(const TetLocator& locator, const TetMesh& mesh, const std::vector<Vec3>& points,
                 const char* order, int threads, const Build& build, BenchTable& table) {
  std::vector<std::int32_t> tets(points.size());
  const double seconds = best_seconds(kRepeats, [&] { locator.find(points, tets); });
  const auto found = std::count_if(tets.begin(), tets.end(), [](std::int32_t t) { return t >= 0; });
  table.add({{"points", std::ssize(points)},
             {"tets", mesh.tet_count()},
             {"threads", threads},
             {"order", order},
             {"ns_per_point", 1e9 * seconds / static_cast<double>(points.size())},
             {"found", found},
             {"build_ns_per_tet", build.nanoseconds_per_tet},
             {"bytes_per_tet", build.bytes_per_tet}});
}

void bench_size(double tets, std::int64_t count, BenchTable& table) {
  const ShapePtr shape = bench_torus();
  const TetMesh mesh = stuff(*shape, shape->bounds(), {.size = bench_torus_size(tets)});
  const TetNeighbors neighbors = find_neighbors(mesh);
  const std::vector<Vec3> shuffled = random_points(mesh, shape->bounds(), count);
  std::vector<Vec3> sorted = shuffled;
  sort_by_place(sorted, shape->bounds(), mesh.lattice_size);
  for (const int threads : bench_threads()) {
    const ThreadLimit limit(threads);
    std::optional<TetLocator> locator;
    const double seconds = best_seconds(kRepeats, [&] {
      locator.reset();
      locator.emplace(mesh, neighbors);
    });
    const auto mesh_tets = static_cast<double>(mesh.tet_count());
    const Build build = {1e9 * seconds / mesh_tets,
                         static_cast<double>(locator->bytes()) / mesh_tets};
    bench_order(*locator, mesh, sorted, "morton", threads, build, table);
    bench_order(*locator, mesh, shuffled, "random", threads, build, table);
  }
}

}  // namespace

void bench_locate(const BenchOptions& options) {
  const std::vector<double> sizes =
      options.quick ? std::vector<double>{0.1e6, 0.4e6} : std::vector<double>{0.1e6, 1e6, 5e6};
  BenchTable table("locate", options.json);
  for (const double tets : sizes) bench_size(tets, options.quick ? 200'000 : 1'000'000, table);
}

}  // namespace spindrift::app
