#include <algorithm>
#include <cmath>

#include "spindrift/app/bench.hpp"
#include "spindrift/app/hypre_runs.hpp"
#include "spindrift/core/parallel.hpp"
#include "spindrift/flow/operators.hpp"
#include "spindrift/flow/pressure_system.hpp"
#include "spindrift/geometry/shape.hpp"
#include "spindrift/linear/linear_solver.hpp"
#include "spindrift/meshing/boundary_tags.hpp"
#include "spindrift/meshing/obstacles.hpp"
#include "spindrift/meshing/stuffing.hpp"

namespace spindrift::app {

namespace {

struct Liquid {
  const char* name;
  ShapePtr shape;
  ShapePtr obstacle;  // or none
  double coarsest;    // m, cells that still find all of it
};

// Drops of four sizes, none of which touch.
ShapePtr droplets() {
  std::vector<ShapePtr> drops;
  for (int i = 0; i < 12; ++i) {
    for (int j = 0; j < 12; ++j) {
      for (int k = 0; k < 12; ++k) {
        const double radius = 0.018 + 0.006 * ((i + 3 * j + 5 * k) % 4);
        drops.push_back(
            make_sphere(0.1 * Vec3(i, j, k) + Vec3(0.003 * j, 0.002 * k, 0.001 * i), radius));
      }
    }
  }
  return make_union(std::move(drops));
}

std::vector<Liquid> liquids() {
  const ShapePtr tank = make_difference(
      {make_box(Vec3::Constant(-9), Vec3::Constant(9)), make_box({0, 0, 0}, {3.2, 1, 3})});
  const ShapePtr post = make_cylinder({2.4, 0.5, -1}, {2.4, 0.5, 1}, 0.2);
  return {
      {"sphere", make_sphere({0, 0, 0}, 1), nullptr, 0.2},
      {"dam_break",
       make_union({make_box({-1, -1, -1}, {1.2, 2, 1.1}), make_box({-1, -1, -1}, {4, 2, 0.15})}),
       make_union({tank, post}), 0.1},
      {"sheet", make_box({0, 0, 0}, {3, 3, 0.06}), nullptr, 0.06},
      {"droplets", droplets(), nullptr, 0.03}};
}

CellMesh mesh_of(const Liquid& liquid, double size) {
  const Box3 box = liquid.obstacle == nullptr
                       ? Box3(liquid.shape->bounds().min().array() - 2 * size,
                              liquid.shape->bounds().max().array() + 2 * size)
                       : Box3(Vec3::Constant(-0.3), Vec3(3.5, 1.3, 1.5));
  TetMesh mesh;
  std::vector<TaggedFace> tags;
  if (liquid.obstacle == nullptr) {
    mesh = stuff(*liquid.shape, box, {.size = size});
  } else {
    mesh = stuff(WithoutObstacles(*liquid.shape, *liquid.obstacle), box, {.size = size});
  }
  TetNeighbors neighbors = find_neighbors(mesh);
  if (liquid.obstacle != nullptr) {
    LiquidBoundary boundary =
        find_liquid_boundary(mesh, neighbors, *liquid.shape, *liquid.obstacle);
    (void)snap_to_obstacles(mesh, boundary, *liquid.shape, *liquid.obstacle);
    tags = tag_boundary(mesh, boundary, *liquid.shape, *liquid.obstacle).faces;
  }
  return cell_mesh(mesh, MeshFaces(mesh, std::move(neighbors)), tags);
}

// By steps along a power law.
CellMesh mesh_with(const Liquid& liquid, double tets) {
  double size = 0.03;
  CellMesh mesh = mesh_of(liquid, size);
  for (int step = 0; step < 3; ++step) {
    const double ratio = static_cast<double>(mesh.cell_count()) / tets;
    if (std::abs(ratio - 1) < 0.05) break;
    size = std::min(liquid.coarsest, size * std::pow(ratio, 0.45));
    mesh = mesh_of(liquid, size);
  }
  return mesh;
}

// A swirl with divergence, of waves of all lengths.
std::vector<Vec3> velocity_before(const CellMesh& mesh) {
  std::vector<Vec3> velocity(mesh.centers.size());
  for (std::size_t c = 0; c < velocity.size(); ++c) {
    const Vec3& x = mesh.centers[c];
    for (const double k : {1.0, 4.0, 16.0, 64.0}) {
      velocity[c] = (k == 1 ? Vec3::Zero() : velocity[c]) +
                    Vec3(std::sin(k * x.x() + 1), std::cos(k * x.y()), std::sin(k * x.z() - 1)) / k;
    }
  }
  return velocity;
}

class PressureBench {
 public:
  explicit PressureBench(BenchTable& table) : table_(table) {}

