#include "spindrift/surface/thickening.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "spindrift/geometry/shape.hpp"
#include "spindrift/surface/contouring_tracker.hpp"
#include "spindrift/surface/mesh_thickening.hpp"
#include "spindrift/surface/particle_field.hpp"

#include "support/flows.hpp"

namespace spindrift {
namespace {

// Lengths in voxels: the lattice has a spacing of one.
const Lattice kLattice{Vec3::Zero(), 1.0};
const Vec3 kMiddle(20.3, 20.6, 20.1);
const Vec3 kNormal = Vec3(0.6, -0.5, 0.62).normalized();

ShapePtr sheet(double thickness, double radius = 14) {
  return make_intersection(
      {make_sphere(kMiddle, radius),
       make_difference({make_halfspace(kMiddle + thickness / 2 * kNormal, kNormal),
                        make_halfspace(kMiddle - thickness / 2 * kNormal, kNormal)})});
}

ContouringTracker tracker_of(const Shape& shape) {
  return {shape, Box3(Vec3::Zero(), Vec3::Constant(120)), {.lattice = kLattice}};
}

double value_at(const ScalarField& field, const Vec3& point) {
  double value = 0;
  field.evaluate(std::span(&point, 1), std::span(&value, 1));
  return value;
}

TEST(MedialParticles, LieInTheMiddleOfASheet) {
  const ContouringTracker tracker = tracker_of(*sheet(1.5));
  const std::vector<MedialParticle> particles = tracker.thin_parts({.thinness = 3});
  // One in every cube that the sheet's middle goes through, but for the rim.
  EXPECT_GT(particles.size(), 1000U);
  int off = 0;
  for (const MedialParticle& particle : particles) {
    const Vec3 from_middle = particle.position - kMiddle;
    if (from_middle.norm() > 12) continue;
    const bool is_there = std::abs(from_middle.dot(kNormal)) < 0.15 &&
                          std::abs(particle.radius - 0.75) < 0.15 &&
                          std::abs(particle.axis.dot(kNormal)) > 0.9;
    off += is_there ? 0 : 1;
  }
  EXPECT_LT(off, 0.02 * static_cast<double>(particles.size()));
}

TEST(MedialParticles, AreOnlyInThinLiquid) {
  EXPECT_TRUE(tracker_of(*make_sphere(kMiddle, 5)).thin_parts({.thinness = 3}).empty());
  EXPECT_TRUE(tracker_of(*sheet(2.5, 10)).thin_parts({.thinness = 1.2}).empty());
}

TEST(ParticleField, IsASphereAroundOneParticle) {
  const ParticleField field({{kMiddle, 0.9}}, kLattice, 3);
  for (const double distance : {0.0, 0.5, 0.9, 2.0}) {
    EXPECT_NEAR(value_at(field, kMiddle + distance * kNormal), distance - 0.9, 1e-12);
  }
  EXPECT_GT(value_at(field, kMiddle + 4 * kNormal), 100);
}

TEST(ParticleField, IsFlatAroundASheetOfParticles) {
  std::vector<MedialParticle> particles;
  for (double x = -6; x <= 6; x += 0.6) {
    for (double y = -6; y <= 6; y += 0.6) particles.push_back({Vec3(x, y, 0), 0.7});
  }
  const ParticleField field(std::move(particles), kLattice, 3);
  for (const double x : {0.0, 0.13, 0.3, 0.44}) {
    EXPECT_NEAR(value_at(field, Vec3(x, 0.21, 0.7)), 0, 0.03);
    EXPECT_NEAR(value_at(field, Vec3(x, 0.21, -1.5)), 0.8, 0.03);
  }
}

TEST(MeshThickening, MakesThinPartsAsThickAsAskedForAndLeavesThickOnesAlone) {
  // Half as thick as it is to be, beside a ball.
  const Vec3 beside = kMiddle + 30 * Vec3::UnitX();
  const ContouringTracker tracker = tracker_of(*make_union({sheet(1.2), make_sphere(beside, 8)}));
  const MeshThickened field(tracker.distance(), tracker.thin_parts({.thinness = 2.4}), kLattice,
                            {.radius = 1.2, .support = 8});
  const double half = [&] {
    double inside = 0;
    double outside = 3;
    while (outside - inside > 1e-3) {
      const double middle = (inside + outside) / 2;
      (value_at(field, kMiddle + middle * kNormal) < 0 ? inside : outside) = middle;
    }
    return inside;
  }();
  EXPECT_NEAR(half, 1.2, 0.2);
  const Vec3 far = beside + 8.01 * Vec3::UnitX();
  EXPECT_EQ(value_at(field, far), value_at(tracker.distance(), far));
}

// The volume after each step of a way of 100 voxels off the axes; 0: gone.
std::vector<double> volumes_on_the_way(const Shape& shape,
                                       const std::optional<ThickeningParams>& thickening) {
  ContouringTracker tracker = tracker_of(shape);
  SurfaceChanges changes;
  changes.thickening = thickening;
  const Vec3 direction = Vec3(0.43, 0.37, 0.31).normalized();
  std::vector<double> volumes;
  for (int step = 0; step < 40; ++step) {
    (void)tracker.advance(test::uniform_flow(direction), 2.5, changes);
    volumes.push_back(enclosed_volume(tracker.surface()));
  }
  return volumes;
}

TEST(Thickening, HoldsADropThatWouldVanish) {
  const ShapePtr drop = make_sphere(kMiddle, 0.9);
  EXPECT_EQ(volumes_on_the_way(*drop, std::nullopt).back(), 0);
  const std::vector<double> held = volumes_on_the_way(*drop, ThickeningParams());
  EXPECT_GT(*std::min_element(held.begin(), held.end()), 0.5);
  EXPECT_LT(*std::max_element(held.begin(), held.end()), 4);
}

TEST(Thickening, HoldsASheet) {
  const ShapePtr thin = sheet(1.2, 8);
  const double start = enclosed_volume(tracker_of(*thin).surface());
  const std::vector<double> held = volumes_on_the_way(*thin, ThickeningParams());
  // Its rim is rounded: 14 % of so small a sheet.
  EXPECT_GT(*std::min_element(held.begin(), held.end()), 0.8 * start);
}

TEST(Thickening, GrowsNothingAtRest) {
  std::vector<MedialParticle> particles;
  for (double x = 0; x <= 6; x += 0.6) particles.push_back({Vec3(x, 0, 0), 0.3, Vec3::UnitZ()});
  const std::vector<MedialParticle> after =
      moved_particles(particles, kLattice, test::uniform_flow(Vec3::Zero()), 1, ThickeningParams());
  ASSERT_EQ(after.size(), particles.size());
  for (const MedialParticle& particle : after) EXPECT_NEAR(particle.radius, 0.3, 1e-12);
}

TEST(Thickening, GivesWhatSmallPartsHaveToThickerOnesNearBy) {
  // A thick one with a thin one a voxel off, and a strand of thin ones far from it.
  std::vector<MedialParticle> particles = {{Vec3(0, 0, 0), 1}, {Vec3(1, 0, 0), 0.2}};
  for (double x = 20; x < 26; x += 0.6) particles.push_back({Vec3(x, 0, 0), 0.2});
  const auto run = [&](double redistribution) {
    ThickeningParams params;
    params.redistribution = redistribution;
    return moved_particles(particles, kLattice, test::uniform_flow(Vec3::Zero()), 1, params);
  };
  const std::vector<MedialParticle> held = run(0);
  EXPECT_EQ(held.size(), particles.size());
  const std::vector<MedialParticle> broken = run(1.5);
  ASSERT_EQ(broken.size(), particles.size() - 1);
  EXPECT_NEAR(broken[0].radius, 1.2, 1e-12);
}

}  // namespace
}  // namespace spindrift
