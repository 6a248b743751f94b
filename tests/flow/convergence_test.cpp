// How fast projections come close to an exact solution as cells get smaller.
#include <cmath>
#include <cstdio>

#include <gtest/gtest.h>

#include "spindrift/flow/projection.hpp"
#include "spindrift/geometry/shape.hpp"

#include "support/flow_meshes.hpp"

namespace spindrift {
namespace {

constexpr double kDt = 0.01, kDensity = 1000;

double pressure_at(const Vec3& x) {
  return 1e5 * std::sin(1.3 * x.x()) * std::cos(0.9 * x.y()) * std::exp(0.7 * x.z());
}
Vec3 slope_at(const Vec3& x) {
  const double grow = 1e5 * std::exp(0.7 * x.z());
  return grow * Vec3(1.3 * std::cos(1.3 * x.x()) * std::cos(0.9 * x.y()),
                     -0.9 * std::sin(1.3 * x.x()) * std::sin(0.9 * x.y()),
                     0.7 * std::sin(1.3 * x.x()) * std::cos(0.9 * x.y()));
}
// Without divergence.
Vec3 velocity_at(const Vec3& x) {
  return {std::sin(1.1 * x.y()) + 0.2, std::cos(0.8 * x.z()), std::sin(0.7 * x.x()) - 0.3};
}
Vec3 velocity_before(const Vec3& x) { return velocity_at(x) + kDt / kDensity * slope_at(x); }

// Root mean square, relative.
struct Errors {
  double pressure, velocity, face_velocity;
};

Errors solve(ProjectionKind kind, double size) {
  const ShapePtr ball = make_sphere({0.03, -0.02, 0.01}, 1);
  // Leaves inside would hardly get smaller with those at the surface.
  const TetMesh tets = stuff(*ball, ball->bounds(), {.size = size, .uniform = true});
  const CellMesh mesh = cell_mesh(tets, MeshFaces(tets, find_neighbors(tets)));
  std::vector<double> z(mesh.tags.size()), boundary(mesh.tags.size()), p(mesh.volumes.size());
  std::vector<Vec3> u(mesh.volumes.size());
  for (std::size_t f = 0; f < z.size(); ++f) {
    z[f] = velocity_before(mesh.face_centers[f]).dot(mesh.area_vectors[f].normalized());
    boundary[f] = pressure_at(mesh.face_centers[f]);
  }
  for (std::size_t c = 0; c < u.size(); ++c) u[c] = velocity_before(mesh.centers[c]);
  ProjectionInput input;
  input.dt = kDt;
  input.boundary_pressure = boundary;
  ProjectionParams params;
  params.kind = kind;
  params.solve.tolerance = 1e-11;
  EXPECT_TRUE(project(mesh, input, params, z, u, p).has_converged);
  double pp = 0, dp = 0, uu = 0, du = 0, zz = 0, dz = 0;
  for (std::size_t c = 0; c < u.size(); ++c) {
    const double v = mesh.volumes[c];
    pp += v * std::pow(pressure_at(mesh.centers[c]), 2);
    dp += v * std::pow(p[c] - pressure_at(mesh.centers[c]), 2);
    uu += v * velocity_at(mesh.centers[c]).squaredNorm();
    du += v * (u[c] - velocity_at(mesh.centers[c])).squaredNorm();
  }
  for (std::size_t f = 0; f < z.size(); ++f) {
    const double area = mesh.area_vectors[f].norm();
    const double exact = velocity_at(mesh.face_centers[f]).dot(mesh.area_vectors[f]) / area;
    zz += area * exact * exact;
    dz += area * std::pow(z[f] - exact, 2);
  }
  return {std::sqrt(dp / pp), std::sqrt(du / uu), std::sqrt(dz / zz)};
}

TEST(Convergence, SlowConsistentIsOfSecondOrder) {
  for (const ProjectionKind kind : {ProjectionKind::two_point, ProjectionKind::consistent}) {
    Errors last = {0, 0, 0};
    for (const double size : {0.16, 0.08, 0.04}) {
      const Errors errors = solve(kind, size);
      std::printf("%s, cells of %.2f m: p %.3g, u %.3g, z %.3g",
                  kind == ProjectionKind::two_point ? "two-point" : "consistent", size,
                  errors.pressure, errors.velocity, errors.face_velocity);
      if (last.pressure > 0) {
        const double of_p = std::log2(last.pressure / errors.pressure);
        const double of_u = std::log2(last.velocity / errors.velocity);
        std::printf("; orders %.2f, %.2f, %.2f", of_p, of_u,
                    std::log2(last.face_velocity / errors.face_velocity));
        if (kind == ProjectionKind::consistent) {
          EXPECT_GT(of_p, 1.8);
          EXPECT_GT(of_u, 0.9);
        } else {
          EXPECT_GT(of_p, 1);
          EXPECT_GT(of_u, 0.3);
        }
      }
      std::printf("\n");
      last = errors;
    }
  }
}

}  // namespace
}  // namespace spindrift
