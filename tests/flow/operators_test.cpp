#include "spindrift/flow/operators.hpp"

#include <gtest/gtest.h>

#include "spindrift/geometry/shape.hpp"

#include "support/flow_meshes.hpp"

namespace spindrift {
namespace {

std::vector<CellMesh> meshes() {
  return {test::blob(*make_torus(Vec3::Zero(), Vec3(0.2, 0.3, 1).normalized(), 0.8, 0.3), 0.09),
          test::blob(*make_box({-1.03, -0.71, -0.52}, {0.97, 0.81, 0.55}), 0.13),
          test::hexahedra({4, 3, 5})};
}

std::vector<double> normal_components(const CellMesh& mesh, const auto& velocity) {
  std::vector<double> z(static_cast<std::size_t>(mesh.face_count()));
  for (std::size_t f = 0; f < z.size(); ++f) {
    z[f] = velocity(mesh.face_centers[f]).dot(mesh.area_vectors[f].normalized());
  }
  return z;
}

TEST(Operators, UniformFlowHasNoDivergenceAndIsFoundInCells) {
  const Vec3 velocity(1.3, -0.4, 2.2);
  for (const CellMesh& mesh : meshes()) {
    const auto z = normal_components(mesh, [&](const Vec3&) { return velocity; });
    std::vector<double> flows(mesh.volumes.size());
    std::vector<Vec3> in_cells(mesh.volumes.size());
    divergence(mesh, z, flows);
    cell_velocities(mesh, z, in_cells);
    for (std::size_t c = 0; c < flows.size(); ++c) {
      EXPECT_NEAR(flows[c], 0, 1e-14);
      EXPECT_LT((in_cells[c] - velocity).norm(), 1e-12);
    }
    std::vector<double> back(z.size());
    face_velocities(mesh, in_cells, back);
    for (std::size_t f = 0; f < z.size(); ++f) EXPECT_NEAR(back[f], z[f], 1e-12);
  }
}

TEST(Operators, ExpansionHasItsDivergence) {
  for (const CellMesh& mesh : meshes()) {
    const auto z = normal_components(mesh, [](const Vec3& x) { return Vec3(0.5 * x); });
    std::vector<double> flows(mesh.volumes.size());
    divergence(mesh, z, flows);
    for (std::size_t c = 0; c < flows.size(); ++c) {
      EXPECT_NEAR(flows[c] / mesh.volumes[c], 1.5, 1e-11);
    }
  }
}

TEST(Operators, DivergenceAndGradientAreAdjoint) {
  for (CellMesh mesh : meshes()) {
    test::Random random(5);
    for (std::size_t f = 0; f < mesh.tags.size(); ++f) {
      if (mesh.face_cells[f][1] < 0 && random.unit() < 0.5) mesh.tags[f] = FaceTag::solid;
    }
    auto z = test::random_numbers(mesh.face_count(), 1);
    const auto p = test::random_numbers(mesh.cell_count(), 2);
    for (std::size_t f = 0; f < z.size(); ++f) {
      if (mesh.tags[f] == FaceTag::solid) z[f] = 0;
    }
    std::vector<double> flows(p.size());
    std::vector<double> slopes(z.size());
    const std::vector<double> zero(z.size(), 0.0);
    divergence(mesh, z, flows);
    gradient(mesh, p, zero, slopes);
    const Buffer<double> lengths = dual_lengths(mesh);
    double by_cells = 0, by_faces = 0, size = 0;
    for (std::size_t c = 0; c < p.size(); ++c) by_cells += p[c] * flows[c];
    for (std::size_t f = 0; f < z.size(); ++f) {
      const double term = mesh.area_vectors[f].norm() * lengths[f] * z[f] * slopes[f];
      by_faces += term;
      size += std::abs(term);
    }
    EXPECT_NEAR(by_cells, -by_faces, 1e-14 * size);
  }
}

TEST(Components, AreFoundWithWhatBoundsThem) {
  CellMesh mesh =
      test::blob(*make_union({make_sphere({0, 0, 0}, 0.5), make_sphere({2, 0, 0}, 0.4)}), 0.11);
  for (std::size_t f = 0; f < mesh.tags.size(); ++f) {
    if (mesh.face_cells[f][1] < 0 && mesh.face_centers[f].x() > 1) mesh.tags[f] = FaceTag::solid;
  }
  const FlowComponents bodies = find_components(mesh);
  ASSERT_EQ(bodies.components.size(), 2U);
  double volume = 0;
  for (const FlowComponent& body : bodies.components) {
    EXPECT_NE(body.has_pressure, body.touches_solid);
    volume += body.volume;
  }
  EXPECT_NEAR(volume, 4.0 / 3 * M_PI * (0.125 + 0.064), 0.03 * volume);
  for (std::size_t c = 0; c < mesh.volumes.size(); ++c) {
    const FlowComponent& body = bodies.components[static_cast<std::size_t>(bodies.of_cell[c])];
    EXPECT_EQ(body.touches_solid, mesh.centers[c].x() > 1);
  }
}

}  // namespace
}  // namespace spindrift
