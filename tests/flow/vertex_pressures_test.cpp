#include "spindrift/flow/vertex_pressures.hpp"

#include <algorithm>
#include <memory>

#include <gtest/gtest.h>

#include "spindrift/core/parallel.hpp"
#include "spindrift/flow/pressure_system.hpp"
#include "spindrift/geometry/shape.hpp"
#include "spindrift/linear/multigrid.hpp"
#include "spindrift/linear/sparse_product.hpp"
#include "spindrift/linear/vectors.hpp"

#include "support/flow_meshes.hpp"

namespace spindrift {
namespace {

// A ball of graded cells in the air; a snapped pool around a post; one that is enclosed as well.
std::vector<CellMesh> meshes() {
  const ShapePtr post =
      make_union({make_difference({make_box(Vec3::Constant(-9), Vec3::Constant(9)),
                                   make_box({0, 0, 0}, {1, 1, 2})}),
                  make_cylinder({0.45, 0.52, -1}, {0.45, 0.52, 2}, 0.2)});
  const CellMesh pool = test::pool(*make_box({-1, -1, -1}, {2, 2, 0.51}), *post,
                                   Box3(Vec3::Constant(-0.3), Vec3::Constant(1.3)), 0.06);
  CellMesh enclosed = pool;
  for (FaceTag& tag : enclosed.tags) tag = tag == FaceTag::air ? FaceTag::solid : tag;
  return {test::blob(*make_sphere({0, 0, 0}, 1), 0.08), pool, enclosed};
}

struct Assembled {
  explicit Assembled(const CellMesh& mesh)
      : z(test::random_numbers(mesh.face_count(), 3)),
        u(static_cast<std::size_t>(mesh.cell_count())) {
    const std::vector<double> numbers = test::random_numbers(3 * mesh.cell_count(), 4);
    for (std::size_t c = 0; c < u.size(); ++c) {
      u[c] = Vec3(numbers[3 * c], numbers[3 * c + 1], numbers[3 * c + 2]);
    }
    input.dt = 0.01;
    pressure = std::make_unique<AssembledPressure>(mesh, input, ProjectionParams(), z, u);
  }
  [[nodiscard]] const PressureSystem& system() const { return pressure->system(); }

  std::vector<double> z;
  std::vector<Vec3> u;
  ProjectionInput input;
  std::unique_ptr<AssembledPressure> pressure;
};

CsrMatrix prolongation(const Interpolation& interpolation) {
  CsrMatrix p;
  for (auto sources : interpolation.sources) {
    std::sort(sources.begin(), sources.end());
    for (const std::int32_t source : sources) {
      if (source < 0) continue;
      p.columns.push_back(source);
      p.values.push_back(interpolation.weight);
    }
    p.starts.push_back(std::ssize(p.columns));
  }
  return p;
}

TEST(VertexPressures, HaveTheEnergyOfWhatIsInterpolated) {
  for (const CellMesh& mesh : meshes()) {
    const Assembled assembled(mesh);
    const Interpolation& interpolation = assembled.system().interpolation();
    ASSERT_GT(interpolation.matrix.rows(), 100);
    ASSERT_EQ(std::ssize(interpolation.keys), interpolation.matrix.rows());
    EXPECT_TRUE(is_symmetric(interpolation.matrix));
    const CsrMatrix p = prolongation(interpolation);
    const CsrMatrix expected = product(transposed(p, interpolation.matrix.rows()),
                                       product(assembled.system().matrix(), p));
    const Buffer<double> scale = diagonal(interpolation.matrix);
    const double greatest = *std::max_element(scale.begin(), scale.end());
    const std::vector<double> x = test::random_numbers(interpolation.matrix.rows(), 5);
    std::vector<double> one(x.size());
    std::vector<double> other(x.size());
    multiply(interpolation.matrix, x, one);
    multiply(expected, x, other);
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(one[i], other[i], 1e-12 * greatest);
  }
}

TEST(VertexPressures, AreWhereNoPressureIsGiven) {
  const CellMesh mesh = meshes()[1];
  std::vector<bool> is_free(mesh.vertices.size(), true);
  for (std::int64_t cell = 0; cell < mesh.cell_count(); ++cell) {
    for (std::size_t k = 0; k < 4; ++k) {
      const auto f = static_cast<std::size_t>(mesh.faces_of(cell)[k]);
      if (mesh.face_cells[f][1] >= 0 || !has_pressure(mesh.tags[f])) continue;
      for (std::size_t j = 0; j < 4; ++j) {
        if (j == k) continue;
        is_free[static_cast<std::size_t>(mesh.corners[static_cast<std::size_t>(cell)][j])] = false;
      }
    }
  }
  const Assembled assembled(mesh);
  EXPECT_EQ(assembled.system().interpolation().matrix.rows(),
            std::count(is_free.begin(), is_free.end(), true));
}

TEST(VertexPressures, AreThereForTetrahedraOnly) {
  EXPECT_TRUE(Assembled(test::hexahedra({4, 3, 5})).system().interpolation().is_empty());
  // All four faces in the air: no vertex is left.
  CellMesh mesh = test::blob(*make_sphere({0, 0, 0}, 1), 0.4);
  const std::vector<std::int32_t> none(static_cast<std::size_t>(mesh.face_count()), -1);
  EXPECT_TRUE(vertex_pressures(mesh, none, 0).is_empty());
}

TEST(VertexPressures, SaveIterations) {
  for (const CellMesh& mesh : meshes()) {
    const Assembled assembled(mesh);
    const PressureSystem& system = assembled.system();
    const auto iterations = [&](const Interpolation& interpolation) {
      Multigrid solver(system.matrix(), system.keys(), interpolation);
      std::vector<double> x(system.right_side().size(), 0.0);
      const SolveReport report = solver.solve(system.right_side(), x);
      EXPECT_TRUE(report.has_converged) << report.problem;
      std::vector<double> rest(x.size());
      multiply(system.matrix(), x, rest);
      for (std::size_t i = 0; i < x.size(); ++i) rest[i] -= system.right_side()[i];
      EXPECT_LT(norm(rest), 1.01e-6 * norm(system.right_side()));
      return report.iterations;
    };
    const int with = iterations(system.interpolation());
    EXPECT_LE(with, 24);
    EXPECT_LT(with, iterations({}));
  }
}

TEST(VertexPressures, GiveTheSameBitsForAnyNumberOfThreads) {
  for (const CellMesh& mesh : meshes()) {
    const auto solution = [&](int threads) {
      const ThreadLimit limit(threads);
      const Assembled assembled(mesh);
      const PressureSystem& system = assembled.system();
      std::vector<double> x(system.right_side().size(), 0.0);
      Multigrid solver(system.matrix(), system.keys(), system.interpolation());
      EXPECT_TRUE(solver.solve(system.right_side(), x).has_converged);
      return x;
    };
    EXPECT_EQ(solution(1), solution(2));
  }
}

}  // namespace
}  // namespace spindrift
