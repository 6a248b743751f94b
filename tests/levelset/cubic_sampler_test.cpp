#include "spindrift/levelset/cubic_sampler.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "support/meshes.hpp"
#include "support/random.hpp"

namespace spindrift {
namespace {

constexpr double kSpacing = 0.05;
constexpr float kBand = 3;

BandDistance shell_distance() {
  TriangleMesh shell = test::sphere(5);
  const TriangleMesh hollow = test::sphere(5, 0.4);
  const auto shift = static_cast<std::int32_t>(shell.vertices.size());
  shell.vertices.insert(shell.vertices.end(), hollow.vertices.begin(), hollow.vertices.end());
  for (const Triangle& t : hollow.triangles) {
    shell.triangles.push_back({t[0] + shift, t[2] + shift, t[1] + shift});
  }
  return mesh_distance(shell, {}, {.origin = {0.01, 0.02, 0}, .spacing = kSpacing},
                       {.band = kBand});
}

TEST(CubicSampler, FollowsTheDistanceAndKeepsItsSignBeyondTheBand) {
  const BandDistance distance = shell_distance();
  const CubicSampler sampler(distance);
  test::Random random(5);
  std::vector<Vec3> points;
  for (int i = 0; i < 20000; ++i) {
    points.emplace_back(random.between(-2, 2), random.between(-2, 2), random.between(-2, 2));
  }
  std::vector<double> values(points.size());
  sampler.evaluate(points, values);
  const double band = kBand * kSpacing;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double r = points[i].norm();
    const double exact = std::max(r - 1, 0.4 - r);
    EXPECT_LE(std::abs(values[i]), band * (1 + 1e-6));
    if (std::abs(exact) < band - 2 * kSpacing) {
      EXPECT_NEAR(values[i], exact, 1e-3);  // the triangles lie that far inside the spheres
    }
    if (std::abs(exact) > 1e-3) {
      EXPECT_EQ(values[i] < 0, exact < 0) << points[i].transpose();
    }
  }
}

TEST(CubicSampler, IsTheSampleAtNodesAndAsMuchBesideThem) {
  const BandDistance distance = shell_distance();
  const CubicSampler sampler(distance);
  const SampledField& field = distance.field;
  std::vector<Vec3> nodes;
  std::vector<float> samples;
  for (std::int64_t block = 0; block < field.blocks.size(); ++block) {
    for (int node = 0; node < kBlockNodes; ++node) {
      nodes.push_back(
          field.lattice.position(Vec3i(field.blocks.first_node(block) + node_offset(node))));
      samples.push_back(std::clamp(field.block_values(block)[node], -kBand, kBand));
    }
  }
  std::vector<float> at_nodes(nodes.size());
  sampler.evaluate(nodes, at_nodes);
  EXPECT_EQ(at_nodes, samples);
  // Farther than what counts as rounding of a node's coordinates.
  std::vector<Vec3> beside = nodes;
  for (Vec3& point : beside) point += Vec3(1e-8, -1e-8, 1e-8) * kSpacing;
  std::vector<float> at_side(nodes.size());
  sampler.evaluate(beside, at_side);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    ASSERT_NEAR(at_side[i], samples[i], 1e-6) << nodes[i].transpose();
  }
}

TEST(CubicSampler, WhatIsNoPlaceIsOutside) {
  const BandDistance distance = shell_distance();
  const CubicSampler sampler(distance);
  for (const double odd : {std::numeric_limits<double>::quiet_NaN(),
                           std::numeric_limits<double>::infinity(), -1e300}) {
    for (int axis = 0; axis < 3; ++axis) {
      Vec3 point(0.7, 0, 0);  // in the liquid
      point[axis] = odd;
      std::array<float, 1> value{};
      sampler.evaluate(std::array{point}, value);
      EXPECT_EQ(value[0], kBand) << odd << " along axis " << axis;
    }
  }
}

}  // namespace
}  // namespace spindrift
