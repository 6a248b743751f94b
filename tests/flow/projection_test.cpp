#include "spindrift/flow/projection.hpp"

#include <cstdio>

#include <gtest/gtest.h>

#include "spindrift/core/error.hpp"
#include "spindrift/core/parallel.hpp"
#include "spindrift/flow/operators.hpp"
#include "spindrift/geometry/shape.hpp"

#include "support/flow_meshes.hpp"

namespace spindrift {
namespace {

constexpr double kDt = 0.01;
const Vec3 kGravity(0, 0, -9.81);

ProjectionParams params_of(ProjectionKind kind, double tolerance = 1e-13) {
  ProjectionParams params;
  params.kind = kind;
  params.solve.tolerance = tolerance;
  return params;
}

constexpr std::array kBoth = {ProjectionKind::two_point, ProjectionKind::consistent};

struct Flow {
  std::vector<double> z;
  std::vector<Vec3> u;
  std::vector<double> p;

  explicit Flow(const CellMesh& mesh, const Vec3& velocity = Vec3::Zero())
      : z(static_cast<std::size_t>(mesh.face_count())),
        u(static_cast<std::size_t>(mesh.cell_count()), velocity),
        p(u.size()) {
    for (std::size_t f = 0; f < z.size(); ++f) {
      z[f] = velocity.dot(mesh.area_vectors[f].normalized());
    }
  }
  ProjectionReport project(const CellMesh& mesh, const ProjectionInput& input,
                           const ProjectionParams& params) {
    return spindrift::project(mesh, input, params, z, u, p);
  }
  // Greatest difference from a uniform velocity on faces.
  [[nodiscard]] double difference(const CellMesh& mesh, const Vec3& velocity) const {
    double greatest = 0;
    for (std::size_t f = 0; f < z.size(); ++f) {
      const double expected = velocity.dot(mesh.area_vectors[f].normalized());
      const double difference = std::abs(z[f] - expected);
      if (!(difference <= greatest)) greatest = difference;
      if (std::isnan(greatest)) break;
    }
    return greatest;
  }
  // Of what the projection is orthogonal in: vectors in cells, or normal components on faces.
  [[nodiscard]] double energy(const CellMesh& mesh, ProjectionKind kind) const {
    double sum = 0;
    if (kind == ProjectionKind::consistent) {
      for (std::size_t c = 0; c < u.size(); ++c) sum += mesh.volumes[c] * u[c].squaredNorm();
    } else {
      const Buffer<double> lengths = dual_lengths(mesh);
      for (std::size_t f = 0; f < z.size(); ++f) {
        sum += mesh.area_vectors[f].norm() * lengths[f] * z[f] * z[f];
      }
    }
    return sum;
  }
};

// Graded, with cells of all sizes.
std::vector<CellMesh> blobs() {
  return {test::blob(*make_sphere({0.1, -0.2, 0.05}, 1), 0.071),
          test::blob(*make_torus(Vec3::Zero(), Vec3(0.2, 0.3, 1).normalized(), 0.8, 0.3), 0.08),
          test::blob(*make_difference({make_box({-1.03, -0.71, -0.52}, {0.97, 0.81, 0.55}),
                                       make_sphere({0.9, 0.7, 0.5}, 0.6)}),
                     0.1),
          test::hexahedra({5, 4, 6})};
}

TEST(Consistent, ReproducesLinearPressures) {
  const Vec3 slope(1200, -700, 2100);  // Pa/m
  for (const CellMesh& mesh : blobs()) {
    std::vector<double> boundary(static_cast<std::size_t>(mesh.face_count()));
    for (std::size_t f = 0; f < boundary.size(); ++f) boundary[f] = slope.dot(mesh.face_centers[f]);
    Flow flow(mesh);
    ProjectionInput input;
    input.dt = kDt;
    input.boundary_pressure = boundary;
    const ProjectionReport report =
        flow.project(mesh, input, params_of(ProjectionKind::consistent));
    ASSERT_TRUE(report.has_converged) << report.problem;
    const Vec3 velocity = -kDt / 1000 * slope;
    EXPECT_LT(flow.difference(mesh, velocity), 1e-10 * velocity.norm());
    for (std::size_t c = 0; c < flow.p.size(); ++c) {
      EXPECT_NEAR(flow.p[c], slope.dot(mesh.centers[c]), 1e-10 * slope.norm());
      EXPECT_LT((flow.u[c] - velocity).norm(), 1e-10 * velocity.norm());
    }
  }
}

TEST(Projection, FreeFallIsUniform) {
  const Vec3 before(0.3, 0.1, -0.2);
  for (const CellMesh& mesh : blobs()) {
    for (const ProjectionKind kind : kBoth) {
      Flow flow(mesh, before);
      ProjectionInput input;
      input.dt = kDt;
      input.gravity = kGravity;
      const ProjectionReport report = flow.project(mesh, input, params_of(kind));
      ASSERT_TRUE(report.has_converged) << report.problem;
      EXPECT_LT(flow.difference(mesh, before + kDt * kGravity), 1e-10);
      EXPECT_LT(report.greatest_divergence, 1e-9);
    }
  }
}

// A tank with an uneven floor and a ball in it.
CellMesh tank(double size) {
  const ShapePtr hollow = make_box({-0.513, -0.487, -0.502}, {0.521, 0.497, 0.6});
  const ShapePtr obstacle =
      make_union({make_difference({make_box(Vec3::Constant(-9), Vec3::Constant(9)), hollow}),
                  make_sphere({0.1, 0.05, 0.03}, 0.23), make_sphere({-0.4, -0.3, -0.9}, 0.61),
                  make_cylinder({-0.6, 0.3, -0.52}, {0.6, 0.31, -0.45}, 0.11)});
  const ShapePtr liquid = make_box({-3, -3, -3}, {3, 3, 0.0571});
  return test::pool(*liquid, *obstacle, Box3(Vec3::Constant(-1.1), Vec3::Constant(1.1)), size);
}

TEST(Projection, APoolStaysAtRest) {
  for (const double size : {0.09, 0.051}) {
    const CellMesh mesh = tank(size);
    for (const ProjectionKind kind : kBoth) {
      Flow flow(mesh);
      ProjectionInput input;
      input.dt = kDt;
      input.gravity = kGravity;
      const ProjectionReport report = flow.project(mesh, input, params_of(kind, 1e-13));
      ASSERT_TRUE(report.has_converged) << report.problem;
      const double fastest = flow.difference(mesh, Vec3::Zero());
      std::printf("at rest, %s, cells of %.3f m: %.2g g dt\n",
                  kind == ProjectionKind::two_point ? "two-point" : "consistent", size,
                  fastest / (9.81 * kDt));
      EXPECT_LT(fastest, 1e-9 * 9.81 * kDt);
      // Hydrostatic.
      for (std::size_t c = 0; c < flow.p.size(); ++c) {
        EXPECT_NEAR(flow.p[c], 1000 * 9.81 * (0.0571 - mesh.centers[c].z()), 1e-5);
      }
    }
  }
}

// A velocity with divergence.
Flow stirred(const CellMesh& mesh, std::uint64_t seed) {
  Flow flow(mesh);
  test::Random random(seed);
  for (Vec3& v : flow.u) v = random.direction();
  face_velocities(mesh, flow.u, flow.z);
  return flow;
}

// A coarse tolerance is one of what moves, not of how far away the tank stands.
TEST(Projection, APoolStaysAtRestAnywhere) {
  for (const double away : {0.0, 1000.0}) {
    CellMesh mesh = tank(0.09);
    for (Vec3& x : mesh.centers) x += Vec3(away, -away, 3 * away);
    for (Vec3& x : mesh.face_centers) x += Vec3(away, -away, 3 * away);
    Flow flow(mesh);
    ProjectionInput input;
    input.dt = kDt;
    input.gravity = kGravity;
    const ProjectionReport report =
        flow.project(mesh, input, params_of(ProjectionKind::two_point, 1e-6));
    ASSERT_TRUE(report.has_converged) << report.problem;
    EXPECT_LT(flow.difference(mesh, Vec3::Zero()), 1e-9 * (1 + away) * 9.81 * kDt);
  }
}

TEST(Projection, GoesOnUntilNoCellHasMoreDivergenceThanAllowed) {
  const CellMesh mesh = tank(0.09);
  for (const ProjectionKind kind : kBoth) {
    ProjectionInput input;
    input.dt = kDt;
    input.gravity = kGravity;
    ProjectionParams params = params_of(kind, 1e-2);
    Flow flow = stirred(mesh, 5);
    const ProjectionReport loose = flow.project(mesh, input, params);
    ASSERT_TRUE(loose.has_converged) << loose.problem;
    ASSERT_GT(loose.greatest_divergence, 1e-3);
    for (const double limit : {1e-3, 1e-7}) {
      params.greatest_divergence = limit;
      Flow strict = stirred(mesh, 5);
      const ProjectionReport report = strict.project(mesh, input, params);
      ASSERT_TRUE(report.has_converged) << report.problem;
      EXPECT_LE(report.greatest_divergence, limit);
      EXPECT_GT(report.solve.iterations, loose.solve.iterations);
      EXPECT_EQ(std::ssize(report.solve.residuals), report.solve.iterations + 1);
    }
    // What rounding does not allow is said.
    params.greatest_divergence = 1e-30;
    Flow before = stirred(mesh, 5);
    Flow after = before;
    const ProjectionReport report = after.project(mesh, input, params);
    EXPECT_FALSE(report.has_converged);
    EXPECT_FALSE(report.problem.empty());
    EXPECT_EQ(after.z, before.z);
  }
}

// A drop of one cell has no unknown in the consistent way: nothing but its velocity tells.
TEST(Projection, NoNumberGoesThrough) {
  CellMesh mesh = test::hexahedra({1, 1, 1});
  for (const ProjectionKind kind : kBoth) {
    Flow flow(mesh);
    flow.u[0].y() = std::nan("");
    flow.z[2] = std::nan("");
    ProjectionInput input;
    input.dt = kDt;
    const ProjectionReport report = flow.project(mesh, input, params_of(kind));
    EXPECT_FALSE(report.has_converged);
    EXPECT_FALSE(report.problem.empty());
  }
}

TEST(Projection, TwoPointIsOffInFreeFallOfBodiesThatTouchSolids) {
  // A ball that only touches a solid somewhere would fall freely: the potential form does not know.
  CellMesh mesh = test::blob(*make_sphere({0.1, -0.2, 0.05}, 1), 0.071);
  std::vector<double> solid(static_cast<std::size_t>(mesh.face_count()), 0.0);
  int tagged = 0;
  for (std::size_t f = 0; f < mesh.tags.size() && tagged == 0; ++f) {
    if (mesh.face_cells[f][1] >= 0) continue;
    mesh.tags[f] = FaceTag::solid;
    solid[f] = kDt * kGravity.dot(mesh.area_vectors[f].normalized());  // falls along
    ++tagged;
  }
  for (const ProjectionKind kind : kBoth) {
    Flow flow(mesh);
    ProjectionInput input;
    input.dt = kDt;
    input.gravity = kGravity;
    input.solid_velocity = solid;
    const ProjectionReport report = flow.project(mesh, input, params_of(kind));
    ASSERT_TRUE(report.has_converged) << report.problem;
    const double off = flow.difference(mesh, kDt * kGravity) / (9.81 * kDt);
    std::printf("free fall of what touches a solid, %s: %.2g g dt off at most\n",
                kind == ProjectionKind::two_point ? "two-point" : "consistent", off);
    if (kind == ProjectionKind::consistent) {
      EXPECT_LT(off, 1e-10);
    } else {
      EXPECT_GT(off, 0.1);  // the price that is measured here
      EXPECT_LT(off, 3);
    }
  }
}

TEST(Projection, RemovesDivergenceOnceAndForAll) {
  std::vector<CellMesh> meshes = blobs();
  meshes.push_back(tank(0.09));
  for (const CellMesh& mesh : meshes) {
    for (const ProjectionKind kind : kBoth) {
      Flow flow = stirred(mesh, 3);
      const double energy = flow.energy(mesh, kind);
      ProjectionInput input;
      input.dt = kDt;
      const ProjectionReport report = flow.project(mesh, input, params_of(kind));
      ASSERT_TRUE(report.has_converged) << report.problem;
      EXPECT_LT(report.greatest_divergence, 1e-8);
      EXPECT_LT(flow.energy(mesh, kind), energy);
      // In cells with more faces than vectors can tell apart, something is left.
      if (kind == ProjectionKind::consistent && mesh.cell_faces.size() != 4 * mesh.volumes.size()) {
        continue;
      }
      Flow again = flow;
      const ProjectionReport second = again.project(mesh, input, params_of(kind));
      ASSERT_TRUE(second.has_converged) << second.problem;
      for (std::size_t f = 0; f < flow.z.size(); ++f) EXPECT_NEAR(again.z[f], flow.z[f], 1e-9);
      EXPECT_LE(again.energy(mesh, kind), flow.energy(mesh, kind) * (1 + 1e-9));
    }
  }
}

TEST(Projection, MakesTheDivergenceThatIsAskedFor) {
  const CellMesh mesh = tank(0.09);
  auto asked = test::random_numbers(mesh.cell_count(), 9);
  for (const ProjectionKind kind : kBoth) {
    Flow flow = stirred(mesh, 4);
    ProjectionInput input;
    input.dt = kDt;
    input.divergence = asked;
    const ProjectionReport report = flow.project(mesh, input, params_of(kind));
    ASSERT_TRUE(report.has_converged) << report.problem;
    std::vector<double> flows(mesh.volumes.size());
    divergence(mesh, flow.z, flows);
    for (std::size_t c = 0; c < flows.size(); ++c) {
      EXPECT_NEAR(flows[c] / mesh.volumes[c], asked[c], 1e-8);
    }
  }
}

TEST(Projection, EnclosedBodiesAreSolvedWithoutDrift) {
  CellMesh mesh = test::blob(*make_union({make_sphere({0, 0, 0}, 0.5), make_sphere({2, 0, 0}, 0.4),
                                          make_sphere({0, 3, 0}, 0.3)}),
                             0.07);
  for (std::size_t f = 0; f < mesh.tags.size(); ++f) {
    if (mesh.face_cells[f][1] < 0 && mesh.face_centers[f].y() < 1) mesh.tags[f] = FaceTag::solid;
  }
  for (const ProjectionKind kind : kBoth) {
    Flow flow = stirred(mesh, 8);
    ProjectionInput input;
    input.dt = kDt;
    input.gravity = kGravity;
    const ProjectionReport report = flow.project(mesh, input, params_of(kind));
    ASSERT_TRUE(report.has_converged) << report.problem;
    EXPECT_EQ(report.bodies, 3);
    EXPECT_EQ(report.enclosed_bodies, 2);
    EXPECT_LT(report.greatest_divergence, 1e-8);
    EXPECT_EQ(report.greatest_mismatch, 0);
    // The pressure of what gravity does to bodies of a metre's size, not a number times more.
    for (const double p : flow.p) EXPECT_LT(std::abs(p), 1e3 / kDt);
  }
}

TEST(Projection, AnEnclosedBodyTakesWhatItsWallsForceOnIt) {
  CellMesh mesh = test::blob(*make_sphere({0, 0, 0}, 0.5), 0.07);
  std::vector<double> walls(static_cast<std::size_t>(mesh.face_count()), 0.0);
  double area = 0, volume = 0;
  for (std::size_t f = 0; f < mesh.tags.size(); ++f) {
    if (mesh.face_cells[f][1] >= 0) continue;
    mesh.tags[f] = FaceTag::solid;
    walls[f] = -0.2;  // inwards everywhere
    area += mesh.area_vectors[f].norm();
  }
  for (const double v : mesh.volumes) volume += v;
  for (const ProjectionKind kind : kBoth) {
    Flow flow(mesh);
    ProjectionInput input;
    input.dt = kDt;
    input.solid_velocity = walls;
    const ProjectionReport report = flow.project(mesh, input, params_of(kind));
    ASSERT_TRUE(report.has_converged) << report.problem;
    EXPECT_NEAR(report.greatest_mismatch, 0.2 * area / volume, 1e-9);
    EXPECT_LT(report.greatest_divergence, 1e-8);
  }
}

// Faces that are let go later are as if they had been air from the start.
TEST(Projector, ReleasesFacesWithoutAnotherSystem) {
  CellMesh mesh = tank(0.09);
  const Flow start = stirred(mesh, 12);
  ProjectionInput input;
  input.dt = kDt;
  input.gravity = kGravity;
  const ProjectionParams params = params_of(ProjectionKind::consistent);
  Projector projector(mesh, input, params, start.z, start.u);
  Flow solid = start;
  ASSERT_TRUE(projector.project(1e-12, solid.z, solid.u, solid.p).has_converged);

  std::vector<std::int32_t> released;
  for (std::size_t f = 0; f < mesh.tags.size(); ++f) {
    if (mesh.tags[f] != FaceTag::solid || mesh.face_centers[f].x() < 0) continue;
    mesh.tags[f] = FaceTag::air;
    released.push_back(static_cast<std::int32_t>(f));
  }
  ASSERT_GT(released.size(), 10U);
  ASSERT_TRUE(projector.release(released));
  Flow later = start;
  ASSERT_TRUE(projector.project(1e-12, later.z, later.u, later.p).has_converged);
  Flow anew = start;
  ASSERT_TRUE(anew.project(mesh, input, params).has_converged);
  double difference = 0;
  double change = 0;
  for (std::size_t f = 0; f < anew.z.size(); ++f) {
    difference = std::max(difference, std::abs(later.z[f] - anew.z[f]));
    change = std::max(change, std::abs(solid.z[f] - anew.z[f]));
  }
  EXPECT_LT(difference, 1e-9);
  EXPECT_GT(change, 0.1);
}

TEST(Projector, NeedsAnotherSystemForPressuresInCellsAndForEnclosedBodies) {
  const CellMesh mesh = tank(0.09);
  CellMesh closed = test::blob(*make_sphere({0, 0, 0}, 0.5), 0.1);
  std::int32_t face = -1;
  for (std::size_t f = 0; f < closed.tags.size(); ++f) {
    if (closed.face_cells[f][1] >= 0) continue;
    closed.tags[f] = FaceTag::solid;
    face = static_cast<std::int32_t>(f);
  }
  ProjectionInput input;
  input.dt = kDt;
  const Flow flow(mesh);
  const Flow still(closed);
  Projector cells(mesh, input, params_of(ProjectionKind::two_point), flow.z, flow.u);
  Projector enclosed(closed, input, params_of(ProjectionKind::consistent), still.z, still.u);
  EXPECT_FALSE(cells.release(std::vector<std::int32_t>{0}));
  EXPECT_FALSE(enclosed.release(std::vector<std::int32_t>{face}));
}

TEST(Projection, ThreadsDoNotMatter) {
  const CellMesh mesh = tank(0.051);
  for (const ProjectionKind kind : kBoth) {
    const auto run = [&](int threads) {
      const ThreadLimit limit(threads);
      Flow flow = stirred(mesh, 3);
      ProjectionInput input;
      input.dt = kDt;
      input.gravity = kGravity;
      EXPECT_TRUE(flow.project(mesh, input, params_of(kind, 1e-6)).has_converged);
      return flow;
    };
    const Flow one = run(1);
    const Flow two = run(2);
    EXPECT_EQ(one.z, two.z);
    EXPECT_EQ(one.u, two.u);
    EXPECT_EQ(one.p, two.p);
  }
}

TEST(Projection, AFailureLeavesVelocitiesAsTheyWere) {
  const CellMesh mesh = test::blob(*make_sphere({0, 0, 0}, 0.5), 0.1);
  for (const ProjectionKind kind : kBoth) {
    Flow flow = stirred(mesh, 2);
    flow.z[7] = std::nan("");
    flow.u[7].x() = std::nan("");
    const Flow before = flow;
    ProjectionInput input;
    input.dt = kDt;
    const ProjectionReport report = flow.project(mesh, input, params_of(kind));
    EXPECT_FALSE(report.has_converged);
    EXPECT_FALSE(report.problem.empty());
    for (std::size_t f = 8; f < flow.z.size(); ++f) EXPECT_EQ(flow.z[f], before.z[f]);
    for (std::size_t c = 8; c < flow.u.size(); ++c) EXPECT_EQ(flow.u[c], before.u[c]);
    ProjectionParams hasty = params_of(kind);
    hasty.solve.max_iterations = 1;
    Flow unfinished = stirred(mesh, 2);
    const Flow start = unfinished;
    EXPECT_FALSE(unfinished.project(mesh, input, hasty).has_converged);
    EXPECT_EQ(unfinished.z, start.z);
    EXPECT_EQ(unfinished.u, start.u);
  }
}

TEST(Projection, RefusesWhatIsNoMesh) {
  CellMesh mesh = test::hexahedra({2, 2, 2});
  Flow flow(mesh);
  ProjectionInput input;
  input.dt = 0;
  EXPECT_THROW((void)flow.project(mesh, input, {}), InputError);
  input.dt = kDt;
  EXPECT_TRUE(flow.project(mesh, input, {}).has_converged);
  mesh.area_vectors[3].setZero();
  EXPECT_THROW((void)flow.project(mesh, input, {}), InputError);
  const CellMesh empty;
  Flow none(empty);
  for (const ProjectionKind kind : kBoth) {
    EXPECT_TRUE(none.project(empty, input, params_of(kind)).has_converged);
  }
}

}  // namespace
}  // namespace spindrift
