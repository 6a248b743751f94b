#include "spindrift/flow/vertex_velocity.hpp"

#include <cmath>
#include <cstdio>
#include <limits>

#include <gtest/gtest.h>

#include "spindrift/core/error.hpp"
#include "spindrift/core/parallel.hpp"
#include "spindrift/geometry/shape.hpp"

#include "support/meshed_flow.hpp"
#include "support/tet_meshes.hpp"

namespace spindrift {
namespace {

using test::MeshedFlow;
using test::MeshedFlowPtr;

const Vec3 kUniform(1.3, -0.4, 2.2);

MeshedFlowPtr graded_torus(double size = 0.09) {
  return test::blob_flow(*make_torus(Vec3::Zero(), Vec3(0.2, 0.3, 1).normalized(), 0.8, 0.3),
                         {.size = size});
}

// A tank with a ball in it.
MeshedFlowPtr tank(double size) {
  const ShapePtr liquid = make_halfspace({0, 0, 0.41}, {0, 0, 1});
  const ShapePtr room = make_box({-0.98, -0.97, -0.52}, {1.01, 0.99, 3});
  const ShapePtr all = make_box({-9, -9, -9}, {9, 9, 9});
  const ShapePtr obstacle =
      make_union({make_difference({all, room}), make_sphere({0.1, 0, -0.3}, 0.33)});
  return test::pool_flow(*liquid, *obstacle, Box3(Vec3(-1.3, -1.3, -0.9), Vec3(1.3, 1.3, 0.8)),
                         size);
}

VertexVelocity find(const MeshedFlow& flow, const VertexVelocityParams& params = {}) {
  return vertex_velocities(flow.flow(), vertex_rings(flow.mesh()), params);
}

TEST(VertexRings, HoldEveryCornerOnce) {
  const MeshedFlowPtr flow = graded_torus();
  const VertexRings rings = vertex_rings(flow->mesh());
  std::int64_t corners = 0;
  for (std::int64_t v = 0; v < flow->mesh().vertex_count(); ++v) {
    std::int32_t last = -1;
    for (const std::int32_t corner : rings.of(v)) {
      EXPECT_GT(corner, last);
      last = corner;
      EXPECT_EQ(flow->mesh().tets[corner >> 2][corner & 3], v);
      ++corners;
    }
  }
  EXPECT_EQ(corners, 4 * flow->mesh().tet_count());
}

TEST(VertexVelocity, UniformIsExactOnGradedAndSnappedMeshes) {
  for (const MeshedFlowPtr& flow : {graded_torus(), tank(0.11)}) {
    flow->set([](const Vec3&) { return kUniform; });
    for (const BoundaryFit fit : {BoundaryFit::mean, BoundaryFit::linear}) {
      const VertexVelocity found = find(*flow, {0.92, fit});
      double worst = 0;
      for (const Vec3& u : found.values) worst = std::max(worst, (u - kUniform).norm());
      EXPECT_LT(worst, 1e-13);
      for (const BoundaryVertex& at : found.boundary) {
        EXPECT_LT((at.fitted - kUniform).norm() + 0.01 * at.slope.norm(), 1e-13);
      }
    }
  }
}

TEST(VertexVelocity, LinearIsExactWhereTheLatticeIsUniform) {
  const double size = 0.1;
  const ShapePtr ball = make_sphere({0.01, -0.02, 0.03}, 0.9);
  const MeshedFlowPtr flow = test::blob_flow(*ball, {.size = size, .uniform = true});
  Mat3 slope;
  slope << 0.3, -1, 0.2, 0.7, 0.1, -0.5, 0.4, 0.9, -0.4;
  const auto velocity = [&](const Vec3& x) { return Vec3(kUniform + slope * x); };
  flow->set(velocity);
  const VertexVelocity found = find(*flow);
  double deep = 0;
  double mean_at_boundary = 0;
  double fit_at_boundary = 0;
  const VertexVelocity means = find(*flow, {0.92, BoundaryFit::mean});
  for (std::size_t v = 0; v < found.values.size(); ++v) {
    const Vec3& x = flow->mesh().vertices[v];
    const Vec3 exact = velocity(x);
    // Two rings of tetrahedra away from the boundary.
    if (ball->distance(x) < -3.1 * size) deep = std::max(deep, (found.values[v] - exact).norm());
    if (found.is_boundary[v] == 0) continue;
    fit_at_boundary = std::max(fit_at_boundary, (found.values[v] - exact).norm());
    mean_at_boundary = std::max(mean_at_boundary, (means.values[v] - exact).norm());
  }
  EXPECT_LT(deep, 1e-13);
  std::printf(
      "linear velocity, worst error at the boundary, in cells x slope: mean %.3f, fit %.3f\n",
      mean_at_boundary / size / slope.norm(), fit_at_boundary / size / slope.norm());
  EXPECT_LT(fit_at_boundary, 0.8 * mean_at_boundary);
}

TEST(VertexVelocity, ShapesOfTheLatticeHaveTheWeightsOfAnyOther) {
  const MeshedFlowPtr flow = graded_torus();
  flow->set([](const Vec3& x) { return Vec3(std::sin(5 * x.y()), std::cos(4 * x.z()), x.x()); });
  TetMesh shapeless = flow->mesh();
  shapeless.shapes.clear();
  const TetFlow any = {shapeless, flow->flow().faces, flow->cells(), flow->u, flow->z};
  const VertexVelocity found = find(*flow);
  const VertexVelocity same = vertex_velocities(any, vertex_rings(shapeless));
  double worst = 0;
  for (std::size_t v = 0; v < found.values.size(); ++v) {
    worst = std::max(worst, (found.values[v] - same.values[v]).norm());
  }
  EXPECT_LT(worst, 1e-12);
}

TEST(VertexVelocity, CorrectionReducesWhatBarycentresMiss) {
  const MeshedFlowPtr flow = graded_torus(0.05);
  flow->set([](const Vec3& x) { return Vec3(std::sin(5 * x.y()), std::cos(4 * x.z()), x.x()); });
  const auto missed = [&](double correction) {
    const VertexVelocity found = find(*flow, {correction, BoundaryFit::linear});
    double sum = 0;
    for (std::size_t t = 0; t < flow->u.size(); ++t) {
      Vec3 mean = Vec3::Zero();
      for (const std::int32_t v : flow->mesh().tets[t]) mean += found.values[v] / 4;
      sum += flow->cells().volumes[t] * (mean - flow->u[t]).squaredNorm();
    }
    return std::sqrt(sum);
  };
  EXPECT_LT(missed(0.92), 0.6 * missed(0));
}

// Every wall, edge and corner of the tank, and the ball: nothing goes through.
TEST(VertexVelocity, NothingGoesThroughSolidFaces) {
  const MeshedFlowPtr flow = tank(0.11);
  test::Random random(3);
  for (Vec3& u : flow->u) u = random.direction();
  flow->z.assign(flow->z.size(), 0);
  const VertexVelocity found = find(*flow);
  // Chamfered creases and the ball have faces of several normals that count as one wall.
  std::vector<char> is_flat(found.values.size(), 1);
  const auto for_each_solid_corner = [&](const auto& visit) {
    for (std::int64_t f = 0; f < flow->faces().count(); ++f) {
      if (flow->cells().tags[f] != FaceTag::solid) continue;
      const Vec3 normal = flow->cells().area_vectors[f].normalized();
      for (const std::int32_t v : face_corners(flow->mesh(), flow->faces().first_side(f))) {
        visit(v, normal);
      }
    }
  };
  for_each_solid_corner([&](std::int32_t v, const Vec3& normal) {
    if (normal.cwiseAbs().maxCoeff() < 1 - 1e-9) is_flat[v] = 0;
  });
  double flat = 0;
  double curved = 0;
  int on_walls = 0;
  for_each_solid_corner([&](std::int32_t v, const Vec3& normal) {
    double& worst = is_flat[v] != 0 ? flat : curved;
    worst = std::max(worst, std::abs(found.values[v].dot(normal)));
    on_walls += is_flat[v];
  });
  EXPECT_LT(flat, 1e-12);
  EXPECT_GT(on_walls, 1000);
  // Faces of one vertex of the ball have different normals.
  EXPECT_LT(curved, 0.6);
}

TEST(VertexVelocity, SameBitsForAnyNumberOfThreads) {
  const MeshedFlowPtr flow = graded_torus(0.05);
  test::Random random(11);
  for (Vec3& u : flow->u) u = random.direction();
  VertexVelocity first;
  for (const int threads : {1, 2, 3}) {
    const ThreadLimit limit(threads);
    VertexVelocity found = find(*flow);
    if (threads == 1) {
      first = std::move(found);
      continue;
    }
    EXPECT_TRUE(found.values == first.values);
    for (std::size_t i = 0; i < first.boundary.size(); ++i) {
      EXPECT_EQ(found.boundary[i].slope, first.boundary[i].slope);
    }
  }
}

TEST(VertexVelocity, OneTetrahedronAndNone) {
  TetMesh one;
  one.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  one.tets = {{0, 1, 2, 3}};
  MeshedFlow flow(std::move(one));
  flow.u[0] = kUniform;
  for (const Vec3& u : find(flow).values) EXPECT_LT((u - kUniform).norm(), 1e-15);
  const MeshedFlow nothing{TetMesh()};
  EXPECT_TRUE(find(nothing).values.empty());
}

void expect_numerical_error(const MeshedFlow& flow, const std::string& text) {
  try {
    (void)find(flow);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::numerical);
    EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
  }
}

TEST(VertexVelocity, NotANumberIsAnError) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  MeshedFlow flow(test::kuhn_grid({2, 2, 2}));
  flow.u[3].y() = nan;
  expect_numerical_error(flow, "1 velocities in tetrahedra are not finite");

  TetMesh mesh = test::kuhn_grid({2, 2, 2});
  const std::int32_t side = boundary_sides(find_neighbors(mesh)).front();
  const TaggedFace solid = {side, FaceTag::solid};
  MeshedFlow walled(std::move(mesh), {&solid, 1});
  walled.z[walled.faces().of_tet(side >> 2)[side & 3]] = nan;
  expect_numerical_error(walled, "3 velocities at vertices are not finite");
}

}  // namespace
}  // namespace spindrift
