#include "spindrift/render/smooth_normals.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

namespace spindrift::render_detail {
namespace {

// Two strips that meet along the x axis at the given angle between their normals.
TriangleMesh roof(double degrees) {
  const double half = degrees * std::numbers::pi / 360;
  const double y = std::cos(half), z = -std::sin(half);
  return {.vertices = {{0, 0, 0}, {1, 0, 0}, {0, y, z}, {1, y, z}, {0, -y, z}, {1, -y, z}},
          .triangles = {{0, 1, 3}, {0, 3, 2}, {0, 4, 5}, {0, 5, 1}}};
}

TEST(SmoothNormals, GentleEdgesAreRoundAndSharpOnesStay) {
  const auto gentle = smooth_normals(roof(kCreaseDegrees - 1), {});
  EXPECT_TRUE(gentle[0][0].isApprox(Vec3f::UnitZ(), 1e-6f));
  EXPECT_TRUE(gentle[3][0].isApprox(Vec3f::UnitZ(), 1e-6f));
  const double degrees = kCreaseDegrees + 1, half = degrees * std::numbers::pi / 360;
  const auto sharp = smooth_normals(roof(degrees), {});
  const Vec3f one = Vec3(0, std::sin(half), std::cos(half)).cast<float>();
  EXPECT_TRUE(sharp[0][0].isApprox(one, 1e-6f));
  EXPECT_TRUE(sharp[3][0].isApprox(Vec3f(0, -one.y(), one.z()), 1e-6f));
}

TEST(SmoothNormals, ADividedFacetCountsOnce) {
  // The weights are angles: cutting a triangle in two through the vertex changes nothing.
  TriangleMesh whole = roof(30), cut = whole;
  cut.vertices.emplace_back((whole.vertices[1] + whole.vertices[3]) / 2);
  cut.triangles[0] = {0, 1, 6};
  cut.triangles.push_back({0, 6, 3});
  EXPECT_TRUE(smooth_normals(cut, {})[1][0].isApprox(smooth_normals(whole, {})[1][0], 1e-6f));
}

TEST(SmoothNormals, TurnWithThePlacement) {
  Placement turned;
  turned.rotation = Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized());
  turned.scale = Vec3::Constant(1e-3);
  turned.translation = {5, 6, 7};
  const TriangleMesh mesh = roof(30);
  const Vec3f plain = smooth_normals(mesh, {})[1][2];
  const Vec3f expected = (turned.rotation * plain.cast<double>()).cast<float>();
  EXPECT_TRUE(smooth_normals(mesh, turned)[1][2].isApprox(expected, 1e-5f));
}

TEST(SmoothNormals, TrianglesWithoutAreaDoNotCount) {
  TriangleMesh mesh = roof(30);
  const Vec3f before = smooth_normals(mesh, {})[0][0];
  mesh.triangles.push_back({0, 0, 1});
  const auto after = smooth_normals(mesh, {});
  EXPECT_EQ(after[0][0], before);
  EXPECT_EQ(after[4][0], Vec3f::Zero());
}

}  // namespace
}  // namespace spindrift::render_detail