  void run(const Liquid& liquid, double tets) {
    const CellMesh mesh = mesh_with(liquid, tets);
    const std::vector<Vec3> u = velocity_before(mesh);
    std::vector<double> z(mesh.tags.size());
    face_velocities(mesh, u, z);
    ProjectionInput input;
    input.dt = 0.01;
    input.gravity = Vec3(0, 0, -9.81);
    for (const ProjectionKind kind : {ProjectionKind::two_point, ProjectionKind::consistent}) {
      ProjectionParams params;
      params.kind = kind;
      const AssembledPressure assembled(mesh, input, params, z, u);
      for (const SolverKind solver : kSolverKinds) {
        for (const int threads : bench_threads()) {
          if (!is_worth_it(solver, tets, threads)) continue;
          solve(liquid.name, mesh.cell_count(), kind, solver, threads, assembled.system());
        }
      }
    }
  }

 private:
  // Those that use one thread in most of their work are not measured again with more; at sizes that
  // take minutes, only the multigrid is measured with fewer threads than there are.
  static bool is_worth_it(SolverKind solver, double tets, int threads) {
    const bool is_serial = solver == SolverKind::ic_cg || solver == SolverKind::multigrid_paper;
    if (is_serial) return threads == 1;
    return tets < 2e6 || solver == SolverKind::multigrid || threads == bench_threads().back();
  }

  void solve(const char* name, std::int64_t tets, ProjectionKind kind, SolverKind solver,
             int threads, const PressureSystem& system) {
    SetupReport setup;
    SolveReport solved;
    if (solver == SolverKind::hypre) {
      if (!run_hypre(system.matrix(), system.right_side(), threads, setup, solved)) return;
    } else {
      const ThreadLimit limit(threads);
      // Again for those that take seconds at most: the first time finds the memory.
      for (int i = 0; i < 3 && (i == 0 || setup.seconds + solved.seconds < 5); ++i) {
        Buffer<double> x(static_cast<std::size_t>(system.matrix().rows()), 0.0);
        const auto made = make_solver(solver, system.matrix(), system.keys());
        const SolveReport again = made->solve(system.right_side(), x, {});
        if (i > 0 && made->setup().seconds + again.seconds > setup.seconds + solved.seconds)
          continue;
        setup = made->setup();
        solved = again;
      }
    }
    table_.add({{"mesh", name},
                {"tets", tets},
                {"projection", kind == ProjectionKind::two_point ? "two_point" : "consistent"},
                {"solver", name_of(solver)},
                {"threads", threads},
                {"setup", setup.seconds},
                {"solve", solved.seconds},
                {"has_converged", solved.has_converged},
                {"iterations", solved.iterations},
                {"residual", solved.residual()},
                {"bytes", setup.bytes},
                {"unknowns", system.matrix().rows()},
                {"bytes_per_unknown",
                 static_cast<double>(setup.bytes) / static_cast<double>(system.matrix().rows())},
                {"operator_complexity", setup.operator_complexity()}});
  }

  BenchTable& table_;
};

}  // namespace

void bench_pressure(const BenchOptions& options) {
  BenchTable table("pressure", options.json);
  PressureBench bench(table);
  std::vector<double> sizes = {0.1e6, 1e6, 5e6};
  if (options.quick) sizes = {0.05e6};
  if (options.tets > 0) sizes = {options.tets};
  for (const Liquid& liquid : liquids()) {
    for (const double tets : sizes) bench.run(liquid, tets);
  }
}

}  // namespace spindrift::app
