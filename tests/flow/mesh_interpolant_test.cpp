#include "spindrift/flow/mesh_interpolant.hpp"

#include <cmath>
#include <cstdio>

#include <gtest/gtest.h>

#include "spindrift/geometry/shape.hpp"

#include "support/meshed_flow.hpp"

namespace spindrift {
namespace {

using test::MeshedFlow;
using test::MeshedFlowPtr;

constexpr Interpolant kAll[] = {Interpolant::vertex_linear, Interpolant::sub_tet,
                                Interpolant::dual_cell};

MeshedFlowPtr ball(double size, bool uniform) {
  const ShapePtr shape = make_sphere({0.01, -0.02, 0.03}, 0.9);
  return test::blob_flow(*shape, {.size = size, .uniform = uniform});
}

struct Interpolated {
  Interpolated(const MeshedFlow& meshed, Interpolant kind)
      : flow(meshed.flow()),
        rings(vertex_rings(meshed.mesh())),
        at_vertices(vertex_velocities(flow, rings)),
        interpolant(flow, rings, at_vertices, kind) {}
  TetFlow flow;
  VertexRings rings;
  VertexVelocity at_vertices;
  MeshInterpolant interpolant;
};

Vec3 random_point(const MeshedFlow& flow, std::int32_t tet, test::Random& random) {
  Vec3 sum = Vec3::Zero();
  double total = 0;
  for (int k = 0; k < 4; ++k) {
    const double w = -std::log(1 - random.unit());
    sum += w * flow.mesh().corner(tet, k);
    total += w;
  }
  return sum / total;
}

TEST(MeshInterpolant, UniformIsExact) {
  const Vec3 velocity(1.3, -0.4, 2.2);
  for (const bool uniform : {false, true}) {
    const MeshedFlowPtr flow = ball(0.11, uniform);
    flow->set([&](const Vec3&) { return velocity; });
    for (const Interpolant kind : kAll) {
      const Interpolated field(*flow, kind);
      test::Random random(5);
      for (std::int32_t t = 0; t < flow->mesh().tet_count(); ++t) {
        const Vec3 x = random_point(*flow, t, random);
        ASSERT_LT((field.interpolant.at(x, t).velocity - velocity).norm(), 1e-13);
      }
    }
  }
}

TEST(MeshInterpolant, SubTetAndDualCellAreExactInBarycentres) {
  const MeshedFlowPtr flow = ball(0.09, false);
  test::Random random(2);
  for (Vec3& u : flow->u) u = random.direction();
  for (const Interpolant kind : {Interpolant::sub_tet, Interpolant::dual_cell}) {
    const Interpolated field(*flow, kind);
    for (std::int32_t t = 0; t < flow->mesh().tet_count(); ++t) {
      const Vec3 found = field.interpolant.at(flow->cells().centers[t], t).velocity;
      ASSERT_LT((found - flow->u[t]).norm(), 1e-10) << "tetrahedron " << t;
    }
  }
}

TEST(MeshInterpolant, DualCellIsUsedThroughoutTheUniformLattice) {
  const double size = 0.09;
  const ShapePtr shape = make_sphere({0.01, -0.02, 0.03}, 0.9);
  for (const bool uniform : {true, false}) {
    const MeshedFlowPtr flow = ball(size, uniform);
    const Interpolated field(*flow, Interpolant::dual_cell);
    test::Random random(4);
    int deep = 0;
    int deep_used = 0;
    int used = 0;
    for (std::int32_t t = 0; t < flow->mesh().tet_count(); ++t) {
      const Vec3 x = random_point(*flow, t, random);
      const bool has = field.interpolant.has_dual_cell(x, t);
      used += has;
      if (shape->distance(x) > -3.1 * size) continue;
      ++deep;
      deep_used += has;
    }
    std::printf("%s: dual cells for %.1f %% of all points, %.1f %% of those inside\n",
                uniform ? "uniform" : "graded",
                100.0 * used / static_cast<double>(flow->mesh().tet_count()),
                100.0 * deep_used / deep);
    EXPECT_GT(deep_used, uniform ? deep - 1 : 0);
  }
}

// Linear precision of the paper's coordinates where barycentres are circumcentres.
TEST(MeshInterpolant, LinearIsExactInTheUniformLattice) {
  const double size = 0.09;
  const ShapePtr shape = make_sphere({0.01, -0.02, 0.03}, 0.9);
  const MeshedFlowPtr flow = ball(size, true);
  Mat3 slope;
  slope << 0.3, -1, 0.2, 0.7, 0.1, -0.5, 0.4, 0.9, -0.4;
  flow->set([&](const Vec3& x) { return Vec3(slope * x); });
  for (const Interpolant kind : kAll) {
    const Interpolated field(*flow, kind);
    test::Random random(6);
    double worst = 0;
    for (std::int32_t t = 0; t < flow->mesh().tet_count(); ++t) {
      const Vec3 x = random_point(*flow, t, random);
      if (shape->distance(x) > -4.1 * size) continue;
      worst = std::max(worst, (field.interpolant.at(x, t).velocity - slope * x).norm());
    }
    std::printf("interpolant %d, linear velocity: worst error %.2g\n", static_cast<int>(kind),
                worst);
    EXPECT_LT(worst, kind == Interpolant::dual_cell ? 0.05 * size : 1e-12);
  }
}

TEST(MeshInterpolant, ContinuousAcrossFaces) {
  const MeshedFlowPtr flow = ball(0.11, false);
  test::Random random(8);
  for (Vec3& u : flow->u) u = random.direction();
  for (const Interpolant kind : {Interpolant::vertex_linear, Interpolant::sub_tet}) {
    const Interpolated field(*flow, kind);
    for (std::int64_t f = 0; f < flow->faces().count(); ++f) {
      if (flow->faces().is_boundary(f)) continue;
      const std::int32_t side = flow->faces().first_side(f);
      Vec3 x = Vec3::Zero();
      Vec3 weights(random.unit(), random.unit(), random.unit());
      weights /= weights.sum();
      for (int k = 0; k < 3; ++k) {
        x += weights[k] * flow->mesh().corner(side >> 2, kTetFaces[side & 3][k]);
      }
      const Vec3 here = field.interpolant.at(x, side >> 2).velocity;
      const Vec3 there = field.interpolant.at(x, flow->faces().second_side(f) >> 2).velocity;
      ASSERT_LT((here - there).norm(), 1e-11) << "face " << f;
    }
  }
}

// What blending with the grid relies on.
TEST(MeshInterpolant, BoundaryShareIsOneOnTheBoundary) {
  const MeshedFlowPtr flow = ball(0.11, false);
  const Interpolated field(*flow, Interpolant::vertex_linear);
  for (std::int64_t f = 0; f < flow->faces().count(); ++f) {
    if (!flow->faces().is_boundary(f)) continue;
    const Vec3& x = flow->cells().face_centers[f];
    EXPECT_NEAR(field.interpolant.at(x, flow->faces().first_side(f) >> 2).boundary_share, 1, 1e-12);
  }
}

}  // namespace
}  // namespace spindrift
