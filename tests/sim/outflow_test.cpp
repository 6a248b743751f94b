#include "spindrift/sim/outflow.hpp"

#include <gtest/gtest.h>

#include "spindrift/geometry/shape.hpp"

#include "support/flows.hpp"

namespace spindrift {
namespace {

constexpr double kVoxel = 0.02;
// m/s, s: nothing here has to do with the lattice.
const Vec3 kVelocity(0.9, 0.05, -0.1);
constexpr double kStep = 0.07;

Solids room() {
  Domain domain;
  domain.box = Box3(Vec3::Zero(), Vec3(1, 0.5, 0.5));
  domain.is_wall = {true, false, true, true, true, true};
  return {domain, {}};
}

double leaving(const Shape& liquid, const ScalarField& opening, const Box3& box) {
  const Solids solids = room();
  // Twice the same opening takes no more than once.
  const SurfaceEdit edit{SurfaceEdit::Kind::remove, &opening, box, 5};
  const std::vector<SurfaceEdit> edits = {edit, edit};
  const auto flow = test::uniform_flow(kVelocity);
  double sum = 0;
  for (const EditedVolume& part :
       outflow({flow, liquid, liquid.bounds(), 1.5 * kStep, kStep, {Vec3::Zero(), kVoxel}}, edits,
               solids.at(0))) {
    EXPECT_EQ(part.tag, 5U);
    EXPECT_LT(part.volume, 0);
    EXPECT_LT(liquid.distance(part.place), kVoxel);
    sum -= part.volume;
  }
  return sum;
}

// All beyond the high end of the room.
const ShapePtr kBeyond = make_halfspace(Vec3(1, 0, 0), Vec3(-1, 0, 0));
const Box3 kBeyondBox(Vec3(1, -1, -1), Vec3(2, 2, 2));

TEST(Outflow, IsTheCrossSectionTimesTheWay) {
  // It is 0.28 m deep and 0.5 m wide.
  const ShapePtr pool = make_box(Vec3(0.1, -1, -1), Vec3(1, 2, 0.28));
  const double exact = 0.5 * 0.28 * kVelocity.x() * kStep;
  EXPECT_NEAR(leaving(*pool, *kBeyond, kBeyondBox), exact, 0.01 * exact);
}

TEST(Outflow, OfAFilmThinnerThanAVoxelIsThatOfTheFilm) {
  for (const double depth : {0.3, 0.6, 1.7}) {
    const ShapePtr film = make_box(Vec3(0.1, -1, -1), Vec3(1, 2, depth * kVoxel));
    const double exact = 0.5 * depth * kVoxel * kVelocity.x() * kStep;
    EXPECT_NEAR(leaving(*film, *kBeyond, kBeyondBox), exact, 0.1 * exact) << depth;
  }
}

TEST(Outflow, TakesADropThatFliesIntoASinkAndNothingThatFliesPast) {
  const ShapePtr sink = make_box(Vec3(0.5, 0.1, 0.1), Vec3(0.9, 0.4, 0.4));
  const ShapePtr drop = make_sphere(Vec3(0.47, 0.25, 0.25), 0.02);
  const double volume = 4.0 / 3 * 3.14159265 * 8e-6;
  EXPECT_NEAR(leaving(*drop, *sink, sink->bounds()), volume, 0.1 * volume);
  const ShapePtr past = make_sphere(Vec3(0.47, 0.25, 0.45), 0.02);
  EXPECT_EQ(leaving(*past, *sink, sink->bounds()), 0);
}

}  // namespace
}  // namespace spindrift
