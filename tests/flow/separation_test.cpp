#include "spindrift/flow/separation.hpp"

#include <gtest/gtest.h>

#include "spindrift/geometry/shape.hpp"

#include "support/flow_meshes.hpp"

namespace spindrift {
namespace {

constexpr double kDt = 0.01;
const Vec3 kGravity(0, 0, -9.81);
constexpr std::array kBoth = {ProjectionKind::two_point, ProjectionKind::consistent};

// A box of liquid whose lower or upper side touches a solid.
struct Block {
  CellMesh mesh = test::blob(*make_box({-0.5, -0.4, 0}, {0.5, 0.4, 0.6}), 0.11);
  std::vector<double> z = std::vector<double>(static_cast<std::size_t>(mesh.face_count()), 0.0);
  std::vector<Vec3> u =
      std::vector<Vec3>(static_cast<std::size_t>(mesh.cell_count()), Vec3::Zero());
  std::vector<double> p = std::vector<double>(u.size(), 0.0);
  std::vector<std::size_t> solid_faces;

  explicit Block(double height_of_solid) {
    for (std::size_t f = 0; f < mesh.tags.size(); ++f) {
      if (mesh.face_cells[f][1] >= 0) continue;
      if (std::abs(mesh.face_centers[f].z() - height_of_solid) > 1e-9) continue;
      mesh.tags[f] = FaceTag::solid;
      solid_faces.push_back(f);
    }
  }
  SeparationReport project(const ProjectionInput& input, ProjectionKind kind,
                           std::vector<std::int32_t> likely = {}) {
    ProjectionParams params;
    params.kind = kind;
    params.solve.tolerance = 1e-12;
    return project_separating(mesh, input, params, {.least_pull = 1, .likely = std::move(likely)},
                              z, u, p);
  }
  [[nodiscard]] double farthest_from(const Vec3& velocity) const {
    double farthest = 0;
    for (const Vec3& v : u) farthest = std::max(farthest, (v - velocity).norm());
    return farthest;
  }
};

ProjectionInput falling() {
  ProjectionInput input;
  input.dt = kDt;
  input.gravity = kGravity;
  return input;
}

TEST(Separation, LiquidAtACeilingFallsFreely) {
  for (const ProjectionKind kind : kBoth) {
    Block block(0.6);
    ASSERT_GT(block.solid_faces.size(), 20U);
    const SeparationReport report = block.project(falling(), kind);
    ASSERT_TRUE(report.projection.has_converged) << report.projection.problem;
    EXPECT_EQ(std::ssize(report.released), std::ssize(block.solid_faces));
    for (const std::size_t f : block.solid_faces) EXPECT_EQ(block.mesh.tags[f], FaceTag::air);
    EXPECT_LT(block.farthest_from(kDt * kGravity), 1e-9);
  }
}

TEST(Separation, AFloorIsNotLetGo) {
  for (const ProjectionKind kind : kBoth) {
    Block block(0);
    const SeparationReport report = block.project(falling(), kind);
    ASSERT_TRUE(report.projection.has_converged) << report.projection.problem;
    EXPECT_TRUE(report.released.empty());
    for (const std::size_t f : block.solid_faces) {
      EXPECT_EQ(block.mesh.tags[f], FaceTag::solid);
      EXPECT_NEAR(block.z[f], 0, 1e-12);
    }
  }
}

// What was let go a step before is where the next one starts.
TEST(Separation, AGoodGuessSavesIterations) {
  Block block(0.6);
  const std::vector<std::int32_t> all(block.solid_faces.begin(), block.solid_faces.end());
  const SeparationReport report = block.project(falling(), ProjectionKind::consistent, all);
  ASSERT_TRUE(report.projection.has_converged) << report.projection.problem;
  EXPECT_EQ(report.released, all);
  EXPECT_LT(block.farthest_from(kDt * kGravity), 1e-9);
  Block without(0.6);
  EXPECT_LT(report.iterations, without.project(falling(), ProjectionKind::consistent).iterations);
}

TEST(Separation, AWrongGuessIsTakenBack) {
  for (const ProjectionKind kind : kBoth) {
    Block block(0);
    const std::vector<std::int32_t> all(block.solid_faces.begin(), block.solid_faces.end());
    const SeparationReport report = block.project(falling(), kind, all);
    ASSERT_TRUE(report.projection.has_converged) << report.projection.problem;
    EXPECT_TRUE(report.released.empty());
    for (const std::size_t f : block.solid_faces) {
      EXPECT_EQ(block.mesh.tags[f], FaceTag::solid);
      EXPECT_NEAR(block.z[f], 0, 1e-12);
    }
  }
}

// A floor that falls faster than the liquid does leaves it behind; one that rises takes it along.
TEST(Separation, AMovingFloorPushesAndDoesNotPull) {
  for (const double floor : {-3.0, 0.5}) {
    Block block(0);
    std::vector<double> walls(block.z.size(), 0.0);
    // Their area vectors point down.
    for (const std::size_t f : block.solid_faces) walls[f] = -floor;
    ProjectionInput input = falling();
    input.solid_velocity = walls;
    const SeparationReport report = block.project(input, ProjectionKind::consistent);
    ASSERT_TRUE(report.projection.has_converged) << report.projection.problem;
    if (floor < 0) {
      EXPECT_EQ(std::ssize(report.released), std::ssize(block.solid_faces));
      EXPECT_LT(block.farthest_from(kDt * kGravity), 1e-9);
    } else {
      EXPECT_TRUE(report.released.empty());
      for (const std::size_t f : block.solid_faces) EXPECT_NEAR(block.z[f], -floor, 1e-12);
    }
  }
}

TEST(Separation, AFailureLeavesVelocitiesAsTheyWere) {
  Block block(0.6);
  block.u[3].x() = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> before = block.z;
  const SeparationReport report = block.project(falling(), ProjectionKind::consistent);
  EXPECT_FALSE(report.projection.has_converged);
  EXPECT_EQ(block.z, before);
}

}  // namespace
}  // namespace spindrift
