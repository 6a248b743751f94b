#include "spindrift/flow/advect.hpp"

#include <cmath>
#include <cstdio>
#include <numbers>

#include <gtest/gtest.h>

#include "spindrift/core/parallel.hpp"
#include "spindrift/geometry/shape.hpp"

#include "support/meshed_flow.hpp"
#include "support/tet_meshes.hpp"

namespace spindrift {
namespace {

using test::MeshedFlow;
using test::MeshedFlowPtr;

constexpr Interpolant kAll[] = {Interpolant::vertex_linear, Interpolant::sub_tet,
                                Interpolant::dual_cell};

MeshVelocityParams with(Interpolant kind) {
  MeshVelocityParams params;
  params.interpolant = kind;
  return params;
}

MeshedFlowPtr ball(const Vec3& center, double size) {
  return test::blob_flow(*make_sphere(center, 0.7), {.size = size});
}

// By several cells, onto a mesh that does not overlap the old one's everywhere.
TEST(Advect, TranslationKeepsAUniformVelocity) {
  const Vec3 velocity(1.3, -0.4, 2.2);
  const double dt = 0.15;
  const MeshedFlowPtr before = ball({0, 0, 0}, 0.08);
  const MeshedFlowPtr after = ball(dt * velocity, 0.08);
  before->set([&](const Vec3&) { return velocity; });
  for (const Interpolant kind : kAll) {
    const MeshVelocity field(before->flow(), dt, with(kind));
    const AdvectionReport report = advect(field, after->cells(), dt, after->z, after->u);
    EXPECT_EQ(report.points, after->cells().cell_count() + after->cells().face_count());
    double worst = 0;
    for (const Vec3& u : after->u) worst = std::max(worst, (u - velocity).norm());
    for (std::size_t f = 0; f < after->z.size(); ++f) {
      const double exact = velocity.dot(after->cells().area_vectors[f].normalized());
      worst = std::max(worst, std::abs(after->z[f] - exact));
    }
    EXPECT_LT(worst, 1e-13);
  }
}

// A wave carried along by a uniform stream: u(x - dt U), where nothing comes from outside.
TEST(Advect, TranslationCarriesAWave) {
  const Vec3 stream(0, 3, 0);
  const double dt = 0.1;
  const double size = 0.04;
  const MeshedFlowPtr before =
      test::blob_flow(*make_sphere(Vec3::Zero(), 0.7), {.size = size, .uniform = true});
  const MeshedFlowPtr after = ball(dt * stream, size);
  const auto wave = [&](const Vec3& x) {
    return Vec3(stream + 0.1 * std::sin(5 * x.x()) * Vec3::UnitZ());
  };
  before->set(wave);
  for (const Interpolant kind : kAll) {
    const MeshVelocity field(before->flow(), dt, with(kind));
    (void)advect(field, after->cells(), dt, {}, after->u);
    double sum = 0, count = 0;
    for (std::size_t t = 0; t < after->u.size(); ++t) {
      const Vec3& x = after->cells().centers[t];
      if ((x - dt * stream).norm() > 0.5) continue;
      sum += (after->u[t] - wave(x)).squaredNorm();  // does not depend on y
      ++count;
    }
    const double error = std::sqrt(sum / count) / (0.1 / std::numbers::sqrt2);
    std::printf("interpolant %d: wave of 31 cells, error %.2g of its amplitude\n",
                static_cast<int>(kind), error);
    EXPECT_LT(error, kind == Interpolant::vertex_linear ? 0.01 : 0.02);
  }
}

struct Errors {
  double rms, inner;  // m/s: everywhere, and well inside
};

// A rigid turn with a CFL number of about 2.5: the exact answer is known everywhere.
Errors turn_error(double size, Interpolant kind) {
  const double dt = 3.5 * size;
  const MeshedFlowPtr before =
      test::blob_flow(*make_sphere(Vec3::Zero(), 0.7), {.size = size, .uniform = true});
  const MeshedFlowPtr after =
      test::blob_flow(*make_sphere({1e-3, 0, 0}, 0.7), {.size = size, .uniform = true});
  // With a part that is not linear, which turns as a whole: u = e_z x x + f e_z.
  const auto velocity = [](const Vec3& x) {
    return Vec3(-x.y(), x.x(), 0.1 * std::cos(4 * std::hypot(x.x(), x.y())));
  };
  before->set(velocity);
  const MeshVelocity field(before->flow(), dt, with(kind));
  (void)advect(field, after->cells(), dt, {}, after->u);
  double sum = 0, volume = 0, inner = 0, inner_volume = 0;
  for (std::size_t t = 0; t < after->u.size(); ++t) {
    const Vec3& x = after->cells().centers[t];
    // Where the point was: turned back, and lower or higher by its own constant speed.
    const Vec3 origin(std::cos(dt) * x.x() + std::sin(dt) * x.y(),
                      std::cos(dt) * x.y() - std::sin(dt) * x.x(), 0);
    const double squared = (after->u[t] - velocity(origin)).squaredNorm();
    const double v = after->cells().volumes[t];
    sum += v * squared;
    volume += v;
    if (x.norm() > 0.35) continue;
    inner += v * squared;
    inner_volume += v;
  }
  return {std::sqrt(sum / volume), std::sqrt(inner / inner_volume)};
}

TEST(Advect, TurnConvergesUnderRefinement) {
  for (const Interpolant kind : kAll) {
    Errors last = {0, 0};
    double order = 0;
    for (const double size : {0.12, 0.06, 0.03}) {
      const Errors errors = turn_error(size, kind);
      std::printf("interpolant %d, cells of %.2f m: rms error %.3g, well inside %.3g",
                  static_cast<int>(kind), size, errors.rms, errors.inner);
      if (last.rms > 0) {
        std::printf(", orders %.2f, %.2f", std::log2(last.rms / errors.rms),
                    std::log2(last.inner / errors.inner));
      }
      std::printf("\n");
      order = std::log2(last.inner / errors.inner);
      last = errors;
    }
    EXPECT_LT(last.rms, 2e-3);
    EXPECT_GT(order, kind == Interpolant::dual_cell ? 1.0 : 1.8);
  }
}

TEST(Advect, SameBitsForAnyNumberOfThreads) {
  const MeshedFlowPtr before = ball({0, 0, 0}, 0.06);
  const MeshedFlowPtr after = ball({0.03, 0.01, 0.02}, 0.06);
  test::Random random(1);
  for (Vec3& u : before->u) u = random.direction();
  for (const Interpolant kind : kAll) {
    std::vector<Vec3> first_u;
    std::vector<double> first_z;
    for (const int threads : {1, 2, 3}) {
      const ThreadLimit limit(threads);
      const MeshVelocity field(before->flow(), 0.1, with(kind));
      (void)advect(field, after->cells(), 0.1, after->z, after->u);
      if (threads == 1) {
        first_u = after->u;
        first_z = after->z;
      }
      EXPECT_TRUE(after->u == first_u);
      EXPECT_TRUE(after->z == first_z);
    }
  }
}

TEST(Advect, EmptyMeshes) {
  const MeshedFlowPtr some = ball({0, 0, 0}, 0.2);
  some->set([](const Vec3&) { return Vec3(1, 2, 3); });
  MeshedFlow nothing{TetMesh()};
  const MeshVelocity field(some->flow(), 0.1);
  EXPECT_EQ(advect(field, nothing.cells(), 0.1, nothing.z, nothing.u).points, 0);
  const MeshVelocity empty(nothing.flow(), 0.1);
  (void)advect(empty, some->cells(), 0.1, some->z, some->u);
  for (const Vec3& u : some->u) EXPECT_EQ(u, Vec3(0, 0, 0));
}

}  // namespace
}  // namespace spindrift
