#include "spindrift/surface/thin_liquid.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "spindrift/core/error.hpp"
#include "spindrift/core/parallel.hpp"
#include "spindrift/geometry/shape.hpp"
#include "spindrift/surface/contouring_tracker.hpp"
#include "spindrift/surface/cut_surface.hpp"
#include "spindrift/surface/mesh_thickening.hpp"
#include "spindrift/surface/particle_field.hpp"

#include "support/flows.hpp"
#include "support/random.hpp"

namespace spindrift {
namespace {

// Lengths in voxels: the lattice has a spacing of one.
const Lattice kLattice{Vec3::Zero(), 1.0};
// The mesher's cells are two voxels large.
const MeshedAmong kMeshed{{Vec3::Zero(), 2.0}};
const std::vector<Obstacle> kNoObstacles;
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

std::vector<MedialParticle> thin_parts(const ContouringTracker& tracker, double thinness) {
  return medial_particles({tracker.surface(), tracker.normals(), CubicSampler(tracker.samples())},
                          kLattice, {.thinness = thinness});
}

TEST(MedialParticles, LieInTheMiddleOfASheet) {
  const ContouringTracker tracker = tracker_of(*sheet(1.5));
  const std::vector<MedialParticle> particles = thin_parts(tracker, 3);
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
  EXPECT_TRUE(thin_parts(tracker_of(*make_sphere(kMiddle, 5)), 3).empty());
  EXPECT_TRUE(thin_parts(tracker_of(*sheet(2.5, 10)), 1.2).empty());
}

// Rays look 0.2 voxels below the surface first, and take what they have left by then for half of
// it.
TEST(MedialParticles, HaveARadiusInTheThinnestOfSheets) {
  const ContouringTracker tracker =
      tracker_of(*make_box(Vec3(10.5, 10.5, 19.95), Vec3(30.5, 30.5, 20.05)));
  const std::vector<MedialParticle> particles = thin_parts(tracker, 3);
  int in_middle = 0;
  for (const MedialParticle& particle : particles) {
    const Vec3 from_middle = particle.position - Vec3(20.5, 20.5, 20);
    if (from_middle.cwiseAbs().maxCoeff() > 8) continue;
    ++in_middle;
    EXPECT_NEAR(particle.radius, 0.05, 1e-6);
    EXPECT_NEAR(from_middle.z(), 0, 1e-5);
  }
  EXPECT_EQ(in_middle, 16 * 16);
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
  const MeshThickened field(tracker.distance(), thin_parts(tracker, 2.4), kLattice,
                            {.thinness = 2.4, .radius = 1.2, .support = 8, .most = 2.7}, kMeshed);
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

// ---- What thin parts hold

std::vector<ThinSample> samples_of(const ContouringTracker& tracker) {
  return thin_samples({tracker.surface(), tracker.normals(), CubicSampler(tracker.samples())},
                      tracker.components(), kLattice, {.thinness = 5, .spacing = 1});
}

TEST(ThinSamples, TellSheetsStrandsAndDropsApart) {
  const auto expect_flatness = [](const Shape& shape, double flatness) {
    const ContouringTracker tracker = tracker_of(shape);
    const std::vector<ThinSample> samples = samples_of(tracker);
    ASSERT_FALSE(samples.empty());
    double sum = 0;
    double volume = 0;
    for (const ThinSample& sample : samples) {
      EXPECT_TRUE(sample.is_of_thin_body);
      volume += sample.volume;
      sum += sample.flatness * sample.volume;
    }
    EXPECT_NEAR(sum / volume, flatness, 0.05);
    EXPECT_NEAR(volume / enclosed_volume(tracker.surface()), 1, 1e-6);
  };
  expect_flatness(*make_sphere(kMiddle, 2), 1.0 / 3);
  expect_flatness(*make_capsule(kMiddle - 12 * kNormal, kMiddle + 12 * kNormal, 1.5), 0.5);
  expect_flatness(*sheet(2), 1);
}

TEST(ThinSamples, MeasureAFilmOnAFloor) {
  const Domain domain{Box3(Vec3(0, 0, 10.3), Vec3(40, 40, 50)),
                      {false, false, false, false, true, false}};
  const SolidsAt floor(domain, kNoObstacles, 0);
  const ShapePtr film = make_box(Vec3(5, 5, 0), Vec3(35, 35, 12.8));
  const ContouringTracker tracker(*film, domain.box, {.lattice = kLattice}, {&floor, 3, 0.5});
  const std::vector<ThinSample> samples =
      thin_samples({tracker.surface(), tracker.normals(), CubicSampler(tracker.samples()), &floor},
                   tracker.components(), kLattice, {.thinness = 5, .spacing = 1});
  int in_film = 0;
  for (const ThinSample& sample : samples) {
    const Vec3& p = sample.particle.position;
    if ((p - Vec3(20, 20, p.z())).cwiseAbs().maxCoeff() > 10) continue;
    ++in_film;
    EXPECT_TRUE(sample.particle.is_film);
    EXPECT_NEAR(sample.particle.radius, 2.5, 0.02);
    EXPECT_NEAR(sample.volume / sample.area, 2.5, 0.05);
  }
  EXPECT_GT(in_film, 300);
}

// The space beyond x = 10.3.
std::vector<ThinSample> samples_beside_wall(const Shape& shape) {
  const Domain domain{Box3(Vec3(10.3, 0, 0), Vec3(60, 60, 60)),
                      {true, false, false, false, false, false}};
  const SolidsAt wall(domain, kNoObstacles, 0);
  const ContouringTracker tracker(shape, domain.box, {.lattice = kLattice}, {&wall, 3, 0.5});
  return thin_samples(
      {tracker.surface(), tracker.normals(), CubicSampler(tracker.samples()), &wall},
      tracker.components(), kLattice, {.thinness = 5.5, .spacing = 1});
}

// A wall that a sheet ends at is no closer surface of the sheet.
TEST(ThinSamples, ReachTheWallThatASheetEndsAt) {
  for (const double thickness : {2.0, 3.4, 5.0}) {
    double area = 0;
    for (const ThinSample& sample :
         samples_beside_wall(*make_box(Vec3(5, 10, 20), Vec3(40, 50, 20 + thickness)))) {
      const Vec3& p = sample.particle.position;
      if (p.x() > 11.5 || std::abs(p.y() - 30) > 10) continue;
      EXPECT_FALSE(sample.particle.is_film);
      area += sample.area;
    }
    // A row of vertices above and one below, a voxel apart.
    EXPECT_NEAR(area, 2 * 20, 4) << thickness;
  }
}

TEST(ThinSamples, AreNotMeasuredByWhatABodyHasInAWall) {
  const auto expect = [](double begin, bool is_measured) {
    const std::vector<ThinSample> samples =
        samples_beside_wall(*make_box(Vec3(begin, 10, 20), Vec3(40, 50, 23)));
    EXPECT_FALSE(samples.empty());
    for (const ThinSample& sample : samples) EXPECT_EQ(sample.is_of_thin_body, is_measured);
  };
  expect(5, false);
  expect(14, true);
}

// ---- Thin liquid on its way

// Of the surface as it is offset.
double shown_volume(const ContouringTracker& tracker) {
  const Domain domain{Box3(Vec3::Constant(-60), Vec3::Constant(180)), {}};
  const SolidsAt none(domain, kNoObstacles, 0);
  return enclosed_volume(cut_surface(tracker.surface(), tracker.samples(), none, domain.box).mesh);
}

// What there is at the start, and after each step of a way of 100 voxels off the axes, voxels.
struct OnTheWay {
  double shown = 0;    // by the surface
  double carried = 0;  // by particles and droplets: all of it is thin
};
std::vector<OnTheWay> on_the_way(const Shape& shape,
                                 const std::optional<ThickeningParams>& thickening) {
  ContouringTracker tracker = tracker_of(shape);
  SurfaceChanges changes;
  changes.thickening = thickening;
  const Vec3 direction = Vec3(0.43, 0.37, 0.31).normalized();
  constexpr int kSteps = 80;
  std::vector<OnTheWay> volumes;
  for (int step = 0; step <= kSteps; ++step) {
    const ThinLiquid& thin = tracker.thin_liquid();
    volumes.push_back({shown_volume(tracker), thin.carried() + thin.in_flight()});
    (void)tracker.advance(test::uniform_flow(direction), 100.0 / kSteps, changes);
  }
  return volumes;
}

ShapePtr filament(double radius) {
  return make_capsule(kMiddle - 8 * kNormal, kMiddle + 8 * kNormal, radius);
}

double drop_volume(double radius) { return 4 * std::numbers::pi / 3 * std::pow(radius, 3); }
double filament_volume(double radius) {
  return drop_volume(radius) + 16 * std::numbers::pi * radius * radius;
}
double sheet_volume(double thickness) { return 36 * std::numbers::pi * thickness; }

// Seen at every step, and nothing of it lost; without thickening gone, or less than half.
void expect_held(const Shape& shape, double volume) {
  for (const OnTheWay& there : on_the_way(shape, ThickeningParams())) {
    EXPECT_GT(there.shown, 0.7 * volume);
    EXPECT_LT(there.shown, 1.4 * volume);
    EXPECT_NEAR(there.carried / volume, 1, 0.05);
  }
  EXPECT_LT(on_the_way(shape, std::nullopt).back().shown, 0.5 * volume);
}

TEST(Thickening, HoldsADropThatWouldVanish) {
  expect_held(*make_sphere(kMiddle, 0.9), drop_volume(0.9));
}
TEST(Thickening, HoldsAFilamentThatWouldVanish) {
  expect_held(*filament(0.9), filament_volume(0.9));
}
TEST(Thickening, HoldsASheetThatWouldVanish) { expect_held(*sheet(1.2, 6), sheet_volume(1.2)); }

TEST(Thickening, LosesNothingOfWhatIsTooThinToBeSeen) {
  const auto expect_kept = [](const Shape& shape, double volume) {
    for (const OnTheWay& there : on_the_way(shape, ThickeningParams())) {
      EXPECT_NEAR(there.carried / volume, 1, 0.05);
    }
  };
  expect_kept(*make_sphere(kMiddle, 0.45), drop_volume(0.45));
  expect_kept(*filament(0.45), filament_volume(0.45));
  expect_kept(*sheet(0.6, 6), sheet_volume(0.6));
}

TEST(Thickening, ChangesNothingAtRest) {
  ContouringTracker tracker = tracker_of(*sheet(2, 10));
  SurfaceChanges changes;
  changes.thickening = ThickeningParams();
  const auto rest = test::uniform_flow(Vec3::Zero());
  for (int step = 0; step < 5; ++step) (void)tracker.advance(rest, 1, changes);
  const double before = shown_volume(tracker);
  for (int step = 0; step < 20; ++step) (void)tracker.advance(rest, 1, changes);
  EXPECT_NEAR(shown_volume(tracker) / before, 1, 0.01);
}

// A sheet that becomes eight times thinner while it is stretched: 0.2 voxels at the end.
struct Stretched {
  double covered = 0;  // share of its middle that is shown
  double lost = 0;     // share of its volume
  std::size_t bodies = 0;
};
Stretched stretched_sheet(double redistribution) {
  constexpr double kThickness = 1.6;
  constexpr double kRadius = 10;
  const Vec3 middle(60.2, 60.6, 60.3);
  const ShapePtr shape = make_intersection(
      {make_sphere(middle, kRadius),
       make_box(middle - Vec3(20, 20, kThickness / 2), middle + Vec3(20, 20, kThickness / 2))});
  ContouringTracker tracker = tracker_of(*shape);
  const double start = tracker.thin_liquid().carried() + tracker.thin_liquid().in_flight();
  SurfaceChanges changes;
  changes.thickening = ThickeningParams();
  changes.thickening->redistribution = redistribution;
  const double rate = std::log(8.0) / 2;  // over one second
  const auto strain = test::Flow([&](const Vec3& p) {
    const Vec3 r = p - middle;
    return Vec3(rate * r.x(), rate * r.y(), -2 * rate * r.z());
  });
  for (int step = 0; step < 40; ++step) (void)tracker.advance(strain, 1.0 / 40, changes);
  Stretched end;
  int points = 0;
  const double reach = 0.5 * kRadius * std::sqrt(8.0);
  for (double x = -reach; x <= reach; x += 0.5) {
    for (double y = -reach; y <= reach; y += 0.5) {
      if (x * x + y * y > reach * reach) continue;
      ++points;
      end.covered += value_at(tracker.distance(), middle + Vec3(x, y, 0)) < 0 ? 1 : 0;
    }
  }
  end.covered /= points;
  end.lost = 1 - (tracker.thin_liquid().carried() + tracker.thin_liquid().in_flight()) / start;
  end.bodies = tracker.components().components.size();
  return end;
}

TEST(Thickening, HoldsOrBreaksAStretchedSheetAsTheParameterSays) {
  const Stretched held = stretched_sheet(0);
  EXPECT_GT(held.covered, 0.99);
  EXPECT_LT(std::abs(held.lost), 0.05);
  const Stretched broken = stretched_sheet(3);
  EXPECT_LT(broken.covered, 0.7);
  EXPECT_LT(std::abs(broken.lost), 0.05);
  EXPECT_GT(broken.bodies, 5U);
}

// Particles in and around a sheet, with as much as it has; some of them with nothing.
MovedThinLiquid much_around(const ContouringTracker& tracker, int count) {
  test::Random random(3);
  const double each = enclosed_volume(tracker.surface()) / count;
  MovedThinLiquid moved;
  for (int i = 0; i < count; ++i) {
    ThinParticle particle;
    do {
      particle.position = random.in_box({kMiddle.array() - 12, kMiddle.array() + 12});
    } while (std::abs((particle.position - kMiddle).dot(kNormal)) > 2.5);
    particle.volume = i % 50 == 0 ? 0 : 2 * each * random.unit();
    particle.radius = random.unit();
    moved.liquid.particles.push_back(particle);
    moved.ways.push_back(8 * random.unit());
    moved.velocities.emplace_back(1, 2, 3);
  }
  return moved;
}

TEST(Thickening, SettlesAllThatCameWithAnyNumberOfThreads) {
  const ContouringTracker tracker = tracker_of(*sheet(2));
  const std::vector<ThinSample> samples = samples_of(tracker);
  // More than are looked at at once.
  const MovedThinLiquid moved = much_around(tracker, 40000);
  std::vector<double> in_flight;
  for (const double redistribution : {0.0, 1.5, 3.0}) {
    const auto settle = [&] {
      return settled_thin_liquid(moved, samples, tracker.distance(), kLattice,
                                 {.redistribution = redistribution});
    };
    const ThinLiquid many = settle();
    EXPECT_EQ(many.particles.size(), samples.size());
    const double total = moved.liquid.carried();
    EXPECT_NEAR(many.carried() + many.in_flight(), total, 1e-12 * total);
    in_flight.push_back(many.in_flight() / total);
    const ThreadLimit one_thread(1);
    const ThinLiquid one = settle();
    ASSERT_EQ(one.particles.size(), many.particles.size());
    for (std::size_t i = 0; i < one.particles.size(); ++i) {
      EXPECT_EQ(one.particles[i].volume, many.particles[i].volume);
      EXPECT_EQ(one.particles[i].offset, many.particles[i].offset);
    }
  }
  // What lies two voxels off finds samples only where it is shared as far.
  EXPECT_GT(in_flight[0], 0.2);
  EXPECT_EQ(in_flight[1], in_flight[0]);
  EXPECT_LT(in_flight[2], 0.2 * in_flight[0]);
}

TEST(Thickening, SettlesNothingAndOnNothing) {
  const ContouringTracker tracker = tracker_of(*sheet(2));
  const std::vector<ThinSample> samples = samples_of(tracker);
  const ThinLiquid kept = settled_thin_liquid({}, samples, tracker.distance(), kLattice, {});
  EXPECT_EQ(kept.particles.size(), samples.size());
  EXPECT_TRUE(kept.droplets.empty());

  MovedThinLiquid far;
  far.liquid.droplets = {{kMiddle + 20 * kNormal, Vec3::Zero(), 0.5},
                         {kMiddle - 20 * kNormal, Vec3::Zero(), 0}};
  const ThinLiquid lost = settled_thin_liquid(far, {}, tracker.distance(), kLattice, {});
  EXPECT_TRUE(lost.particles.empty());
  EXPECT_EQ(lost.in_flight(), 0.5);
}

TEST(Thickening, FindsNothingAtTheStartInsideOfSolids) {
  // A pool around a pillar that is far wider than surfaces continue into solids.
  const Domain domain{Box3(Vec3::Zero(), Vec3::Constant(40)), {true, true, true, true, true, true}};
  const std::vector<Obstacle> pillar{
      {make_capsule(Vec3(20, 20, -20), Vec3(20, 20, 60), 10.3), Motion()}};
  const SolidsAt solids(domain, pillar, 0);
  const ShapePtr pool = make_box(Vec3::Constant(-10), Vec3(50, 50, 15.4));
  const ContouringTracker tracker(*pool, domain.box, {.lattice = kLattice}, {&solids, 3, 0.5});
  EXPECT_EQ(tracker.thin_liquid().carried(), 0);
  EXPECT_EQ(tracker.thin_liquid().in_flight(), 0);
}

// ---- Droplets

TEST(Droplets, FlyAsPointsDoAndStayOutOfSolids) {
  const Domain domain{Box3(Vec3::Zero(), Vec3::Constant(40)), {true, true, true, true, true, true}};
  const SolidsAt walls(domain, kNoObstacles, 0);
  ThinLiquid liquid;
  liquid.droplets = {{Vec3(10, 20, 30), Vec3(2, 0, 1), 0.1}};
  const auto still = test::uniform_flow(Vec3::Zero());
  const Vec3 gravity(0, 0, -10);
  for (int step = 0; step < 10; ++step) {
    liquid = moved_thin_liquid(liquid, {still, gravity, &walls, 0.1}, kLattice).liquid;
  }
  ASSERT_EQ(liquid.droplets.size(), 1U);
  EXPECT_LT((liquid.droplets[0].position - Vec3(12, 20, 26)).norm(), 1e-9);
  for (int step = 0; step < 40; ++step) {
    liquid = moved_thin_liquid(liquid, {still, gravity, &walls, 0.1}, kLattice).liquid;
  }
  EXPECT_NEAR(liquid.droplets[0].position.x(), 20, 1e-6);
  EXPECT_NEAR(liquid.droplets[0].position.z(), 0, 0.01);
  EXPECT_GT(liquid.droplets[0].position.z(), 0);
}

TEST(Droplets, AreTakenAwayFarFromAllSurfaces) {
  ContouringTracker tracker = tracker_of(*make_sphere(Vec3::Constant(60), 6));
  ContouringTracker::Memory memory = tracker.memory();
  memory.thin.droplets = {{Vec3(60, 60, -1000), Vec3::Zero(), 0.25},
                          {Vec3(60, 60, 20), Vec3(0, 0, -25), 0.5},
                          {Vec3(60, 60, 30), Vec3(0, 0, -25), 0.125}};
  tracker.restore(std::move(memory));
  const ShapePtr below = make_halfspace(Vec3::Zero(), Vec3::UnitZ());
  SurfaceChanges changes;
  changes.thickening = ThickeningParams();
  changes.edits = {{SurfaceEdit::Kind::remove, below.get(), Box3(), 7}};
  const TrackerReport report = tracker.advance(test::uniform_flow(Vec3::Zero()), 1, changes);
  double taken = 0;
  for (const EditedVolume& part : report.taken) {
    EXPECT_EQ(part.tag, 7U);
    taken -= part.volume;
  }
  EXPECT_EQ(taken, 0.75);
  EXPECT_EQ(report.in_flight, 0.125);
}

TEST(Droplets, MustNotGetLostBeyondAllBounds) {
  ContouringTracker tracker = tracker_of(*make_sphere(kMiddle, 6));
  ContouringTracker::Memory memory = tracker.memory();
  memory.thin.droplets = {{kMiddle, Vec3(0, 1e12, 0), 0.1}};
  tracker.restore(std::move(memory));
  SurfaceChanges changes;
  changes.thickening = ThickeningParams();
  EXPECT_THROW((void)tracker.advance(test::uniform_flow(Vec3::Zero()), 1, changes), Error);
  EXPECT_EQ(tracker.thin_liquid().in_flight(), 0.1);
}

TEST(Droplets, AreSeenOnceEnoughOfThemHaveMet) {
  const Vec3 meeting(20.1, 20.2, 20.3);
  ThinLiquid liquid;
  for (const Vec3& from : {Vec3(-4, 0, 0), Vec3(4, 0, 0), Vec3(0, 4, 0), Vec3(0, -4, 0)}) {
    liquid.droplets.push_back({meeting + from, -from / 4, 1});
  }
  const auto still = test::uniform_flow(Vec3::Zero());
  EXPECT_TRUE(visible_droplets(liquid.droplets, kLattice).empty());
  liquid = moved_thin_liquid(liquid, {still, Vec3::Zero(), nullptr, 4}, kLattice).liquid;
  const std::vector<MedialParticle> balls = visible_droplets(liquid.droplets, kLattice);
  ASSERT_EQ(balls.size(), 1U);
  EXPECT_LT((balls[0].position - meeting).norm(), 1e-9);
  EXPECT_NEAR(drop_volume(balls[0].radius), 4, 1e-9);
}

}  // namespace
}  // namespace spindrift
