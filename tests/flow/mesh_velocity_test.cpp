#include "spindrift/flow/mesh_velocity.hpp"

#include <cmath>
#include <cstdio>
#include <limits>
#include <numbers>

#include <gtest/gtest.h>

#include "spindrift/core/error.hpp"
#include "spindrift/geometry/shape.hpp"

#include "support/flows.hpp"
#include "support/meshed_flow.hpp"
#include "support/tet_meshes.hpp"

namespace spindrift {
namespace {

using test::MeshedFlow;
using test::MeshedFlowPtr;

constexpr Interpolant kAll[] = {Interpolant::vertex_linear, Interpolant::sub_tet,
                                Interpolant::dual_cell};

std::vector<Vec3> evaluate(const VelocityField& field, const std::vector<Vec3>& points) {
  std::vector<Vec3> velocities(points.size());
  field.evaluate(points, velocities);
  return velocities;
}

MeshedFlowPtr torus(double size) {
  return test::blob_flow(*make_torus(Vec3::Zero(), Vec3(0.2, 0.3, 1).normalized(), 0.8, 0.3),
                         {.size = size});
}

TEST(MeshVelocity, UniformIsExactEverywhere) {
  const Vec3 velocity(1.3, -0.4, 2.2);
  const ShapePtr liquid = make_halfspace({0, 0, 0.31}, {0, 0, 1});
  const ShapePtr obstacle = make_difference(
      {make_box({-9, -9, -9}, {9, 9, 9}), make_box({-0.98, -0.97, -0.52}, {1.01, 0.99, 3})});
  const MeshedFlowPtr pool =
      test::pool_flow(*liquid, *obstacle, Box3(Vec3(-1.3, -1.3, -0.9), Vec3(1.3, 1.3, 0.8)), 0.12);
  test::Random random(4);
  std::vector<Vec3> points;
  for (int i = 0; i < 20000; ++i) {
    points.push_back(random.in_box(Box3(Vec3::Constant(-2), Vec3::Constant(2))));
  }
  const MeshedFlowPtr graded = torus(0.09);
  for (MeshedFlow* flow : {pool.get(), graded.get()}) {
    flow->set([&](const Vec3&) { return velocity; });
    for (const Interpolant kind : kAll) {
      MeshVelocityParams params;
      params.interpolant = kind;
      const MeshVelocity field(flow->flow(), 0.1, params);
      for (const VelocityField* part : {&field.paths(), &field.values()}) {
        double worst = 0;
        for (const Vec3& u : evaluate(*part, points)) {
          worst = std::max(worst, (u - velocity).norm());
        }
        EXPECT_LT(worst, 1e-13) << "interpolant " << static_cast<int>(kind);
      }
    }
  }
}

TEST(MeshVelocity, ContinuousAcrossTheSurface) {
  const double size = 0.06;
  const MeshedFlowPtr flow = torus(size);
  test::Random random(9);
  for (Vec3& u : flow->u) u = random.direction();
  for (const Interpolant kind : kAll) {
    MeshVelocityParams params;
    params.interpolant = kind;
    const MeshVelocity field(flow->flow(), 0.02, params);
    std::vector<Vec3> inside, outside;
    for (std::int64_t f = 0; f < flow->faces().count(); ++f) {
      if (!flow->faces().is_boundary(f)) continue;
      const Vec3 hair = 1e-10 * size * flow->cells().area_vectors[f].normalized();
      inside.push_back(flow->cells().face_centers[f] - hair);
      outside.push_back(flow->cells().face_centers[f] + hair);
    }
    for (const VelocityField* part : {&field.paths(), &field.values()}) {
      const std::vector<Vec3> in = evaluate(*part, inside);
      const std::vector<Vec3> out = evaluate(*part, outside);
      double worst = 0;
      for (std::size_t i = 0; i < in.size(); ++i) {
        worst = std::max(worst, (in[i] - out[i]).norm());
      }
      EXPECT_LT(worst, 1e-7) << "interpolant " << static_cast<int>(kind);
    }
  }
}

// Whatever is carried never exceeds what was there, inside and outside: it cannot grow.
TEST(MeshVelocity, ValuesStayInRange) {
  const MeshedFlowPtr flow = torus(0.07);
  test::Random random(9);
  Vec3 least = Vec3::Constant(1e9), most = -least;
  for (Vec3& u : flow->u) {
    u = random.direction();
    least = least.cwiseMin(u);
    most = most.cwiseMax(u);
  }
  const MeshVelocity field(flow->flow(), 0.2);
  std::vector<Vec3> points;
  for (int i = 0; i < 20000; ++i) {
    points.push_back(random.in_box(Box3(Vec3::Constant(-1.5), Vec3::Constant(1.5))));
  }
  for (const Vec3& u : evaluate(field.values(), points)) {
    ASSERT_TRUE(((u - least).array() > -1e-12).all() && ((most - u).array() > -1e-12).all());
  }
}

// Waves of 16 edges, by the length of three cells.
TEST(MeshVelocity, PathsAreCloseToExactOnes) {
  const double size = 0.06;
  const ShapePtr ball = make_sphere({0.01, 0.02, -0.015}, 0.8);
  const MeshedFlowPtr flow = test::blob_flow(*ball, {.size = size, .uniform = true});
  const double k = 2 * std::numbers::pi / (16 * 0.9 * size);
  const auto velocity = test::Flow([k](const Vec3& x) {
    return Vec3(std::sin(k * x.y()) + 0.5 * std::cos(k * x.z()), std::sin(k * x.z()),
                std::cos(k * x.x()));
  });
  velocity.evaluate(flow->cells().centers, flow->u);
  std::vector<Vec3> points;
  for (const Vec3& x : flow->cells().centers) {
    if (ball->distance(x) < -3 * size && ball->distance(x) > -6 * size) points.push_back(x);
  }
  const double dt = 3 * size / 1.2;
  std::vector<Vec3> exact = points;
  trace_paths(velocity, -dt, PathScheme::midpoint, exact);
  const auto error = [&](double correction) {
    MeshVelocityParams params;
    params.vertices.correction = correction;
    std::vector<Vec3> traced = points;
    trace_paths(MeshVelocity(flow->flow(), dt, params).paths(), -dt, PathScheme::midpoint, traced);
    double sum = 0;
    for (std::size_t i = 0; i < traced.size(); ++i) sum += (traced[i] - exact[i]).squaredNorm();
    return std::sqrt(sum / static_cast<double>(traced.size())) / size;
  };
  const double smooth = error(0);
  const double corrected = error(0.93);
  std::printf("paths end %.3f cells off, %.3f with correction\n", smooth, corrected);
  EXPECT_LT(corrected, 0.04);
  EXPECT_LT(corrected, 0.5 * smooth);
}

TEST(MeshVelocity, ReachesAsFarAsAStep) {
  const double size = 0.07;
  const MeshedFlowPtr flow = torus(size);
  const Vec3 velocity(3, 0, 0);
  flow->set([&](const Vec3&) { return velocity; });
  const auto known = [&](double dt, double distance) {
    const MeshVelocity field(flow->flow(), dt);
    const Vec3 highest =
        *std::max_element(flow->mesh().vertices.begin(), flow->mesh().vertices.end(),
                          [](const Vec3& a, const Vec3& b) { return a.z() < b.z(); });
    const std::vector<Vec3> point = {highest + Vec3(0, 0, distance)};
    return !std::isnan(evaluate(field.path_grid(), point).front().x());
  };
  EXPECT_TRUE(known(0.1, 0.3 + 2 * size));
  EXPECT_TRUE(known(-0.1, 0.3 + 2 * size));
  EXPECT_TRUE(known(1e6, 24 * size));
  // A block is eight cells wide.
  EXPECT_FALSE(known(0.1, 0.3 + 11.5 * size));
  EXPECT_FALSE(known(1e6, 33.5 * size));
}

TEST(MeshVelocity, OneTetrahedronAndNone) {
  TetMesh one;
  one.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  one.tets = {{0, 1, 2, 3}};
  MeshedFlow flow(std::move(one));
  flow.u[0] = {1, 2, 3};
  const MeshedFlow nothing{TetMesh()};
  const std::vector<Vec3> points = {{0.1, 0.1, 0.1}, {0.5, -0.2, 0.5}, {90, 0, 0}};
  for (const Interpolant kind : kAll) {
    MeshVelocityParams params;
    params.interpolant = kind;
    const MeshVelocity field(flow.flow(), 0.1, params);
    const MeshVelocity empty(nothing.flow(), 0.1, params);
    for (const Vec3& u : evaluate(field.values(), points)) {
      EXPECT_LT((u - Vec3(1, 2, 3)).norm(), 1e-14);
    }
    for (const Vec3& u : evaluate(empty.values(), points)) EXPECT_EQ(u, Vec3(0, 0, 0));
    for (const Vec3& u : evaluate(empty.paths(), points)) EXPECT_EQ(u, Vec3(0, 0, 0));
  }
}

TEST(MeshVelocity, NotANumberIsAnError) {
  MeshedFlow flow(test::kuhn_grid({2, 2, 2}));
  flow.u[3].y() = std::numeric_limits<double>::infinity();
  EXPECT_THROW(MeshVelocity(flow.flow(), 0.1), Error);
}

}  // namespace
}  // namespace spindrift
