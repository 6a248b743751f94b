#include "spindrift/surface/thin_openings.hpp"

#include <gtest/gtest.h>

#include "spindrift/geometry/shape.hpp"

namespace spindrift {
namespace {

const Lattice kLattice{Vec3::Zero(), 1.0};
constexpr std::uint32_t kTag = 4;

// A film along x that ends at an opening beyond x = 10: a particle of one in every voxel, each
// moved by `way`.
struct Film {
  explicit Film(double end, double way = 0) {
    for (double x = 0.5; x < end; ++x) {
      ThinParticle particle;
      particle.position = Vec3(x, 0, 0);
      particle.volume = 1;
      thin.liquid.particles.push_back(particle);
      thin.ways.push_back(way);
      thin.velocities.emplace_back(way / 0.1, 0, 0);
    }
  }
  std::vector<EditedVolume> lose(double volume) {
    // There is another opening, of the same kind, far away.
    const std::vector<SurfaceEdit> edits = {
        {SurfaceEdit::Kind::remove, opening.get(), Box3(), kTag},
        {SurfaceEdit::Kind::remove, other.get(), Box3(), kTag}};
    const std::vector<EditedVolume> outflow = {{kTag, -volume, Vec3(9.8, 0, 0)}};
    return take_away(edits, outflow, kLattice, thin);
  }
  ShapePtr opening = make_halfspace(Vec3(10, 0, 0), Vec3(-1, 0, 0));
  ShapePtr other = make_halfspace(Vec3(-50, 0, 0), Vec3(1, 0, 0));
  MovedThinLiquid thin;
};

TEST(ThinOpenings, WhatFlowsOutIsTakenOnceFromTheEndOfAFilmThatDoesNotReachBeyond) {
  Film film(10);
  EXPECT_TRUE(film.lose(0.375).empty());
  EXPECT_NEAR(film.thin.liquid.carried(), 10 - 0.375, 1e-12);
  EXPECT_LT(film.thin.liquid.particles[9].volume, film.thin.liquid.particles[7].volume);
  EXPECT_EQ(film.thin.liquid.particles[4].volume, 1);
}

TEST(ThinOpenings, WhatIsBeyondGoesFirst) {
  Film film(11, 0.75);  // the last one is beyond
  EXPECT_TRUE(film.lose(0.75).empty());
  EXPECT_NEAR(film.thin.liquid.carried(), 10, 1e-12);
  EXPECT_EQ(film.thin.liquid.particles[10].volume, 0);
  Film more(11, 0.75);
  EXPECT_TRUE(more.lose(1.5).empty());
  EXPECT_NEAR(more.thin.liquid.carried(), 11 - 1.5, 1e-12);
}

// What has left in one place is no excuse for what is in another.
TEST(ThinOpenings, AFastJetDoesNotKeepASlowFilmFromLeaving) {
  Film film(10);
  ThinParticle jet;
  jet.position = Vec3(16, 80, 0);
  jet.volume = 5;
  film.thin.liquid.particles.push_back(jet);
  film.thin.ways.push_back(8);
  film.thin.velocities.emplace_back(80, 0, 0);
  EXPECT_TRUE(film.lose(0.375).empty());
  EXPECT_NEAR(film.thin.liquid.carried(), 10 - 0.375, 1e-12);
}

TEST(ThinOpenings, NoParticleGivesMoreThanItHas) {
  Film film(10);
  EXPECT_TRUE(film.lose(7).empty());
  EXPECT_GE(film.thin.liquid.carried(), 6);
  EXPECT_LE(film.thin.liquid.carried(), 7);
  for (const ThinParticle& particle : film.thin.liquid.particles) EXPECT_GE(particle.volume, 0);
}

TEST(ThinOpenings, ThickLiquidLeavesParticlesFarAwayAlone) {
  Film film(5);
  EXPECT_TRUE(film.lose(0.5).empty());
  EXPECT_DOUBLE_EQ(film.thin.liquid.carried(), 5);
}

TEST(ThinOpenings, DropletsInTheOpeningAreTakenAndToldOf) {
  Film film(0);
  film.thin.liquid.droplets = {{Vec3(12, 1, 1), Vec3::Zero(), 0.25},
                               {Vec3(8, 1, 1), Vec3::Zero(), 0.5}};
  const std::vector<EditedVolume> taken = film.lose(0);
  ASSERT_EQ(taken.size(), 1U);
  EXPECT_EQ(taken[0].tag, kTag);
  EXPECT_EQ(taken[0].volume, -0.25);
  EXPECT_EQ(film.thin.liquid.in_flight(), 0.5);
}

}  // namespace
}  // namespace spindrift
