#include "spindrift/flow/pressure_system.hpp"

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "spindrift/geometry/shape.hpp"

#include "support/flow_meshes.hpp"

namespace spindrift {
namespace {

constexpr std::array kBoth = {ProjectionKind::two_point, ProjectionKind::consistent};

Eigen::VectorXd eigenvalues(const CsrMatrix& a) {
  Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(a.rows(), a.rows());
  for (std::int64_t row = 0; row < a.rows(); ++row) {
    a.for_row(row, [&](std::int32_t column, double value) { dense(row, column) += value; });
  }
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(dense, Eigen::EigenvaluesOnly)
      .eigenvalues();
}

// The system of a mesh in which nothing moves yet.
CsrMatrix matrix_of(const CellMesh& mesh, ProjectionKind kind) {
  ProjectionInput input;
  input.dt = 0.01;
  ProjectionParams params;
  params.kind = kind;
  const std::vector<double> z(static_cast<std::size_t>(mesh.face_count()), 0.0);
  const std::vector<Vec3> u(static_cast<std::size_t>(mesh.cell_count()), Vec3::Zero());
  return AssembledPressure(mesh, input, params, z, u).system().matrix();
}

// One body in the air, one that touches a solid, two that are enclosed; and boxes.
std::vector<std::pair<CellMesh, int>> bodies() {
  CellMesh mesh =
      test::blob(*make_union({make_sphere({0, 0, 0}, 0.3), make_sphere({1, 0, 0}, 0.25),
                              make_sphere({2, 0, 0}, 0.27), make_sphere({3, 0, 0}, 0.31)}),
                 0.2);
  for (std::size_t f = 0; f < mesh.tags.size(); ++f) {
    const Vec3& x = mesh.face_centers[f];
    if (mesh.face_cells[f][1] < 0 && x.x() > 0.6 && (x.x() > 1.4 || x.z() < 0)) {
      mesh.tags[f] = FaceTag::solid;
    }
  }
  CellMesh boxes = test::hexahedra({4, 3, 5});
  CellMesh closed = boxes;
  for (FaceTag& tag : closed.tags) tag = tag == FaceTag::air ? FaceTag::solid : tag;
  return {{std::move(mesh), 2}, {std::move(boxes), 0}, {std::move(closed), 1}};
}

TEST(PressureSystem, IsSymmetricWithTheKnownNullSpace) {
  for (const auto& [mesh, enclosed] : bodies()) {
    for (const ProjectionKind kind : kBoth) {
      const CsrMatrix a = matrix_of(mesh, kind);
      EXPECT_TRUE(is_symmetric(a));
      const Eigen::VectorXd values = eigenvalues(a);
      const double greatest = values.maxCoeff();
      EXPECT_GT(values.minCoeff(), -1e-12 * greatest);
      // Nothing in between: zero or clearly positive.
      const auto below = [&](double share) { return (values.array() < share * greatest).count(); };
      EXPECT_EQ(below(1e-12), enclosed);
      EXPECT_EQ(below(1e-5), enclosed);
    }
  }
}

// A number in all of a body is no force if it is enclosed, and one if it is not.
TEST(PressureSystem, ConstantsAreTheNullSpaceOfEnclosedBodies) {
  for (const auto& [mesh, enclosed] : bodies()) {
    const FlowComponents components = find_components(mesh);
    for (const ProjectionKind kind : kBoth) {
      const CsrMatrix a = matrix_of(mesh, kind);
      // The sums of the rows of each body; rows follow cells, or faces with unknowns.
      std::vector<double> sums(components.components.size(), 0.0);
      std::vector<double> sizes(sums.size(), 0.0);
      std::int64_t row = 0;
      const auto add_row = [&](std::int32_t cell) {
        const auto body =
            static_cast<std::size_t>(components.of_cell[static_cast<std::size_t>(cell)]);
        double sum = 0;
        a.for_row(row++, [&](std::int32_t, double value) {
          sum += value;
          sizes[body] += std::abs(value);
        });
        sums[body] += std::abs(sum);
      };
      if (kind == ProjectionKind::two_point) {
        for (std::int32_t cell = 0; cell < mesh.cell_count(); ++cell) add_row(cell);
      } else {
        for (std::size_t f = 0; f < mesh.tags.size(); ++f) {
          const bool is_air = mesh.face_cells[f][1] < 0 && mesh.tags[f] == FaceTag::air;
          if (!is_air) add_row(mesh.face_cells[f][0]);
        }
      }
      ASSERT_EQ(row, a.rows());
      for (std::size_t body = 0; body < sums.size(); ++body) {
        if (components.components[body].has_pressure) {
          EXPECT_GT(sums[body], 1e-3 * sizes[body]);
        } else {
          EXPECT_LE(sums[body], 1e-13 * sizes[body]);
        }
      }
    }
  }
}

// A mesh of drops that are one tetrahedron each, without a vertex in common.
CellMesh single_tets(std::int64_t count) {
  TetMesh mesh;
  test::Random random(11);
  for (std::int64_t i = 0; i < count; ++i) {
    const Vec3 at(static_cast<double>(i % 100), static_cast<double>(i / 100 % 100),
                  static_cast<double>(i / 10'000));
    const auto first = static_cast<std::int32_t>(mesh.vertices.size());
    for (const Vec3& corner : {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)}) {
      mesh.vertices.push_back(at + 0.5 * corner + 0.1 * Vec3(random.between(0, 1), 0, 0));
    }
    mesh.tets.push_back({first, first + 1, first + 2, first + 3});
  }
  return cell_mesh(mesh, MeshFaces(mesh, find_neighbors(mesh)));
}

TEST(PressureSystem, SlowAMillionDropsOfOneTetrahedron) {
  const CellMesh mesh = single_tets(1'000'000);
  for (const ProjectionKind kind : kBoth) {
    std::vector<double> z = test::random_numbers(mesh.face_count(), 12);
    std::vector<Vec3> u(static_cast<std::size_t>(mesh.cell_count()), Vec3(1, 2, 3));
    ProjectionInput input;
    input.dt = 0.01;
    input.gravity = Vec3(0, 0, -9.81);
    ProjectionParams params;
    params.kind = kind;
    params.solve.tolerance = 1e-10;
    const ProjectionReport report = project(mesh, input, params, z, u);
    ASSERT_TRUE(report.has_converged) << report.problem;
    EXPECT_EQ(report.bodies, 1'000'000);
    // The consistent way has no unknown: all faces are in the air.
    EXPECT_EQ(report.unknowns, kind == ProjectionKind::two_point ? 1'000'000 : 0);
    EXPECT_LT(report.greatest_divergence, 1e-6);
  }
}

}  // namespace
}  // namespace spindrift
