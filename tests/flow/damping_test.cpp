// How much energy interpolation takes out of a flow.
#include <cmath>
#include <cstdio>
#include <numbers>

#include <gtest/gtest.h>

#include "spindrift/flow/mesh_velocity.hpp"
#include "spindrift/geometry/shape.hpp"

#include "support/meshed_flow.hpp"

namespace spindrift {
namespace {

using test::MeshedFlow;
using test::MeshedFlowPtr;

constexpr double kInner = 0.5;  // m: what is measured

class SameSize final : public ScalarField {
 public:
  explicit SameSize(double size) : size_(size) {}
  void evaluate(std::span<const Vec3>, std::span<double> values) const override {
    for (double& value : values) value = size_;
  }

 private:
  double size_;
};

double mean_edge(const MeshedFlow& flow) {
  double sum = 0, count = 0;
  for (std::int64_t t = 0; t < flow.mesh().tet_count(); ++t) {
    if (flow.cells().centers[static_cast<std::size_t>(t)].norm() > kInner) continue;
    for (const auto& [a, b] : kTetEdges) {
      sum += (flow.mesh().corner(t, a) - flow.mesh().corner(t, b)).norm();
      ++count;
    }
  }
  return sum / count;
}

double inner_energy(const MeshedFlow& flow) {
  double sum = 0;
  for (std::size_t t = 0; t < flow.u.size(); ++t) {
    if (flow.cells().centers[t].norm() > kInner) continue;
    sum += flow.cells().volumes[t] * flow.u[t].squaredNorm();
  }
  return sum;
}

// The share of energy left after steps that move all by 2.7 edges, there and back again: waves of
// `edges` edges in each direction.
double energy_left(MeshedFlow& flow, double edges, const MeshVelocityParams& params, int steps) {
  const double edge = mean_edge(flow);
  const double k = 2 * std::numbers::pi / (edges * edge);
  flow.set([&](const Vec3& x) {
    return Vec3(std::sin(k * x.y()) + 0.5 * std::cos(k * x.z()), std::sin(k * x.z()),
                std::cos(k * x.x()));
  });
  const double start = inner_energy(flow);
  const Vec3 move = 2.7 * edge * Vec3(0.61, -0.53, 0.59).normalized();
  std::vector<Vec3> points(flow.u.size());
  std::vector<Vec3> carried(flow.u.size());
  MeshVelocityParams used = params;
  used.margin = 1.5 * move.norm();
  for (int step = 0; step < steps; ++step) {
    for (std::size_t t = 0; t < points.size(); ++t) {
      points[t] = flow.cells().centers[t] + (step % 2 == 0 ? move : Vec3(-move));
    }
    evaluate_parallel(MeshVelocity(flow.flow(), 0, used).values(), points, carried);
    flow.u = carried;
  }
  return inner_energy(flow) / start;
}

struct Way {
  const char* name;
  Interpolant interpolant;
  VertexVelocityParams vertices;
};
constexpr Way kWays[] = {
    {"vertex-linear", Interpolant::vertex_linear, {0, BoundaryFit::mean}},
    {"sub-tet", Interpolant::sub_tet, {0, BoundaryFit::mean}},
    {"dual-cell (the paper's)", Interpolant::dual_cell, {0, BoundaryFit::mean}},
    {"vertex-linear, corrected", Interpolant::vertex_linear, {}},
};

TEST(Damping, SlowCorrectionKeepsMostEnergy) {
  const ShapePtr ball = make_sphere({0.01, 0.02, -0.015}, 1);
  const double size = 1.0 / 14;
  for (const bool is_graded : {false, true}) {
    // Graded: cells of half the size at the surface, where transitions are inside of what is
    // measured.
    StuffingParams stuffing = {.size = is_graded ? size / 2 : size, .uniform = !is_graded};
    const SameSize largest(size);
    if (is_graded) stuffing.sizing = &largest;
    const MeshedFlowPtr flow = test::blob_flow(*ball, stuffing);
    double left[4][2];
    for (std::size_t way = 0; way < std::size(kWays); ++way) {
      MeshVelocityParams params;
      params.interpolant = kWays[way].interpolant;
      params.vertices = kWays[way].vertices;
      left[way][0] = energy_left(*flow, 16, params, 100);
      left[way][1] = energy_left(*flow, 32, params, 100);
      std::printf(
          "%s, %lld tetrahedra, %s: energy left after 100 steps %.2f (16 edges), %.2f (32)\n",
          is_graded ? "graded" : "uniform", static_cast<long long>(flow->mesh().tet_count()),
          kWays[way].name, left[way][0], left[way][1]);
    }
    EXPECT_LT(left[0][0], 0.2);
    EXPECT_GT(left[3][0], 0.85);
    EXPECT_GT(left[3][1], 0.95);
    EXPECT_LT(left[3][0], 1.02);
    EXPECT_LT(left[3][1], 1.02);
  }
}

}  // namespace
}  // namespace spindrift
