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

double energy_left(MeshedFlow& flow, const Way& way) {
  MeshVelocityParams params;
  params.interpolant = way.interpolant;
  params.vertices = way.vertices;
  const double left = energy_left(flow, 16, params, 100);
  std::printf("%lld tetrahedra, %s: %.2f of the energy left after 100 steps\n",
              static_cast<long long>(flow.mesh().tet_count()), way.name, left);
  return left;
}

TEST(Damping, SlowCorrectionKeepsMostEnergy) {
  const ShapePtr ball = make_sphere({0.01, 0.02, -0.015}, 1);
  const MeshedFlowPtr flow = test::blob_flow(*ball, {.size = 0.11, .uniform = true});
  const double linear = energy_left(*flow, kWays[0]);
  const double sub_tet = energy_left(*flow, kWays[1]);
  const double dual_cell = energy_left(*flow, kWays[2]);
  const double corrected = energy_left(*flow, kWays[3]);
  EXPECT_LT(linear, 0.15);
  EXPECT_GT(sub_tet, linear);
  EXPECT_GT(dual_cell, 2 * sub_tet);
  EXPECT_GT(corrected, 0.85);
  EXPECT_LT(corrected, 1);
}

// Cells of half the size at the surface; the transition is inside of what is measured.
TEST(Damping, SlowCorrectionKeepsMostEnergyOnGradedMeshes) {
  const ShapePtr ball = make_sphere({0.01, 0.02, -0.015}, 1);
  const double size = 0.14;
  const SameSize largest(size);
  const MeshedFlowPtr flow = test::blob_flow(*ball, {.size = size / 2, .sizing = &largest});
  const double linear = energy_left(*flow, kWays[0]);
  const double corrected = energy_left(*flow, kWays[3]);
  EXPECT_LT(linear, 0.3);
  EXPECT_GT(corrected, 0.8);
  EXPECT_LT(corrected, 1);
}

}  // namespace
}  // namespace spindrift
